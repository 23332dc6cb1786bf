import { isJsonObject, type Json, type SampleId, type SampleKey, toJson } from '../base/index.ts';
import {
  type EvalSampleSummary,
  type LogEvent,
  readAnswer,
  readSummary,
  type SampleAnswer,
  type SampleFields,
  summarize,
} from '../log/index.ts';
import { DamageNotes } from './damage-notes.ts';
import { damagedJournal } from './database.ts';
import { EventExpander } from './event-expander.ts';
import { JournalRecords } from './journal-records.ts';
import type { JournalRows, Row } from './journal-rows.ts';
import { JournalTexts, LOST_MESSAGE } from './journal-texts.ts';
import type { Records } from './record-file.ts';
import {
  type AttemptOutline,
  type AttemptResult,
  type AttemptRow,
  type AttemptStart,
  type AttemptStatus,
  type EndingRecord,
  type JournalDamage,
  type Origin,
  type ReusedOutline,
  type RunRecord,
  startFields,
  type TargetOutput,
  type WriterRecord,
} from './records.ts';
import type { JournalVersion } from './schema.ts';
import {
  asDigest,
  checkAttemptData,
  checkFields,
  idOfText,
  idText,
  parseObject,
  tryParse,
} from './stored-documents.ts';
import { wholeFields } from './whole-fields.ts';

/** What is known of a journal beside its rows. */
export interface ReaderOptions {
  /** How people name it; the path unless it was put together elsewhere. */
  readonly place?: string;
  readonly notes?: DamageNotes;
  /** True when the database belongs to somebody else, who closes it. */
  readonly isBorrowed?: boolean;
  /** The records as the file beside the journal has them, for when its own are damaged. */
  readonly records?: Partial<Records>;
}

/**
 * Reads one journal, of any version. Everything comes in pages, so a journal may be far larger than memory, and nothing is
 * held in between, so its writer is never hindered. What is damaged is left out and named by `damage`.
 */
export class JournalReader {
  readonly path: string;
  readonly place: string;
  readonly version: JournalVersion;
  readonly rows: JournalRows;
  readonly #notes: DamageNotes;
  readonly #isBorrowed: boolean;
  readonly #records: JournalRecords;
  readonly #texts: JournalTexts;
  readonly #expander = new EventExpander(this);

  constructor(rows: JournalRows, options: ReaderOptions = {}) {
    const { place, notes, records, isBorrowed = false } = options;
    this.rows = rows;
    this.#isBorrowed = isBorrowed;
    this.path = rows.path;
    this.place = place ?? rows.path;
    this.version = rows.version;
    this.#notes = notes ?? new DamageNotes(this.place);
    this.#records = new JournalRecords(rows, { place: this.place, beside: records });
    this.#texts = new JournalTexts(rows, this.#notes);
    rows.onDamage = (table, row) => this.#notes.row(table, row);
  }

  run(): RunRecord {
    return this.#records.run();
  }

  writer(): WriterRecord {
    return this.#records.writer();
  }

  /** How the writer ended, if it could say so. */
  ending(): EndingRecord | undefined {
    return this.#records.ending();
  }

  /** When the writer last said that it is there. It decides nothing. */
  lastBeatMs(): number | undefined {
    return this.#records.lastBeatMs();
  }

  /** Number, sample, epoch and status of every attempt: small, whatever the samples weigh. */
  *outline(): Iterable<AttemptOutline> {
    for (let after = 0; ; ) {
      const page = this.rows.ask(SELECT_OUTLINE, after);
      for (const row of page) yield this.#toOutline(row);
      if (page.length < OUTLINE_ROWS) return;
      after = this.rows.next(Number(page.at(-1)?.n), after);
    }
  }

  /** The origins of those attempts that began in another journal. The run is named by whoever has its record whole. */
  foreignOrigins(runId: string): readonly Origin[] {
    const own = `${runId}/${this.writer().writer}/`;
    return this.rows.ask(SELECT_FOREIGN, own.length, own).map((row) => textOf(row.origin));
  }

  /** The attempts that began in the journal of another writer, whose id is unlike any other. */
  copiesFrom(writer: string): readonly { readonly n: number; readonly origin: Origin }[] {
    const found = this.rows.select(SELECT_COPIES, `/${writer}/`);
    return found.map((row) => ({ n: Number(row.n), origin: textOf(row.origin) }));
  }

  attempt(n: number): AttemptRow | undefined {
    const row = this.rows.one('attempts', 'n = ?', n);
    return row && this.#toAttempt(row);
  }

  /** Which sample an attempt is at, without reading it. */
  sampleOf(n: number): SampleKey | undefined {
    const row = this.rows.select(SELECT_SAMPLE, n)[0];
    return row && { id: this.#idOf(row, textOf(row.start)), epoch: Number(row.epoch) };
  }

  /** All attempts at one sample, oldest first. */
  attemptsAt(id: SampleId, epoch: number): readonly AttemptRow[] {
    const values = this.#sampleValues(id, epoch);
    const found = [...this.rows.many('attempts', { where: AT_SAMPLE, values })].map((row) =>
      this.#toAttempt(row),
    );
    return found.filter((row) => row !== undefined);
  }

  /** Their numbers, without reading them. */
  attemptNumbersAt(id: SampleId, epoch: number): readonly number[] {
    return this.rows.select(SELECT_NUMBERS, ...this.#sampleValues(id, epoch)).map(({ n }) => Number(n));
  }

  #sampleValues(id: SampleId, epoch: number): readonly [string, string, number] {
    return this.version === 1
      ? [String(id), JSON.stringify(String(id)), epoch]
      : [idText(id), idText(id), epoch];
  }

  result(n: number): AttemptResult | undefined {
    const found = this.#result(n);
    if (!found) return undefined;
    const fields = this.#fields(n, found.row);
    return fields && { status: found.status, fields };
  }

  /** What a damaged attempt had come to, when at least that can be read: it is shown, and never counted as a result. */
  fieldsOfDamaged(n: number): SampleFields | undefined {
    const row = this.#notes.isDamaged(n) ? this.rows.one('results', 'attempt = ?', n) : undefined;
    return row && this.#fields(n, row);
  }

  /** The thin form of a result, as lists show it. */
  summary(n: number): EvalSampleSummary | undefined {
    const found = this.#result(n);
    if (!found) return undefined;
    const stored = found.row.summary === null ? undefined : parseObject(textOf(found.row.summary));
    const fields = stored ? this.#startFields(n) : this.#fields(n, found.row);
    return fields && readSummary(toJson({ ...summarize(fields), ...stored }));
  }

  /** The completed attempts whose results hold one of these texts somewhere: a first look, before they are read. */
  *resultsThatSay(texts: readonly string[]): Iterable<number> {
    const says = texts.map(() => `instr(data, ?) OR instr(coalesce(summary, ''), ?)`).join(' OR ');
    const sql = `SELECT attempt FROM results WHERE status = 'completed' AND (${says}) ORDER BY attempt`;
    for (const { attempt } of this.rows.select(sql, ...texts.flatMap((text) => [text, text])))
      if (!this.#notes.isDamaged(Number(attempt))) yield Number(attempt);
  }

  output(n: number): TargetOutput | undefined {
    const row = this.rows.one('outputs', 'attempt = ?', n);
    const value = row && this.#texts.whole(n, row.data);
    if (!isJsonObject(value)) return undefined;
    return { output: value.output ?? null, fields: isJsonObject(value.fields) ? value.fields : {} };
  }

  /** JSON texts of events, in order, from the one with index `from` on. A row holds those that were committed together. */
  *events(n: number, from = 0): Iterable<string> {
    let index = 0;
    for (const row of this.rows.many('events', { where: 'attempt = ?', values: [n] })) {
      for (const json of textOf(row.json).split('\n')) if (index++ >= from) yield json;
    }
  }

  eventCount(n: number): number {
    return this.rows.number(
      "SELECT total(1 + length(json) - length(replace(json, char(10), ''))) AS count FROM events WHERE attempt = ?",
      n,
    );
  }

  /** An event with its references filled in: what the target and the scorers saw. */
  expandEvent(n: number, json: string): LogEvent {
    return this.#expander.expand(n, json);
  }

  /** JSON texts of the message or call pool, by position. One that is lost keeps its place. */
  *pool(n: number, kind: 'message' | 'call'): Iterable<string> {
    let next = 0;
    for (const row of this.rows.many('links', { ...linksOf(n, kind), by: 'position', after: -1 })) {
      for (; next < Number(row.position); next++) yield LOST_MESSAGE;
      yield this.#texts.entry(n, row) ?? LOST_MESSAGE;
      next++;
    }
  }

  /** One entry of a pool; undefined beyond its end. */
  poolItem(n: number, kind: 'message' | 'call', position: number): string | undefined {
    const row = this.rows.one('links', 'attempt = ? AND kind = ? AND position = ?', n, kind, position);
    return row && (this.#texts.entry(n, row) ?? LOST_MESSAGE);
  }

  *attachments(n: number): Iterable<{ readonly hash: string; readonly text: string }> {
    for (const row of this.rows.many('links', { ...linksOf(n, 'attachment'), by: 'position', after: -1 })) {
      const text = this.#texts.linked(n, row);
      if (text !== undefined) yield { hash: textOf(row.hash), text };
    }
  }

  *answers(n: number): Iterable<SampleAnswer> {
    for (const row of this.rows.many('answers', { where: 'attempt = ?', values: [n] })) {
      const data = this.#texts.whole(n, row.data);
      const { kind, digest, occurrence } = row;
      const answer = isJsonObject(data)
        ? readAnswer({ ...data, kind: textOf(kind), digest: textOf(digest), occurrence: Number(occurrence) })
        : undefined;
      if (answer) yield answer;
    }
  }

  answerCount(n: number): number {
    return this.rows.number('SELECT count(*) FROM answers WHERE attempt = ?', n);
  }

  /** Which samples come from other logs; their summaries are read one by one. The last word for a sample counts. */
  *reused(): Iterable<ReusedOutline> {
    if (this.rows.ask('SELECT 1 FROM reused LIMIT 1').length === 0) return;
    for (const row of this.rows.many('reused')) {
      const last = this.rows.number(LAST_REUSED, textOf(row.sample_id), Number(row.epoch));
      if (last !== row.n) continue;
      yield {
        n: Number(row.n),
        id: this.#idOf(row, textOf(row.summary)),
        epoch: Number(row.epoch),
        log: textOf(row.log),
        runId: textOf(row.run),
        mode: row.mode === 'any' ? 'any' : 'same',
      };
    }
  }

  reusedSummary(n: number): EvalSampleSummary {
    const row = this.rows.one('reused', 'n = ?', n);
    const summary = row && readSummary(tryParse(textOf(row.summary)));
    if (!summary) throw damagedJournal(this.place, `the summary of reused sample ${n} is damaged`);
    return summary;
  }

  contentText(hash: string): string | undefined {
    return this.#texts.content(hash);
  }

  /** What all answers cost that this journal or one attempt of it bought, as far as their prices are known. */
  spentUsd(n?: number): number {
    return n === undefined ? this.rows.spentUsd() : this.rows.spentUsd('attempt = ?', n);
  }

  /** True when an attempt holds something that was paid for: an answer or an output. */
  isPaid(n: number): boolean {
    const tables = ['answers', 'outputs'];
    return tables.some((table) => this.rows.number(`SELECT count(*) FROM ${table} WHERE attempt = ?`, n) > 0);
  }

  /** True when it holds nothing that cost anything: no answer, no output, no result, nothing reused. */
  isUnpaid(): boolean {
    const tables = ['answers', 'outputs', 'results', 'reused'];
    return tables.every((table) => this.rows.ask(`SELECT 1 FROM ${table} LIMIT 1`).length === 0);
  }

  /** What is known to be damaged: of a dead journal all of it, of a living one what was met so far. */
  damage(): JournalDamage {
    return this.#notes.take();
  }

  /** Closing twice is fine. The reader of a writer closes with that writer. */
  close(): void {
    if (!this.#isBorrowed) this.rows.close();
  }

  /** A damaged attempt has no result: what there is of it is replayed [JRN-10]. */
  #result(n: number): { readonly row: Row; readonly status: AttemptStatus } | undefined {
    const row = this.rows.one('results', 'attempt = ?', n);
    const status = statusOf(row?.status);
    return row && status && !this.#notes.isDamaged(n) ? { row, status } : undefined;
  }

  #startFields(n: number): SampleFields | undefined {
    const start = this.attempt(n);
    return start && wholeFields(startFields(start));
  }

  /** A result repeats nothing that its attempt's own row says. */
  #fields(n: number, result: Row): SampleFields | undefined {
    const start = this.#startFields(n);
    const own = checkFields(this.#texts.whole(n, result.data));
    return start && own && { ...start, ...own };
  }

  #toOutline(row: Row): AttemptOutline {
    const n = Number(row.n);
    const isDamaged = this.#notes.isDamaged(n);
    return {
      n,
      id: this.#idOf(row, textOf(row.start)),
      epoch: Number(row.epoch),
      key: asDigest(textOf(row.key)),
      origin: this.#originOf(row),
      status: isDamaged ? undefined : statusOf(row.status),
      isDamaged,
    };
  }

  #toAttempt(row: Row): AttemptRow | undefined {
    const n = Number(row.n);
    const data = checkAttemptData(this.#texts.asFarAsThere(n, row.data));
    if (!data) return undefined;
    const status = statusOf(this.rows.select('SELECT status FROM results WHERE attempt = ?', n)[0]?.status);
    const isDamaged = this.#notes.isDamaged(n);
    const start: AttemptStart = {
      id: this.#idOf(row, textOf(row.data)),
      epoch: Number(row.epoch),
      key: asDigest(textOf(row.key)),
      uuid: data.uuid,
      startedAt: data.startedAt,
      ...(data.earlier ? { earlier: data.earlier } : {}),
      sample: data.sample,
    };
    return { ...start, n, origin: this.#originOf(row), status: isDamaged ? undefined : status, isDamaged };
  }

  /** The id is a number when the document beside it says so: its text is the same for 1 and "1". */
  #idOf(row: Row, document: string): SampleId {
    const text = textOf(row.sample_id);
    if (this.version === 1) return toSampleId(tryParse(text)) ?? text;
    return idOfText(text, document.startsWith('{"id":') && !document.startsWith('{"id":"'));
  }

  #originOf(row: Row): Origin {
    return typeof row.origin === 'string'
      ? row.origin
      : `${this.run().runId}/${this.writer().writer}/${Number(row.n)}`;
  }
}

const OUTLINE_ROWS = 512;
export const SELECT_OUTLINE = `SELECT a.n AS n, a.sample_id AS sample_id, a.epoch AS epoch, a.key AS key, a.origin AS origin,
  substr(a.data, 1, 8) AS start, r.status AS status
  FROM attempts a LEFT JOIN results r ON r.attempt = a.n WHERE a.n > ? ORDER BY a.n LIMIT ${OUTLINE_ROWS}`;

const SELECT_FOREIGN = 'SELECT origin FROM attempts WHERE substr(origin, 1, ?) <> ?';
const SELECT_COPIES = 'SELECT n, origin FROM attempts WHERE instr(origin, ?) > 0';
const AT_SAMPLE = 'sample_id IN (?, ?) AND epoch = ?';
const SELECT_NUMBERS = `SELECT n FROM attempts WHERE ${AT_SAMPLE} ORDER BY n`;
const SELECT_SAMPLE = 'SELECT sample_id, epoch, substr(data, 1, 8) AS start FROM attempts WHERE n = ?';
const LAST_REUSED = 'SELECT max(n) FROM reused WHERE sample_id = ? AND epoch = ?';

function linksOf(n: number, kind: string) {
  return { where: 'attempt = ? AND kind = ?', values: [n, kind] };
}

/** One text for all attempts, not a copy for each. */
function statusOf(value: unknown): AttemptStatus | undefined {
  if (value === 'completed') return 'completed';
  return value === 'errored' ? 'errored' : undefined;
}

function toSampleId(value: Json | undefined): SampleId | undefined {
  return typeof value === 'string' || typeof value === 'number' ? value : undefined;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
