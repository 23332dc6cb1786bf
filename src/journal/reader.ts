import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import {
  ActionableError,
  assert,
  type Digest,
  type Json,
  type JsonObject,
  parseJson,
  type SampleId,
} from '../base/index.ts';
import { type EvalSampleSummary, expandJson, type SampleFields, summarize } from '../log/index.ts';
import { damagedJournal, emptyJournal, explained, openDatabase } from './database.ts';
import {
  type AnswerRow,
  type AttemptOutline,
  type AttemptResult,
  type AttemptRow,
  type AttemptStart,
  type AttemptStatus,
  type EndingRecord,
  type ReusedOutline,
  type RunRecord,
  type SessionRecord,
  startFields,
  type TargetOutput,
} from './records.ts';

/** Reads one journal. Everything is iterated from the database, so a journal may be far larger than memory. */
export class JournalReader {
  readonly path: string;
  protected readonly db: DatabaseSync;
  /** Prepared statements that are not in use. Preparing one takes longer than running it. */
  readonly #statements = new Map<string, StatementSync[]>();

  constructor(db: DatabaseSync, path: string) {
    this.db = db;
    this.path = path;
  }

  run(): RunRecord {
    const value = this.#one('SELECT value AS text FROM meta WHERE key = ?', 'run');
    if (value === undefined) throw emptyJournal(this.path);
    return parseJson(value) as unknown as RunRecord;
  }

  sessions(): ReadonlyArray<SessionRecord & { readonly n: number; readonly ending?: EndingRecord }> {
    const rows = this.#all(
      'SELECT s.n AS n, s.data AS data, e.data AS ending FROM sessions s LEFT JOIN endings e ON e.session = s.n ORDER BY s.n',
    );
    return [...rows].map((row) => ({
      ...(parseJson(String(row.data)) as unknown as SessionRecord),
      n: Number(row.n),
      ...(row.ending ? { ending: parseJson(String(row.ending)) as unknown as EndingRecord } : {}),
    }));
  }

  /** When the writer last said that it is there. */
  lastBeatMs(): number | undefined {
    const beat = explained(this.path, () => this.db.prepare('SELECT beat_ms FROM lease').get())?.beat_ms;
    return beat === undefined ? undefined : Number(beat);
  }

  /** All attempts at one sample, oldest first. */
  attemptsAt(id: SampleId, epoch: number): readonly AttemptRow[] {
    const rows = this.#all(
      `${SELECT_ATTEMPT} WHERE a.sample_id = ? AND a.epoch = ? ORDER BY a.n`,
      sampleKey(id),
      epoch,
    );
    return [...rows].map((row) => this.#toAttempt(row));
  }

  result(attempt: number): AttemptResult | undefined {
    const row = this.#get(`${SELECT_START}, r.status AS status, r.data AS result ${OF_RESULT}`, attempt);
    return row && { status: String(row.status) as AttemptStatus, fields: this.#toFields(row) };
  }

  /** The thin form of a result, as lists show it. */
  summary(attempt: number): EvalSampleSummary | undefined {
    const row = this.#get(
      `${SELECT_START}, r.summary AS summary, iif(r.summary IS NULL, r.data, NULL) AS result ${OF_RESULT}`,
      attempt,
    );
    if (!row) return undefined;
    if (row.summary === null) return summarize(this.#toFields(row));
    const stored = parseJson(String(row.summary)) as unknown as Partial<EvalSampleSummary>;
    return { ...summarize(startFields(this.#toStart(row)) as SampleFields), ...stored };
  }

  /** Number, sample, epoch and status of every attempt: small, whatever the samples weigh. */
  *outline(): Iterable<AttemptOutline> {
    const rows = this.#all(
      'SELECT a.n AS n, a.sample_id AS id, a.epoch AS epoch, a.key AS key, r.status AS status FROM attempts a LEFT JOIN results r ON r.attempt = a.n ORDER BY a.n',
    );
    for (const row of rows) {
      yield {
        n: Number(row.n),
        id: JSON.parse(String(row.id)) as SampleId,
        epoch: Number(row.epoch),
        key: String(row.key) as Digest,
        status: statusOf(row.status),
      };
    }
  }

  attempt(n: number): AttemptRow | undefined {
    const row = this.#get(`${SELECT_ATTEMPT} WHERE a.n = ?`, n);
    return row && this.#toAttempt(row);
  }

  output(attempt: number): TargetOutput | undefined {
    const text = this.#one('SELECT data AS text FROM outputs WHERE attempt = ?', attempt);
    return text === undefined ? undefined : (this.#expand(parseJson(text)) as unknown as TargetOutput);
  }

  /** JSON texts of events, in order. A row holds those that were committed together, one a line. */
  *events(attempt: number): Iterable<string> {
    for (const row of this.#all('SELECT json FROM events WHERE attempt = ? ORDER BY n', attempt))
      yield* String(row.json).split('\n');
  }

  eventCount(attempt: number): number {
    const row = this.#get(
      "SELECT total(1 + length(json) - length(replace(json, char(10), ''))) AS count FROM events WHERE attempt = ?",
      attempt,
    );
    return Number(row?.count);
  }

  /** JSON texts of the message or call pool, by position. */
  *pool(attempt: number, kind: 'message' | 'call'): Iterable<string> {
    for (const row of this.#linked(attempt, kind)) yield row.text;
  }

  *attachments(attempt: number): Iterable<{ readonly hash: string; readonly text: string }> {
    yield* this.#linked(attempt, 'attachment');
  }

  *answers(attempt: number): Iterable<AnswerRow> {
    const rows = this.#all(
      'SELECT kind, digest, occurrence, data FROM answers WHERE attempt = ? ORDER BY n',
      attempt,
    );
    for (const row of rows) {
      const data = parseJson(String(row.data)) as JsonObject;
      yield {
        kind: String(row.kind),
        digest: String(row.digest) as Digest,
        occurrence: Number(row.occurrence),
        value: this.#expand(data.value ?? null),
        ...(typeof data.costUsd === 'number' ? { costUsd: data.costUsd } : {}),
        ...(typeof data.tokens === 'number' ? { tokens: data.tokens } : {}),
      };
    }
  }

  /** Which samples come from other logs; their summaries are read one by one. */
  *reused(): Iterable<ReusedOutline> {
    for (const row of this.#all('SELECT n, sample_id, epoch, log, run FROM reused ORDER BY n')) {
      yield {
        n: Number(row.n),
        id: JSON.parse(String(row.sample_id)) as SampleId,
        epoch: Number(row.epoch),
        log: String(row.log),
        runId: String(row.run),
      };
    }
  }

  reusedSummary(n: number): EvalSampleSummary {
    const text = this.#one('SELECT summary AS text FROM reused WHERE n = ?', n);
    assert(text !== undefined, `reused sample ${n} vanished`);
    return parseJson(text) as unknown as EvalSampleSummary;
  }

  contentText(hash: string): string | undefined {
    return this.#one('SELECT text FROM contents WHERE hash = ?', hash);
  }

  /** What all answers of this run cost, as far as their prices are known. */
  spentUsd(): number {
    const row = explained(this.path, () =>
      this.db.prepare("SELECT coalesce(sum(json_extract(data, '$.costUsd')), 0) AS usd FROM answers").get(),
    );
    return Number(row?.usd ?? 0);
  }

  /** True when an attempt holds something that was paid for: an answer or an output. */
  isPaid(attempt: number): boolean {
    const tables = ['answers', 'outputs'];
    return tables.some(
      (table) =>
        this.db.prepare(`SELECT 1 FROM ${table} WHERE attempt = ? LIMIT 1`).get(attempt) !== undefined,
    );
  }

  /** True when it holds nothing that cost anything: no answer, no output, no result, nothing reused. */
  isUnpaid(): boolean {
    const tables = ['answers', 'outputs', 'results', 'reused'];
    return tables.every((table) => this.db.prepare(`SELECT 1 FROM ${table} LIMIT 1`).get() === undefined);
  }

  /** A quick look at every page: the error that going on with a damaged database would meet later, if it is damaged. */
  quickCheck(): ActionableError | undefined {
    try {
      const [first] = [...this.#all('PRAGMA quick_check(1)')].map((row) => String(row.quick_check));
      return first === 'ok' ? undefined : damagedJournal(this.path, first ?? 'it cannot be checked');
    } catch (error) {
      if (error instanceof ActionableError) return error;
      throw error;
    }
  }

  /** SQLite's own check of every page, for recovery and for tests. */
  problems(): readonly string[] {
    const rows = [...this.#all('PRAGMA integrity_check')].map((row) => String(row.integrity_check));
    return rows.length === 1 && rows[0] === 'ok' ? [] : rows;
  }

  /** The value of one of SQLite's settings, for `doctor` and for tests. */
  pragma(name: string): unknown {
    return Object.values(this.db.prepare(`PRAGMA ${name}`).get() ?? {})[0];
  }

  /** Closing twice is fine. */
  close(): void {
    if (this.db.isOpen) this.db.close();
  }

  #expand(value: Json): Json {
    return expandJson(value, (hash) => this.contentText(hash));
  }

  *#linked(attempt: number, kind: string): Iterable<{ readonly hash: string; readonly text: string }> {
    const rows = this.#all(
      'SELECT l.hash AS hash, coalesce(l.text, c.text) AS text FROM links l LEFT JOIN contents c ON c.hash = l.hash WHERE l.attempt = ? AND l.kind = ? ORDER BY l.position',
      attempt,
      kind,
    );
    for (const row of rows) {
      if (row.text !== null) yield { hash: String(row.hash), text: String(row.text) };
    }
  }

  #toAttempt(row: Record<string, unknown>): AttemptRow {
    return {
      ...this.#toStart(row),
      n: Number(row.n),
      status: statusOf(row.status),
    };
  }

  /** A result repeats nothing that its attempt's own row says. */
  #toFields(row: Record<string, unknown>): SampleFields {
    const fields = this.#expand(parseJson(String(row.result))) as unknown as Partial<SampleFields>;
    return { ...startFields(this.#toStart(row)), ...fields } as SampleFields;
  }

  #toStart(row: Record<string, unknown>): AttemptStart {
    const data = this.#expand(parseJson(String(row.data))) as unknown as Omit<
      AttemptStart,
      'id' | 'epoch' | 'key'
    >;
    return {
      id: JSON.parse(String(row.id)) as SampleId,
      epoch: Number(row.epoch),
      key: String(row.key) as Digest,
      ...data,
    };
  }

  #one(sql: string, ...values: SQLInputValue[]): string | undefined {
    const text = this.#get(sql, ...values)?.text;
    return text === undefined ? undefined : String(text);
  }

  #get(sql: string, ...values: SQLInputValue[]): Record<string, unknown> | undefined {
    const statement = this.#take(sql);
    const row = explained(this.path, () => statement.get(...values));
    this.#giveBack(sql, statement);
    return row;
  }

  *#all(sql: string, ...values: SQLInputValue[]): Iterable<Record<string, unknown>> {
    const statement = this.#take(sql);
    const rows = explained(this.path, () => statement.iterate(...values));
    try {
      for (;;) {
        const next = explained(this.path, () => rows.next());
        if (next.done) return;
        yield next.value;
      }
    } finally {
      rows.return?.();
      this.#giveBack(sql, statement);
    }
  }

  /** A statement can be under way only once at a time, so who iterates has one of their own. */
  #take(sql: string): StatementSync {
    return this.#statements.get(sql)?.pop() ?? explained(this.path, () => this.db.prepare(sql));
  }

  #giveBack(sql: string, statement: StatementSync): void {
    const idle = this.#statements.get(sql);
    if (idle) idle.push(statement);
    else this.#statements.set(sql, [statement]);
  }
}

const SELECT_START = 'SELECT a.n AS n, a.sample_id AS id, a.epoch AS epoch, a.key AS key, a.data AS data';
const SELECT_ATTEMPT = `${SELECT_START}, r.status AS status FROM attempts a LEFT JOIN results r ON r.attempt = a.n`;
const OF_RESULT = 'FROM results r JOIN attempts a ON a.n = r.attempt WHERE r.attempt = ?';

export function readJournal(path: string): JournalReader {
  return new JournalReader(openDatabase(path, 'read'), path);
}

/** One text for all attempts, not a copy for each. */
function statusOf(value: unknown): AttemptStatus | undefined {
  if (value === 'completed' || value === 'errored') return value === 'completed' ? 'completed' : 'errored';
  return undefined;
}

/** The id as JSON text: the number 1 and the text "1" stay different. */
export function sampleKey(id: SampleId): string {
  return JSON.stringify(id);
}
