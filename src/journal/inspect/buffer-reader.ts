import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import {
  isJsonObject,
  type Json,
  type JsonObject,
  JsonSyntaxError,
  messageOf,
  parseJson,
  sampleKeyText,
  stringifyJson,
} from '../../base/index.ts';
import { type BufferProblem, bufferErrors } from './buffer-problem.ts';
import { decodeJsonText, decodeText, encodeText } from './buffer-text.ts';
import { explainBufferError } from './open-buffer.ts';

export interface BufferKey {
  /** As the buffer names it: always text. */
  readonly id: string;
  readonly epoch: number;
}

export interface BufferedSample extends BufferKey {
  /** False: there are events, but the row that begins a sample never arrived, or cannot be read. */
  readonly hasRow: boolean;
  readonly isCompleted: boolean;
  /** What its row tells besides; each may be missing. */
  readonly uuid?: string;
  readonly startedAt?: string;
  readonly error?: string;
}

/** One row of a sample's events. Rows with one id are versions of one event; an empty id is unlike any other. */
export interface EventRow {
  readonly row: number;
  readonly eventId: string;
}

export interface PoolRow {
  readonly row: number;
  readonly key: string;
}

/** Rows of a sample that were once there: a segment that held them is missing or damaged. */
export interface BufferGap {
  readonly segment: number;
  /** What comes after the last row that is there before the gap, by kind. */
  readonly after: { readonly event: number; readonly message: number; readonly call: number };
}

export type PoolKind = 'message' | 'call';

/** What Inspect's buffer holds of a run: in its database, or in segments that were brought into the same tables. */
export class BufferReader {
  readonly kind: 'database' | 'filestore';
  readonly place: string;
  readonly problems: BufferProblem[] = [];
  readonly #db: DatabaseSync;
  readonly #close: () => Promise<void>;
  readonly #columns: ReadonlyMap<string, ReadonlySet<string>>;
  readonly #statements = new Map<string, StatementSync>();
  readonly #gaps: ReadonlyMap<string, readonly BufferGap[]>;

  constructor(options: {
    readonly kind: 'database' | 'filestore';
    readonly place: string;
    readonly db: DatabaseSync;
    readonly close: () => Promise<void>;
    readonly problems?: readonly BufferProblem[];
    readonly gaps?: ReadonlyMap<string, readonly BufferGap[]>;
  }) {
    this.kind = options.kind;
    this.place = options.place;
    this.#db = options.db;
    this.#close = options.close;
    this.problems.push(...(options.problems ?? []));
    this.#gaps = options.gaps ?? new Map();
    this.#columns = readColumns(options.db, options.place);
    if (!isBuffer(this.#columns)) throw bufferErrors.foreign(options.place, 'another program made it');
  }

  /** Every sample that has a row or an event, in the order in which they first appear. */
  samples(): readonly BufferedSample[] {
    const found = new Map<string, BufferedSample>();
    if (this.#columns.size === 0) return [];
    for (const row of this.#rows(
      `SELECT ${bytes('id')}, epoch, ${bytes('data')} FROM samples ORDER BY rowid`,
    )) {
      const key = keyOf(row);
      const summary = this.#object(row.data, { ...key, what: 'summary' });
      found.set(sampleKeyText(key.id, key.epoch), { ...key, ...outlineOf(summary) });
    }
    const named = `SELECT DISTINCT CAST(sample_id AS BLOB) AS id, sample_epoch AS epoch FROM events`;
    for (const row of this.#rows(named)) {
      const key = keyOf(row);
      const name = sampleKeyText(key.id, key.epoch);
      if (!found.has(name)) found.set(name, { ...key, hasRow: false, isCompleted: false });
    }
    return [...found.values()];
  }

  /** The thinned form of the sample that its row holds. */
  summary(key: BufferKey): JsonObject | undefined {
    const sql = `SELECT ${bytes('data')} FROM samples WHERE id = ? AND epoch = ?`;
    const row = this.#one(sql, key.id, key.epoch);
    return row && this.#object(row.data, { ...key, what: 'summary' });
  }

  /** The metadata as it was, where it was kept besides the summary (since 0.3.250). */
  metadata(key: BufferKey): JsonObject | undefined {
    if (!this.#columns.get('samples')?.has('sample_metadata')) return undefined;
    const sql = 'SELECT CAST(sample_metadata AS BLOB) AS text FROM samples WHERE id = ? AND epoch = ?';
    const text = this.#one(sql, key.id, key.epoch)?.text ?? undefined;
    return text === undefined ? undefined : this.#object(text, { ...key, what: 'metadata' });
  }

  eventRows(key: BufferKey): readonly EventRow[] {
    return [...this.iterateEventRows(key)];
  }

  *iterateEventRows(key: BufferKey): Iterable<EventRow> {
    const sql = `SELECT id, ${bytes('event_id')} FROM events WHERE sample_id = ? AND sample_epoch = ? ORDER BY id`;
    for (const row of this.#rows(sql, key.id, key.epoch)) {
      yield { row: Number(row.id), eventId: decodeText(row.event_id) ?? '' };
    }
  }

  /** How many rows of events a sample has. */
  countEvents(key: BufferKey): number {
    const sql = 'SELECT count(*) AS count FROM events WHERE sample_id = ? AND sample_epoch = ?';
    return Number(this.#one(sql, key.id, key.epoch)?.count ?? 0);
  }

  /** The compact text of one row and its tag; undefined, and a problem, when it is damaged or gone. */
  event(row: number): { readonly tag: string; readonly json: string } | undefined {
    const found = this.#one(EVENT, row);
    const json = decodeJsonText(found?.json);
    if (json === undefined) return undefined;
    if (typeof found?.tag === 'string') return { tag: found.tag, json };
    // Strict JSON with a tag it is not: NaN is allowed here, anything else is damage.
    const event = this.#object(found?.json, { what: `event row ${row}` });
    if (!event || typeof event.event === 'string')
      return event && { tag: String(event.event), json: stringifyJson(event) };
    this.#noteRow({ what: `event row ${row}` }, 'it does not say what kind of event it is');
    return undefined;
  }

  poolRows(key: BufferKey, kind: PoolKind): readonly PoolRow[] {
    const { table, column } = POOLS[kind];
    if (!this.#columns.has(table)) return [];
    const sql = `SELECT id, CAST(${column} AS BLOB) AS key FROM ${table} WHERE sample_id = ? AND sample_epoch = ? ORDER BY id`;
    return Array.from(this.#rows(sql, key.id, key.epoch), (row) => ({
      row: Number(row.id),
      key: decodeText(row.key) ?? '',
    }));
  }

  /** The compact JSON text of a pool row. */
  poolText(kind: PoolKind, row: number): string | undefined {
    const sql = `SELECT CAST(CASE WHEN json_valid(data) THEN json(data) END AS BLOB) AS json, ${bytes('data')}
      FROM ${POOLS[kind].table} WHERE id = ?`;
    const found = this.#one(sql, row);
    const json = decodeJsonText(found?.json);
    if (!found || json !== undefined) return json;
    const value = this.#parse(found.data, { what: `${kind} row ${row}` });
    return value === undefined ? undefined : stringifyJson(value);
  }

  *attachments(key: BufferKey): Iterable<{ readonly hash: string; readonly text: string }> {
    if (!this.#columns.has('attachments')) return;
    const sql = `SELECT hash, ${bytes('content')} FROM attachments WHERE sample_id = ? AND sample_epoch = ? ORDER BY id`;
    for (const row of this.#rows(sql, key.id, key.epoch))
      yield { hash: String(row.hash), text: decodeText(row.content) ?? '' };
  }

  attachment(key: BufferKey, hash: string): string | undefined {
    if (!this.#columns.has('attachments')) return undefined;
    const sql = `SELECT ${bytes('content')} FROM attachments WHERE hash = ? AND sample_id = ? AND sample_epoch = ? LIMIT 1`;
    return decodeText(this.#one(sql, hash, key.id, key.epoch)?.content);
  }

  /** The last number that was given to an event of any sample. */
  lastEventRow(): number {
    return Number(this.#one('SELECT max(id) AS last FROM events')?.last ?? 0);
  }

  gaps(key: BufferKey): readonly BufferGap[] {
    return this.#gaps.get(sampleKeyText(key.id, key.epoch)) ?? [];
  }

  /** Closing twice is fine. */
  async close(): Promise<void> {
    if (this.#db.isOpen) await this.#close();
  }

  /** Damage ends a query early: what came before it counts, and the problem is said. */
  *#rows(sql: string, ...values: SQLInputValue[]): Iterable<Record<string, unknown>> {
    try {
      yield* this.#db.prepare(sql).iterate(...values.map(toParameter));
    } catch (error) {
      this.#note(explainBufferError(error, this.place));
    }
  }

  /** For what is asked once an event: the statement is kept. */
  #one(sql: string, ...values: SQLInputValue[]): Record<string, unknown> | undefined {
    try {
      const statement = this.#statements.get(sql) ?? this.#db.prepare(sql);
      this.#statements.set(sql, statement);
      return statement.get(...values.map(toParameter));
    } catch (error) {
      this.#note(explainBufferError(error, this.place));
      return undefined;
    }
  }

  #note(error: unknown): void {
    const code: unknown = error instanceof Error ? Reflect.get(error, 'code') : undefined;
    if (code !== 'E_BUFFER_DAMAGED' && code !== 'E_BUFFER_UNREADABLE') throw error;
    const message = messageOf(error);
    if (!this.problems.some((problem) => problem.message === message)) this.problems.push({ code, message });
  }

  #object(text: unknown, where: Partial<BufferKey> & { readonly what: string }): JsonObject | undefined {
    const value = this.#parse(text, where);
    if (value === undefined || isJsonObject(value)) return value;
    this.#noteRow(where, 'it is not a JSON object');
    return undefined;
  }

  #parse(text: unknown, where: Partial<BufferKey> & { readonly what: string }): Json | undefined {
    try {
      return parseJson(decodeJsonText(text) ?? '');
    } catch (error) {
      if (!(error instanceof JsonSyntaxError)) throw error;
      this.#noteRow(where, messageOf(error));
      return undefined;
    }
  }

  #noteRow({ id, epoch, what }: Partial<BufferKey> & { readonly what: string }, because: string): void {
    const sample = id === undefined || epoch === undefined ? undefined : { id, epoch };
    const message = `A ${what} in ${this.place} cannot be read: ${because}`;
    if (this.problems.some((problem) => problem.message === message)) return;
    this.problems.push({ code: 'E_BUFFER_ROW', message, ...(sample && { sample }) });
  }
}

/** A column as bytes, under its own name. */
function bytes(column: string): string {
  return `CAST(${column} AS BLOB) AS ${column}`;
}

function toParameter(value: SQLInputValue): SQLInputValue {
  return typeof value === 'string' ? encodeText(value) : value;
}

function keyOf(row: Readonly<Record<string, unknown>>): BufferKey {
  return { id: decodeText(row.id) ?? '', epoch: Number(row.epoch) };
}

/** What the row of a sample says of it at a glance. */
function outlineOf(summary: JsonObject | undefined): Omit<BufferedSample, keyof BufferKey> {
  const { uuid, started_at: startedAt, error, completed_at: completedAt, completed } = summary ?? {};
  return {
    hasRow: summary !== undefined,
    isCompleted: (completedAt ?? null) !== null || completed === true,
    ...(typeof uuid === 'string' ? { uuid } : {}),
    ...(typeof startedAt === 'string' ? { startedAt } : {}),
    ...(typeof error === 'string' ? { error } : {}),
  };
}

const POOLS = {
  message: { table: 'message_pool', column: 'msg_id' },
  call: { table: 'call_pool', column: 'hash' },
} as const;

/** SQLite makes the text compact far faster than we could. What is not strict JSON comes without a tag. */
const EVENT = `SELECT CAST(CASE WHEN json_valid(data) THEN json(data) ELSE data END AS BLOB) AS json,
  CASE WHEN json_valid(data) THEN json_extract(data, '$.event') END AS tag
  FROM events WHERE id = ?`;

/** A database without any table is one whose first transaction never arrived. */
function isBuffer(columns: ReadonlyMap<string, ReadonlySet<string>>): boolean {
  if (columns.size === 0) return true;
  return Boolean(columns.get('events')?.has('event_id') && columns.get('samples')?.has('data'));
}

function readColumns(db: DatabaseSync, place: string): Map<string, Set<string>> {
  const columns = new Map<string, Set<string>>();
  try {
    const sql =
      "SELECT t.name AS name, c.name AS col FROM sqlite_schema t, pragma_table_info(t.name) c WHERE t.type = 'table'";
    for (const { name, col } of db.prepare(sql).iterate()) {
      const known = columns.get(String(name)) ?? new Set();
      columns.set(String(name), known.add(String(col)));
    }
  } catch (error) {
    throw explainBufferError(error, place);
  }
  return columns;
}
