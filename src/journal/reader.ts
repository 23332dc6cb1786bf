import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { assert, type Digest, type Json, type JsonObject, parseJson } from '../base/index.ts';
import { type EvalSampleSummary, expandJson, type SampleId } from '../log/index.ts';
import { emptyJournal, explained, openDatabase } from './database.ts';
import type {
  AnswerRow,
  AttemptOutline,
  AttemptResult,
  AttemptRow,
  AttemptStart,
  AttemptStatus,
  EndingRecord,
  ReusedOutline,
  RunRecord,
  SessionRecord,
  TargetOutput,
} from './records.ts';

/** Reads one journal. Everything is iterated from the database, so a journal may be far larger than memory. */
export class JournalReader {
  readonly path: string;
  protected readonly db: DatabaseSync;

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
    const beat = this.db.prepare('SELECT beat_ms FROM lease').get()?.beat_ms;
    return beat === undefined ? undefined : Number(beat);
  }

  /** All attempts at one sample, oldest first. */
  attemptsAt(id: SampleId, epoch: number): readonly AttemptRow[] {
    const rows = this.#all(
      'SELECT a.n AS n, a.key AS key, a.data AS data, r.status AS status FROM attempts a LEFT JOIN results r ON r.attempt = a.n WHERE a.sample_id = ? AND a.epoch = ? ORDER BY a.n',
      sampleKey(id),
      epoch,
    );
    return [...rows].map(toAttempt);
  }

  result(attempt: number): AttemptResult | undefined {
    const row = this.db.prepare('SELECT status, data FROM results WHERE attempt = ?').get(attempt);
    if (!row) return undefined;
    return {
      status: String(row.status) as AttemptStatus,
      fields: parseJson(String(row.data)) as unknown as AttemptResult['fields'],
    };
  }

  /** The thin form of a result, as lists show it. */
  summary(attempt: number): EvalSampleSummary | undefined {
    const text = this.#one('SELECT summary AS text FROM results WHERE attempt = ?', attempt);
    return text === undefined ? undefined : (parseJson(text) as unknown as EvalSampleSummary);
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
        status: row.status === null ? undefined : (String(row.status) as AttemptStatus),
      };
    }
  }

  attempt(n: number): AttemptRow | undefined {
    const rows = this.#all(
      'SELECT a.n AS n, a.key AS key, a.data AS data, r.status AS status FROM attempts a LEFT JOIN results r ON r.attempt = a.n WHERE a.n = ?',
      n,
    );
    for (const row of rows) return toAttempt(row);
    return undefined;
  }

  output(attempt: number): TargetOutput | undefined {
    const text = this.#one('SELECT data AS text FROM outputs WHERE attempt = ?', attempt);
    return text === undefined ? undefined : (this.#expand(parseJson(text)) as unknown as TargetOutput);
  }

  /** JSON texts of events, in order. */
  *events(attempt: number): Iterable<string> {
    for (const row of this.#all('SELECT json FROM events WHERE attempt = ? ORDER BY n', attempt))
      yield String(row.json);
  }

  eventCount(attempt: number): number {
    return Number(
      this.db.prepare('SELECT count(*) AS count FROM events WHERE attempt = ?').get(attempt)?.count,
    );
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

  /** True when it holds nothing that cost anything: no answer, no output, no result, nothing reused. */
  isUnpaid(): boolean {
    const tables = ['answers', 'outputs', 'results', 'reused'];
    return tables.every((table) => this.db.prepare(`SELECT 1 FROM ${table} LIMIT 1`).get() === undefined);
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
      'SELECT l.hash AS hash, c.text AS text FROM links l JOIN contents c ON c.hash = l.hash WHERE l.attempt = ? AND l.kind = ? ORDER BY l.position',
      attempt,
      kind,
    );
    for (const row of rows) yield { hash: String(row.hash), text: String(row.text) };
  }

  #one(sql: string, ...values: SQLInputValue[]): string | undefined {
    const text = explained(this.path, () => this.db.prepare(sql).get(...values))?.text;
    return text === undefined ? undefined : String(text);
  }

  *#all(sql: string, ...values: SQLInputValue[]): Iterable<Record<string, unknown>> {
    const rows = explained(this.path, () => this.db.prepare(sql).iterate(...values));
    for (;;) {
      const next = explained(this.path, () => rows.next());
      if (next.done) return;
      yield next.value;
    }
  }
}

export function readJournal(path: string): JournalReader {
  return new JournalReader(openDatabase(path, 'read'), path);
}

/** The id as JSON text: the number 1 and the text "1" stay different. */
export function sampleKey(id: SampleId): string {
  return JSON.stringify(id);
}

function toAttempt(row: Record<string, unknown>): AttemptRow {
  const start = parseJson(String(row.data)) as unknown as AttemptStart;
  assert(start.key === row.key, `attempt ${row.n} has two keys`);
  return {
    ...start,
    n: Number(row.n),
    status: row.status === null ? undefined : (String(row.status) as AttemptStatus),
  };
}
