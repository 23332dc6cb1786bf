/** A crashed run of Inspect of any size, as its newest release leaves it: a buffer database, and a log that only began. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { digestOf } from '../../src/base/index.ts';
import { nodeDisk } from '../../src/disk/index.ts';
import { attachmentHash, createLogFile } from '../../src/log/index.ts';

export interface BigCrashSize {
  readonly samples: number;
  /** Events of each sample, about. */
  readonly events: number;
  /** Of all samples, the last so many are still running. */
  readonly running: number;
}

export interface BigCrash {
  readonly log: string;
  readonly logDir: string;
  /** What XDG_DATA_HOME must say. */
  readonly dataDir: string;
  readonly events: number;
  /** Of texts in the database: events, pools and attachments. */
  readonly sizeBytes: number;
}

const NAME = '2026-11-15T12-00-00-00-00_big_BigCrashOfTheBenchmark';
const TASK_ID = 'BigCrashOfTheBenchmark';
/** The largest that a process can have on the usual systems is far below. */
const DEAD_PID = 999_999_999;
const EVENTS_OF_A_TURN = 3;
/** An agent that compacts: each call sees the first message and so many of the last. */
const WINDOW_MESSAGES = 40;
const COMMIT_EVERY_TURNS = 2_000;

export async function makeBigCrash(dir: string, size: BigCrashSize): Promise<BigCrash> {
  const logDir = join(dir, 'logs');
  const dataDir = join(dir, 'data');
  const buffer = join(dataDir, 'inspect_ai/samplebuffer', digestOf(pathToFileURL(logDir).href));
  await mkdir(logDir, { recursive: true });
  await mkdir(buffer, { recursive: true });
  const log = join(logDir, `${NAME}.eval`);
  await writeStartedLog(log, size.samples);
  const database = new BufferDatabase(join(buffer, `${NAME}.eval.${DEAD_PID}.db`));
  for (let n = 1; n <= size.samples; n++)
    database.addSample(String(n), {
      turns: Math.max(1, Math.round(size.events / EVENTS_OF_A_TURN)),
      isCompleted: n <= size.samples - size.running,
    });
  database.close();
  return { log, logDir, dataDir, events: database.events, sizeBytes: database.sizeBytes };
}

async function writeStartedLog(path: string, samples: number): Promise<void> {
  const file = await createLogFile(nodeDisk, path);
  await file.writeStart({
    version: 2,
    eval: {
      eval_id: 'EvalOfTheBenchmark',
      run_id: 'RunOfTheBenchmark',
      created: '2026-11-15T12:00:00+00:00',
      task: 'big',
      task_id: TASK_ID,
      task_version: 0,
      task_attribs: {},
      task_args: {},
      task_args_passed: {},
      dataset: {
        name: 'big',
        samples,
        sample_ids: Array.from({ length: samples }, (_, index) => index + 1),
        shuffled: false,
      },
      model: 'mock/big',
      model_generate_config: {},
      model_args: {},
      config: { epochs: 1, fail_on_error: true, log_samples: true, log_realtime: true, log_images: true },
      packages: { inspect_ai: '0.3.285' },
      scorers: [{ name: 'includes', metrics: [{ name: 'accuracy', options: {} }] }],
    },
    plan: { name: 'plan', steps: [{ solver: 'generate', params: {}, params_passed: {} }], config: {} },
  });
  await file.finish();
}

const SCHEMA = `
  CREATE TABLE task_database (version INTEGER PRIMARY KEY DEFAULT 1, metrics TEXT DEFAULT '[]', last_updated DATETIME DEFAULT CURRENT_TIMESTAMP);
  CREATE TABLE samples (id TEXT, epoch INTEGER, data TEXT, sample_metadata TEXT, sample_metadata_hash TEXT, PRIMARY KEY (id, epoch));
  CREATE TABLE events (id INTEGER PRIMARY KEY AUTOINCREMENT, event_id TEXT, sample_id TEXT, sample_epoch INTEGER, data TEXT);
  CREATE INDEX idx_events_sample_uuid ON events(sample_id, sample_epoch, event_id, id);
  CREATE TABLE attachments (id INTEGER PRIMARY KEY AUTOINCREMENT, sample_id TEXT, sample_epoch INTEGER, hash TEXT, content TEXT, UNIQUE(sample_id, sample_epoch, hash));
  CREATE TABLE message_pool (id INTEGER PRIMARY KEY AUTOINCREMENT, sample_id TEXT, sample_epoch INTEGER, msg_id TEXT, data TEXT, UNIQUE(sample_id, sample_epoch, msg_id));
  CREATE TABLE call_pool (id INTEGER PRIMARY KEY AUTOINCREMENT, sample_id TEXT, sample_epoch INTEGER, hash TEXT, data TEXT, UNIQUE(sample_id, sample_epoch, hash));
  CREATE INDEX idx_events_sample ON events(sample_id, sample_epoch);
  CREATE INDEX idx_attachments_hash ON attachments(hash);
  INSERT INTO task_database DEFAULT VALUES;
`;

class BufferDatabase {
  readonly #db: DatabaseSync;
  readonly #event: StatementSync;
  readonly #attachment: StatementSync;
  readonly #message: StatementSync;
  readonly #call: StatementSync;
  readonly #sample: StatementSync;
  readonly #prose = new Prose();
  #serial = 0;
  events = 0;
  sizeBytes = 0;

  constructor(path: string) {
    this.#db = new DatabaseSync(path);
    this.#db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF;');
    this.#db.exec(SCHEMA);
    const insert = (table: string, columns: string) =>
      this.#db.prepare(
        `INSERT OR IGNORE INTO ${table} (${columns}) VALUES (${columns.replace(/\w+/g, '?')})`,
      );
    this.#event = insert('events', 'event_id, sample_id, sample_epoch, data');
    this.#attachment = insert('attachments', 'sample_id, sample_epoch, hash, content');
    this.#message = insert('message_pool', 'sample_id, sample_epoch, msg_id, data');
    this.#call = insert('call_pool', 'sample_id, sample_epoch, hash, data');
    this.#sample = insert('samples', 'id, epoch, data, sample_metadata, sample_metadata_hash');
  }

  addSample(
    id: string,
    { turns, isCompleted }: { readonly turns: number; readonly isCompleted: boolean },
  ): void {
    this.#db.exec('BEGIN');
    const question = { id: this.#name(), content: `Question ${id}?`, source: 'input', role: 'user' };
    const summary = {
      id: Number(id),
      epoch: 1,
      input: question.content,
      target: 'yes',
      metadata: {},
      uuid: this.#name(),
    };
    this.#addEvent(id, 'sample_init', {
      sample: { input: question.content, target: 'yes', id: Number(id), metadata: {} },
      state: {
        messages: [question],
        tools: [],
        store: {},
        output: { model: 'mock/big', choices: [], completion: '' },
        completed: false,
        metadata: {},
      },
    });
    this.#addMessage(id, question);
    for (let turn = 0; turn < turns; turn++) {
      this.#addTurn(id, turn);
      if (turn % COMMIT_EVERY_TURNS === COMMIT_EVERY_TURNS - 1) this.#db.exec('COMMIT; BEGIN');
    }
    if (isCompleted)
      this.#addEvent(id, 'score', {
        score: { value: 'C', answer: 'yes' },
        target: 'yes',
        intermediate: false,
      });
    const final = {
      scores: { includes: { value: 'C', answer: 'yes', history: [] } },
      model_usage: { 'mock/big': USAGE },
      started_at: TIME,
      completed_at: TIME,
      total_time: 1,
      working_time: 1,
      retries: 0,
      completed: true,
      message_count: 1 + 2 * turns,
    };
    const data = JSON.stringify(isCompleted ? { ...summary, ...final } : summary, undefined, 2);
    this.#sample.run(id, 1, data, isCompleted ? '{}' : null, isCompleted ? 'summary' : null);
    this.#db.exec('COMMIT');
  }

  close(): void {
    this.#db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    this.#db.close();
  }

  /** A call of the model that asks for a tool, what the tool said, and a note about it. */
  #addTurn(id: string, turn: number): void {
    const seen = 1 + 2 * turn;
    const refs =
      seen <= WINDOW_MESSAGES
        ? [[0, seen]]
        : [
            [0, 1],
            [seen - WINDOW_MESSAGES, seen],
          ];
    const said = this.#attach(id, 1_300);
    const found = this.#attach(id, 2_800);
    const asked = {
      id: `call_${turn}`,
      function: 'lookup',
      arguments: { key: this.#prose.take(60) },
      type: 'function',
    };
    const answer = {
      id: this.#name(),
      content: said,
      source: 'generate',
      role: 'assistant',
      tool_calls: [asked],
      model: 'big',
    };
    const result = {
      id: this.#name(),
      content: found,
      role: 'tool',
      tool_call_id: asked.id,
      function: 'lookup',
    };
    this.#addEvent(id, 'model', {
      model: 'mock/big',
      input: [],
      input_refs: refs,
      tools: TOOLS,
      tool_choice: 'auto',
      config: { temperature: 0.5 },
      output: {
        model: 'big',
        choices: [{ message: answer, stop_reason: 'tool_calls' }],
        completion: this.#prose.take(300),
        usage: USAGE,
        time: 0.5,
      },
      call: {
        request: { model: 'big' },
        response: { turn, text: this.#prose.take(80) },
        call_refs: refs,
        call_key: 'messages',
      },
      completed: TIME,
      working_time: 0.5,
    });
    this.#addEvent(id, 'tool', {
      ...asked,
      result: found,
      events: [],
      completed: TIME,
      working_time: 0.1,
      message_id: result.id,
    });
    this.#addEvent(id, 'info', {
      source: 'agent',
      data: { turn, note: this.#prose.take(90), more: this.#prose.take(90) },
    });
    this.#addMessage(id, answer);
    this.#addMessage(id, result);
  }

  /** As Inspect writes events: indented. */
  #addEvent(id: string, event: string, fields: object): void {
    const uuid = this.#name();
    const head = { uuid, span_id: 'span', timestamp: TIME, working_start: this.events / 1_000, event };
    const data = JSON.stringify({ ...head, ...fields }, undefined, 2);
    this.#event.run(uuid, id, 1, data);
    this.events++;
    this.sizeBytes += data.length;
  }

  #addMessage(id: string, message: object): void {
    const data = JSON.stringify(message);
    const name = this.#name();
    this.#message.run(id, 1, name, data);
    this.#call.run(id, 1, name, data);
    this.sizeBytes += 2 * data.length;
  }

  #attach(id: string, length: number): string {
    const text = this.#prose.take(length);
    const hash = attachmentHash(text);
    this.#attachment.run(id, 1, hash, text);
    this.sizeBytes += length;
    return `attachment://${hash}`;
  }

  /** 22 letters and digits without long runs of digits, as ids have. */
  #name(): string {
    return `Qh${(this.#serial++ + 1_000_000).toString(36).padEnd(8, 'x')}VbnzTkRwmLsd`;
  }
}

const TIME = '2026-11-15T12:00:00.000000+00:00';
const USAGE = { input_tokens: 100, output_tokens: 10, total_tokens: 115, input_tokens_cache_read: 5 };
const TOOLS = ['lookup', 'note'].map((name) => ({
  name,
  description: 'Does something with a word.',
  parameters: {
    type: 'object',
    properties: { key: { type: 'string', description: 'the word' } },
    required: ['key'],
    additionalProperties: false,
  },
}));

const WORDS =
  'amber anchor compass copper engine feather granite harbour lantern marble market meadow orchard river'.split(
    ' ',
  );
const PROSE_CHARACTERS = 8_000_000;

/** Filler that packs about as well as speech does, and comes in the same order every time. */
class Prose {
  readonly #text: string;
  #state = 7;

  constructor() {
    const parts: string[] = [];
    for (let length = 0; length < PROSE_CHARACTERS; ) {
      const n = this.#next();
      const word = n % 5 === 0 ? n.toString(36) : (WORDS[n % WORDS.length] ?? '');
      parts.push(word);
      length += word.length + 1;
    }
    this.#text = parts.join(' ');
  }

  take(length: number): string {
    const from = this.#next() % (this.#text.length - length);
    return this.#text.slice(from, from + length);
  }

  #next(): number {
    this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) >>> 0;
    return this.#state >>> 4;
  }
}
