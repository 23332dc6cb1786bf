import {
  ActionableError,
  DamageError,
  isJsonArray,
  isJsonObject,
  type Json,
  messageOf,
  type SampleKey,
  sampleKeyText,
} from '../base/index.ts';
import type { Disk } from '../disk/index.ts';
import { referredHash } from './attachment-rule.ts';
import type { StoredLogReader } from './log-reader.ts';
import { type OpenLogOptions, openStoredLog } from './open-log.ts';
import type { SampleContext } from './read-sample.ts';
import type { SamplePart } from './sample-document.ts';
import { sampleMemberName } from './sample-text.ts';
import { walkJson } from './walk.ts';

export interface VerifyReport {
  readonly path: string;
  readonly isWhole: boolean;
  readonly members: number;
  readonly samples: number;
  readonly problems: readonly LogProblem[];
}

export interface LogProblem {
  readonly member: string;
  /** The code of the error that reading it gives, or one of the three below. */
  readonly code: string;
  readonly message: string;
}

/**
 * Reads a log from end to end and lists all that is wrong with it: checksums, JSON, references without a target, a
 * list of samples that does not fit the samples [LOG-30]. Streams, so it needs no more memory than `events` does.
 * What is no log at all, or missing, is thrown.
 */
export async function verifyLog(
  disk: Disk,
  path: string,
  options: OpenLogOptions = {},
): Promise<VerifyReport> {
  const problems: LogProblem[] = [];
  const reader = await openStoredLog(disk, path, options).catch((error: unknown) => {
    if (!(error instanceof DamageError)) throw error;
    problems.push({ member: path, code: error.code, message: error.message });
    return undefined;
  });
  if (!reader) return { path, isWhole: false, members: 0, samples: 0, problems };
  try {
    const samples = await new Verifier(reader, problems).run();
    const members = reader.memberCount;
    return { path, isWhole: problems.length === 0, members, samples, problems };
  } finally {
    await reader.close();
  }
}

/** A sample that is one member; the members of a chunked one lie deeper. */
const WHOLE_SAMPLE = /^samples\/.*_epoch_(?:0|[1-9]\d*)\.json$/s;
const ALL_PARTS: ReadonlySet<SamplePart> = new Set(['fields', 'events', 'attachments', 'messages', 'calls']);

class Verifier {
  readonly #reader: StoredLogReader;
  readonly #problems: LogProblem[];
  readonly #reported = new Set<string>();

  constructor(reader: StoredLogReader, problems: LogProblem[]) {
    this.#reader = reader;
    this.#problems = problems;
  }

  async run(): Promise<number> {
    const keys = await this.#reader.samples();
    // Of many samples nearly all are checked here, so the few that are not are remembered.
    const unchecked = new Set<string>();
    for (const key of keys) await this.#checkSample(key, unchecked);
    for (const name of this.#reader.memberNames()) {
      if (!WHOLE_SAMPLE.test(name) || unchecked.has(name)) await this.#checkMember(name);
    }
    await this.#checkHeader(keys);
    return keys.length;
  }

  async #checkSample(key: SampleKey, unchecked: Set<string>): Promise<void> {
    let member = sampleKeyText(key.id, key.epoch);
    // The members of a chunked sample are read twice, once here and once by name: they are few and rare.
    const whole = sampleMemberName(key.id, key.epoch);
    unchecked.add(whole);
    await this.#guard(
      () => member,
      async () => {
        const context = await this.#reader.context(key.id, key.epoch);
        if (!context) return;
        member = context.member;
        unchecked.delete(member);
        for (const message of await checkReferences(context, key)) this.#report(member, 'reference', message);
      },
    );
  }

  async #checkMember(name: string): Promise<void> {
    await this.#guard(
      () => name,
      async () => {
        const json = name.endsWith('.json') ? this.#reader.json(name) : undefined;
        if (json) for await (const piece of json.split({ decide: enterLists(name) })) json.parse(piece.bytes);
        else for await (const _ of this.#reader.readMember(name) ?? []);
      },
    );
  }

  async #checkHeader(keys: readonly SampleKey[]): Promise<void> {
    await this.#guard(
      () => 'header.json',
      async () => {
        const header = await this.#reader.header();
        const isZip = this.#reader.memberCount > 0;
        if (!isZip) return;
        if (!this.#reader.json('header.json'))
          this.#report('header.json', 'unfinished', 'The run was never finished.');
        else if (header.eval.config.log_samples !== false) await this.#checkSummaries(keys);
      },
    );
  }

  async #checkSummaries(keys: readonly SampleKey[]): Promise<void> {
    await this.#guard(
      () => 'summaries.json',
      async () => {
        if (!this.#reader.json('summaries.json'))
          return this.#report('summaries.json', 'summary', 'It is missing.');
        const expected = new ExpectedSummaries(keys);
        for await (const { id, epoch } of this.#reader.summaries()) {
          const key = sampleKeyText(id, epoch);
          if (!expected.take(key))
            this.#report('summaries.json', 'summary', `It lists ${key}, which is not there.`);
        }
        for (const key of expected.rest())
          this.#report('summaries.json', 'summary', `It does not list ${key}.`);
      },
    );
  }

  async #guard(member: () => string, check: () => Promise<void>): Promise<void> {
    try {
      await check();
    } catch (error) {
      if (!(error instanceof ActionableError)) throw error;
      this.#report(member(), error.code, messageOf(error));
    }
  }

  #report(member: string, code: string, message: string): void {
    const text = `${member}\n${message}`;
    if (!this.#reported.has(text)) this.#problems.push({ member, code, message });
    this.#reported.add(text);
  }
}

/** Summaries are nearly always listed in the order of the samples: only when they are not, a set of names is made. */
class ExpectedSummaries {
  readonly #keys: readonly SampleKey[];
  #next = 0;
  #others: Set<string> | undefined;

  constructor(keys: readonly SampleKey[]) {
    this.#keys = keys;
  }

  /** False when it is not expected, or was taken before. */
  take(name: string): boolean {
    const next = this.#keys[this.#next];
    if (!this.#others && next && sampleKeyText(next.id, next.epoch) === name) {
      this.#next++;
      return true;
    }
    this.#others ??= new Set(this.rest());
    return this.#others.delete(name);
  }

  rest(): Iterable<string> {
    return this.#others ?? this.#keys.slice(this.#next).map(({ id, epoch }) => sampleKeyText(id, epoch));
  }
}

/** One pass: references that events make are struck out when their attachment comes by. */
async function checkReferences(context: SampleContext, key: SampleKey): Promise<string[]> {
  const { document } = context;
  const needed = new Set<string>();
  const present = new Set<string>();
  const counts = { messages: 0, calls: 0 };
  const ends = { messages: 0, calls: 0 };
  const found: { id?: Json; epoch?: Json } = {};
  for await (const { part, key: name, bytes } of document.scan(ALL_PARTS)) {
    const value = document.parse(bytes);
    if (part === 'attachments') {
      needed.delete(name);
      present.add(name);
      continue;
    }
    if (part === 'messages' || part === 'calls') counts[part]++;
    if (part === 'fields' && (name === 'id' || name === 'epoch')) found[name] = value;
    if (part === 'events') noteRanges(value, ends);
    walkJson(value, (text) => {
      const hash = referredHash(text);
      if (hash !== undefined && /^([0-9a-f]{32}|\d{1,15})$/.test(hash) && !present.has(hash))
        needed.add(hash);
      return text;
    });
  }
  const problems: string[] = [];
  if (String(found.id) !== String(key.id) || found.epoch !== key.epoch) {
    problems.push(
      `It is named for ${sampleKeyText(key.id, key.epoch)} but holds ${found.id}, epoch ${found.epoch}.`,
    );
  }
  for (const pool of ['messages', 'calls'] as const) {
    if (ends[pool] > counts[pool]) {
      problems.push(`Events refer to ${ends[pool]} pooled ${pool}, but there are ${counts[pool]}.`);
    }
  }
  if (needed.size > 0)
    problems.push(`${needed.size} attachments are missing, such as ${needed.values().next().value}.`);
  return problems;
}

function noteRanges(event: Json, ends: { messages: number; calls: number }): void {
  if (!isJsonObject(event)) return;
  ends.messages = Math.max(ends.messages, endOf(event.input_refs));
  if (isJsonObject(event.call)) ends.calls = Math.max(ends.calls, endOf(event.call.call_refs));
}

function endOf(refs: Json | undefined): number {
  if (!isJsonArray(refs)) return 0;
  return refs.reduce((end: number, range) => {
    const last = isJsonArray(range) ? range[1] : undefined;
    return typeof last === 'number' ? Math.max(end, last) : end;
  }, 0);
}

/** Lists are checked item by item, so that a long one is never held whole; that of reductions holds one for each scorer. */
function enterLists(member: string): (path: readonly (string | number)[]) => 'enter' | 'take' {
  const depth = member === 'reductions.json' ? 3 : 1;
  return (path) => (path.length < depth ? 'enter' : 'take');
}
