import { join } from 'node:path';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { ActionableError, type Json, messageOf, stringifyJson } from '../../base/index.ts';
import type { Bucket } from '../../bucket/index.ts';
import { type Disk, tempPathFor } from '../../disk/index.ts';
import {
  type ByteSource,
  DEFAULT_LIMITS,
  MemberJson,
  pagedSource,
  scanTornZip,
  ZipReader,
} from '../../log/index.ts';
import type { BufferProblem } from './buffer-problem.ts';
import { BufferReader } from './buffer-reader.ts';
import { encodeText, escapeSurrogates } from './buffer-text.ts';
import { type Filestore, findGaps, keyOf, readSidecar, segmentKeyOf } from './filestore.ts';

/**
 * Brings the segments of a filestore into the tables of a buffer database, in a temporary file. Rows keep the numbers
 * that the database gave them, and a row that several segments hold is taken once: so what was split over segments is
 * whole again, in its order, however often it was written.
 */
export async function spoolFilestore(
  disk: Disk,
  filestore: Filestore,
  options: { readonly scratchDir: string },
): Promise<BufferReader> {
  const path = tempPathFor(join(options.scratchDir, 'spool'));
  const db = new DatabaseSync(path);
  const close = async () => {
    db.close();
    await disk.remove(path);
  };
  try {
    db.exec(TABLES);
    const spool = new Spool(db, filestore);
    await spool.run();
    const gaps = findGaps(filestore.manifest, spool.whole);
    const problems = [...filestore.problems, ...spool.problems];
    return new BufferReader({ kind: 'filestore', place: filestore.place, db, close, problems, gaps });
  } catch (error) {
    await close();
    throw error;
  }
}

/** Nothing here must survive: what is lost is made again from the segments. */
const TABLES = `
PRAGMA journal_mode = OFF;
PRAGMA synchronous = OFF;
PRAGMA cache_size = -32000;
CREATE TABLE samples (id TEXT, epoch INTEGER, data TEXT, sample_metadata TEXT, PRIMARY KEY (id, epoch));
CREATE TABLE events (id INTEGER PRIMARY KEY, event_id TEXT, sample_id TEXT, sample_epoch INTEGER, data TEXT);
CREATE INDEX events_by_sample ON events (sample_id, sample_epoch, event_id, id);
CREATE TABLE attachments (
  id INTEGER PRIMARY KEY, sample_id TEXT, sample_epoch INTEGER, hash TEXT, content TEXT,
  UNIQUE (sample_id, sample_epoch, hash)
);
CREATE TABLE message_pool (
  id INTEGER PRIMARY KEY, sample_id TEXT, sample_epoch INTEGER, msg_id TEXT, data TEXT
);
CREATE INDEX messages_by_sample ON message_pool (sample_id, sample_epoch);
CREATE TABLE call_pool (
  id INTEGER PRIMARY KEY, sample_id TEXT, sample_epoch INTEGER, hash TEXT, data TEXT
);
CREATE INDEX calls_by_sample ON call_pool (sample_id, sample_epoch);
`;

/** A list of a segment member, the table it goes to, and the key of each column. */
const LISTS = {
  events: { table: 'events', keys: ['id', 'event_id', 'sample_id', 'epoch', 'event'] },
  attachments: { table: 'attachments', keys: ['id', 'sample_id', 'epoch', 'hash', 'content'] },
  message_pool: { table: 'message_pool', keys: ['id', 'sample_id', 'epoch', 'msg_id', 'data'] },
  call_pool: { table: 'call_pool', keys: ['id', 'sample_id', 'epoch', 'hash', 'data'] },
} as const;

type ListName = keyof typeof LISTS;
const isListName = (name: unknown): name is ListName =>
  typeof name === 'string' && Object.hasOwn(LISTS, name);

class Spool {
  readonly whole = new Set<number>();
  readonly problems: BufferProblem[] = [];
  readonly #filestore: Filestore;
  readonly #db: DatabaseSync;
  readonly #inserts: Readonly<Record<ListName, (row: SQLInputValue[]) => void>>;

  constructor(db: DatabaseSync, filestore: Filestore) {
    this.#db = db;
    this.#filestore = filestore;
    const insert = (name: ListName) => {
      const { table, keys } = LISTS[name];
      const marks = keys.map(() => '?').join(', ');
      const statement = db.prepare(`INSERT OR IGNORE INTO ${table} VALUES (${marks})`);
      return (row: SQLInputValue[]) => void statement.run(...row);
    };
    this.#inserts = {
      events: insert('events'),
      attachments: insert('attachments'),
      message_pool: insert('message_pool'),
      call_pool: insert('call_pool'),
    };
  }

  async run(): Promise<void> {
    for (const segment of this.#filestore.segments) {
      this.#db.exec('BEGIN');
      await this.#addSegment(segment);
      this.#db.exec('COMMIT');
    }
    await this.#addSamples();
  }

  async #addSegment(segment: number): Promise<void> {
    const { bucket, place } = this.#filestore;
    const source = await openBucketSource(bucket, segmentKeyOf(this.#filestore, segment));
    const name = `segment.${segment}.zip in ${place}`;
    if (!source) return this.#note(`${name} is missing.`);
    try {
      const zip = await this.#openZip(source, name);
      let isWhole = zip !== undefined;
      for (const entry of zip?.entries.values() ?? []) {
        const isRead = await this.#addMember(zip as ZipReader, entry.name, name);
        isWhole &&= isRead;
      }
      if (isWhole) this.whole.add(segment);
    } finally {
      await source.close();
    }
  }

  /** A torn segment may still hold whole members, which its local headers name. */
  async #openZip(source: ByteSource, name: string): Promise<ZipReader | undefined> {
    try {
      return await ZipReader.open(source);
    } catch (error) {
      if (!(error instanceof ActionableError)) throw error;
      const { zip } = await scanTornZip(source);
      if (zip.entries.size > 0) {
        for (const entry of zip.entries.keys()) await this.#addMember(zip, entry, name);
        this.#note(`${name} is torn; ${zip.entries.size} of its members could be read.`);
      } else this.#note(`${name} is no ZIP or is damaged: ${messageOf(error)}`);
      return undefined;
    }
  }

  async #addMember(zip: ZipReader, entryName: string, name: string): Promise<boolean> {
    const entry = zip.entries.get(entryName);
    if (!entry) return false;
    const member = new MemberJson({
      path: name,
      member: entry.name,
      sizeBytes: entry.sizeBytes,
      open: () => zip.readMember(entry),
      limits: DEFAULT_LIMITS,
    });
    try {
      await this.#addRows(member);
      return true;
    } catch (error) {
      if (!(error instanceof ActionableError)) throw error;
      // Rows that came before the damage are whole themselves, so they stay.
      this.#note(`${entry.name} of ${name} is damaged: ${messageOf(error)}`);
      return false;
    }
  }

  async #addRows(member: MemberJson): Promise<void> {
    let at: string | undefined;
    let list: ListName = 'events';
    let row: Record<string, SQLInputValue> = {};
    const flush = () => {
      const { keys } = LISTS[list];
      if (at !== undefined && typeof row.id === 'number')
        this.#inserts[list](keys.map((key) => row[key] ?? null));
      row = {};
    };
    for await (const { path, bytes } of member.split({ decide: enterRows })) {
      const [name, index, key] = path;
      if (!isListName(name) || typeof key !== 'string') continue;
      const place = `${name} ${index}`;
      if (place !== at) {
        flush();
        at = place;
        list = name;
      }
      row[key] = key === 'event' ? Buffer.from(bytes).toString('utf8') : toColumn(member.parse(bytes), key);
    }
    flush();
  }

  async #addSamples(): Promise<void> {
    const insert = this.#db.prepare('INSERT OR REPLACE INTO samples VALUES (?, ?, ?, ?)');
    for (const sample of this.#filestore.manifest?.samples ?? []) {
      const { id, epoch } = keyOf(sample);
      const { text, problem } = await readSidecar(this.#filestore, sample);
      if (problem) this.problems.push(problem);
      insert.run(encodeText(id), epoch, stringifyJson(sample.summary), text ?? null);
    }
  }

  #note(message: string): void {
    this.problems.push({ code: 'E_BUFFER_SEGMENT', message });
  }
}

/** Reads an object of a bucket by ranges; undefined when there is none. */
export async function openBucketSource(bucket: Bucket, key: string): Promise<ByteSource | undefined> {
  const stat = await bucket.stat(key);
  if (!stat) return undefined;
  const name = `${bucket.url.replace(/\/$/, '')}/${key}`;
  return pagedSource({
    name,
    sizeBytes: stat.sizeBytes,
    readNow: async (start, length) => (await bucket.readRange(key, { start, length })) ?? new Uint8Array(),
  });
}

/** The event itself is taken as text: it is written again as it is. */
function enterRows(path: readonly (string | number)[]): 'enter' | 'take' | 'skip' {
  if (path.length === 0) return 'enter';
  if (!isListName(path[0])) return 'skip';
  if (path.length < 3) return 'enter';
  return 'take';
}

/** The data of a pool is JSON, in which a half of a surrogate pair has an escape; other texts are kept as bytes then. */
function toColumn(value: Json, key: string): SQLInputValue {
  if (typeof value === 'string') return key === 'data' ? escapeSurrogates(value) : encodeText(value);
  if (typeof value === 'number' || typeof value === 'bigint') return value;
  return value === null ? null : stringifyJson(value);
}
