// What a crashed eval of Inspect leaves, made by hand: for tests that need one thing to be just so.

import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { digestOf, type Json, type JsonObject, stringifyJson } from '../../src/base/index.ts';
import { nodeDisk } from '../../src/disk/index.ts';
import {
  type CompressionMethod,
  createLogFile,
  type EvalSpec,
  type LogFile,
  type LogHeader,
  type LogStart,
  type SampleFields,
  summarize,
} from '../../src/log/index.ts';
import { fixtureHeader } from './log-fixture.ts';

export const CREATED = '2026-01-02T03:04:05+00:00';
export const LOG_NAME = '2026-01-02T03-04-05+00-00_crashed_TASKID.eval';
/** A process id that never lives. */
export const DEAD_PID = 999_999_999;

export interface MadeEvent {
  readonly sample?: string;
  readonly epoch?: number;
  /** Versions of one event share it; '' for none. */
  readonly id?: string;
  readonly event: JsonObject;
}

export interface MadeRow {
  readonly sample?: string;
  readonly epoch?: number;
  readonly key: string;
  readonly data: Json;
}

export interface MadeBuffer {
  readonly samples?: readonly {
    readonly summary: JsonObject;
    readonly metadata?: Json;
  }[];
  readonly events?: readonly MadeEvent[];
  readonly messages?: readonly MadeRow[];
  readonly calls?: readonly MadeRow[];
  readonly attachments?: readonly {
    readonly sample?: string;
    readonly epoch?: number;
    readonly hash: string;
    readonly text: string;
  }[];
  /** `old`: before pools (0.3.93). `pools`: 0.3.206. `new`: with metadata columns (0.3.250). */
  readonly schema?: 'old' | 'pools' | 'new';
}

/** Makes the tables of a buffer database and fills them, rows numbered from 1 as Inspect does. */
export function fillBuffer(db: DatabaseSync, buffer: MadeBuffer): void {
  const schema = buffer.schema ?? 'new';
  const metadata = schema === 'new' ? ', sample_metadata TEXT, sample_metadata_hash TEXT' : '';
  db.exec(`
    CREATE TABLE task_database (version INTEGER PRIMARY KEY DEFAULT 1, metrics TEXT DEFAULT '[]', last_updated DATETIME);
    CREATE TABLE samples (id TEXT, epoch INTEGER, data TEXT${metadata}, PRIMARY KEY (id, epoch));
    CREATE TABLE events (id INTEGER PRIMARY KEY AUTOINCREMENT, event_id TEXT, sample_id TEXT, sample_epoch INTEGER, data TEXT);
    CREATE TABLE attachments (id INTEGER PRIMARY KEY AUTOINCREMENT, sample_id TEXT, sample_epoch INTEGER, hash TEXT, content TEXT,
      UNIQUE (sample_id, sample_epoch, hash));
  `);
  if (schema !== 'old') {
    db.exec(`
      CREATE TABLE message_pool (id INTEGER PRIMARY KEY AUTOINCREMENT, sample_id TEXT, sample_epoch INTEGER, msg_id TEXT, data TEXT);
      CREATE TABLE call_pool (id INTEGER PRIMARY KEY AUTOINCREMENT, sample_id TEXT, sample_epoch INTEGER, hash TEXT, data TEXT);
    `);
  }
  for (const { summary, metadata: full } of buffer.samples ?? []) {
    const row = [
      String(summary.id),
      Number(summary.epoch ?? 1),
      stringifyJson({ epoch: 1, ...summary }),
    ] as const;
    if (schema === 'new')
      db.prepare('INSERT INTO samples VALUES (?, ?, ?, ?, ?)').run(
        ...row,
        full === undefined ? null : stringifyJson(full),
        full === undefined ? null : 'hash',
      );
    else db.prepare('INSERT INTO samples VALUES (?, ?, ?)').run(...row);
  }
  for (const { sample = '1', epoch = 1, id, event } of buffer.events ?? []) {
    const text = JSON.stringify(event, null, 2);
    const eventId = id ?? (typeof event.uuid === 'string' ? event.uuid : '');
    db.prepare('INSERT INTO events (event_id, sample_id, sample_epoch, data) VALUES (?, ?, ?, ?)').run(
      eventId,
      sample,
      epoch,
      text,
    );
  }
  const pool = (table: string, column: string, rows: readonly MadeRow[] = []) => {
    for (const { sample = '1', epoch = 1, key, data } of rows)
      db.prepare(`INSERT INTO ${table} (sample_id, sample_epoch, ${column}, data) VALUES (?, ?, ?, ?)`).run(
        sample,
        epoch,
        key,
        stringifyJson(data),
      );
  };
  pool('message_pool', 'msg_id', buffer.messages);
  pool('call_pool', 'hash', buffer.calls);
  for (const { sample = '1', epoch = 1, hash, text } of buffer.attachments ?? [])
    db.prepare('INSERT INTO attachments (sample_id, sample_epoch, hash, content) VALUES (?, ?, ?, ?)').run(
      sample,
      epoch,
      hash,
      text,
    );
}

/** Puts a buffer database where Inspect would look for that of a log. Returns its path. */
export async function placeDatabase(
  place: { readonly dataDir: string; readonly logDir: string; readonly name?: string; readonly pid?: number },
  buffer: MadeBuffer,
): Promise<string> {
  const folder = join(place.dataDir, 'inspect_ai/samplebuffer', digestOf(pathToFileURL(place.logDir).href));
  await mkdir(folder, { recursive: true });
  const path = join(folder, `${place.name ?? LOG_NAME}.${place.pid ?? DEAD_PID}.db`);
  const db = new DatabaseSync(path);
  fillBuffer(db, buffer);
  db.close();
  return path;
}

export interface MadeSegmentRow {
  readonly [key: string]: Json;
}

/** One sample's part of a segment. */
export interface MadeSegmentMember {
  readonly events?: readonly MadeSegmentRow[];
  readonly attachments?: readonly MadeSegmentRow[];
  readonly message_pool?: readonly MadeSegmentRow[];
  readonly call_pool?: readonly MadeSegmentRow[];
}

export interface MadeFilestore {
  readonly manifest?: Json;
  readonly segments: Readonly<Record<number, Readonly<Record<string, MadeSegmentMember>>>>;
  readonly method?: CompressionMethod;
}

/** Writes a `.buffer/<log>` folder. Returns its path. */
export async function placeFilestore(logDir: string, made: MadeFilestore, name = LOG_NAME): Promise<string> {
  const folder = join(logDir, '.buffer', name.replace(/\.eval$/, ''));
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, '.keep'), '');
  for (const [number, members] of Object.entries(made.segments)) {
    const options = made.method === undefined ? {} : { method: made.method };
    const file = await createLogFile(nodeDisk, join(folder, `segment.${number}.zip`), options);
    for (const [member, data] of Object.entries(members))
      await file.writeJson(member, {
        events: [],
        attachments: [],
        message_pool: [],
        call_pool: [],
        ...data,
      } as Json);
    await file.finish();
  }
  if (made.manifest !== undefined) {
    const text = typeof made.manifest === 'string' ? made.manifest : JSON.stringify(made.manifest, null, 2);
    await writeFile(join(folder, 'manifest.json'), text);
  }
  return folder;
}

export function segmentEvent(row: number, event: JsonObject, sample = '1', epoch = 1): MadeSegmentRow {
  return { id: row, event_id: event.uuid ?? '', sample_id: sample, epoch, event };
}

export function segmentMessage(row: number, data: Json, sample = '1', epoch = 1): MadeSegmentRow {
  return { id: row, sample_id: sample, epoch, msg_id: `m${row}`, data: stringifyJson(data) };
}

export function logStart(more: Partial<EvalSpec> = {}): LogStart {
  return {
    version: 2,
    eval: {
      eval_id: 'EVALID',
      run_id: 'RUNID',
      created: CREATED,
      task: 'crashed',
      task_id: 'TASKID',
      task_version: 0,
      task_attribs: {},
      task_args: {},
      task_args_passed: {},
      dataset: { samples: 4, sample_ids: [1, 2, 3, 4] },
      model: 'mock/model',
      model_generate_config: {},
      model_args: {},
      config: { epochs: 1 },
      packages: {},
      scorers: [{ name: 'match' }],
      ...more,
    },
    plan: { name: 'plan', steps: [{ solver: 'generate', params: {} }], config: {} },
  };
}

export function madeSample(id: string | number, more: Partial<SampleFields> = {}): SampleFields {
  return {
    id,
    epoch: 1,
    input: `question ${id}`,
    target: 'yes',
    messages: [
      { role: 'user', content: `question ${id}` },
      { role: 'assistant', content: 'yes' },
    ],
    output: { choices: [{ message: { role: 'assistant', content: 'yes' }, stop_reason: 'stop' }] },
    scores: { match: { value: 'C' } },
    metadata: {},
    store: {},
    model_usage: { 'mock/model': { input_tokens: 10, output_tokens: 5, total_tokens: 15 } },
    role_usage: {},
    uuid: `flushed-${id}`,
    started_at: '2026-01-02T03:04:06+00:00',
    completed_at: '2026-01-02T03:05:06+00:00',
    ...more,
  };
}

/** A log without an end: start, samples in batches, and (unless told otherwise) their summaries. */
export async function placeCrashedLog(
  path: string,
  made: {
    readonly batches?: readonly (readonly SampleFields[])[];
    readonly start?: LogStart;
    readonly method?: CompressionMethod;
    readonly summaries?: boolean;
  } = {},
): Promise<string> {
  await mkdir(dirname(path), { recursive: true });
  const file = await createLogFile(nodeDisk, path, made.method === undefined ? {} : { method: made.method });
  await file.writeStart(made.start ?? logStart());
  for (const batch of made.batches ?? []) {
    for (const fields of batch) await writeBare(file, fields);
    if (made.summaries !== false) await file.writeSummaryBatch(batch.map(summarize));
  }
  await file.finish();
  return path;
}

/** A log with its end: a success, unless told otherwise. */
export async function placeFinishedLog(
  path: string,
  made: {
    readonly samples?: readonly SampleFields[];
    readonly spec?: Partial<EvalSpec>;
    readonly status?: LogHeader['status'];
    readonly invalidated?: boolean;
  } = {},
): Promise<string> {
  const start = logStart(made.spec);
  const { samples = [], status = 'success', invalidated = false } = made;
  const file = await createLogFile(nodeDisk, path);
  await file.writeStart(start);
  for (const fields of samples) await writeBare(file, fields);
  await file.writeSummaries(samples.map(summarize));
  await file.writeHeader(fixtureHeader({ ...start, status, invalidated }));
  await file.finish();
  return path;
}

/** A sample without a transcript. */
function writeBare(file: LogFile, fields: SampleFields): Promise<void> {
  return file.writeSample({ fields, events: [], attachments: [], messages: [], calls: [] });
}

let eventCount = 0;

/** An event with what every event has. */
export function madeEvent(tag: string, more: JsonObject = {}): JsonObject {
  eventCount++;
  return {
    uuid: `event-${eventCount}`,
    timestamp: '2026-01-02T03:04:07.000001+00:00',
    working_start: 0.5,
    event: tag,
    ...more,
  };
}

/** A model call that was answered: `input` as messages, or as references into the pool. */
export function modelEvent(
  made: {
    readonly input?: readonly Json[];
    readonly refs?: Json;
    readonly answer?: string;
    readonly role?: string;
    readonly pending?: boolean;
    readonly usage?: Json;
  },
  more: JsonObject = {},
): JsonObject {
  const { input = [], refs, answer = 'an answer', role, pending, usage } = made;
  return madeEvent('model', {
    model: 'mock/model',
    input: refs === undefined ? [...input] : [],
    ...(refs === undefined ? {} : { input_refs: refs }),
    tools: [],
    tool_choice: 'auto',
    config: {},
    ...(role === undefined ? {} : { role }),
    ...(pending ? { pending: true } : {}),
    output: pending
      ? { choices: [] }
      : {
          choices: [{ message: { role: 'assistant', content: answer }, stop_reason: 'stop' }],
          ...(usage === undefined ? {} : { usage }),
        },
    ...more,
  });
}

export function user(content: string, id?: string): JsonObject {
  return { role: 'user', content, ...(id === undefined ? {} : { id }) };
}
