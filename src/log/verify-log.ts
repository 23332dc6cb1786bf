import { ActionableError, DamageError, messageOf, type SampleKey, sampleKeyText } from '../base/index.ts';
import type { Disk } from '../disk/index.ts';
import type { StoredLogReader } from './log-reader.ts';
import { type OpenLogOptions, openStoredLog } from './open-log.ts';
import { sampleMemberName } from './sample-text.ts';
import { checkMember, type Shapes } from './verify-member.ts';
import { checkSample } from './verify-sample.ts';

export interface VerifyReport {
  readonly path: string;
  readonly isWhole: boolean;
  readonly members: number;
  readonly samples: number;
  readonly problems: readonly LogProblem[];
  /** What is worth knowing and no damage, because nobody can tell: a text that looks like a reference, in a log of Inspect. */
  readonly remarks: readonly LogProblem[];
}

export interface LogProblem {
  readonly member: string;
  /** The code of the error that reading it gives, or one of `reference`, `shape`, `summary` and `unfinished`. */
  readonly code: string;
  readonly message: string;
  /** The sample that has it, if it is one's own. */
  readonly sample?: SampleKey;
}

/**
 * Reads a log from end to end and lists all that is wrong with it: checksums, JSON, references without a target, a
 * list of samples that does not fit the samples [LOG-30], and, in a log of our own, each document that is not exactly
 * what Inspect reads [LOG-33]. Logs of Inspect have the shapes of their time, and are not held to today's.
 * Streams, so it needs no more memory than `events` does. What is no log at all, or missing, is thrown.
 */
export async function verifyLog(
  disk: Disk,
  path: string,
  options: OpenLogOptions = {},
): Promise<VerifyReport> {
  return verifyOpening(path, () => openStoredLog(disk, path, options));
}

/** The same for a log anywhere. */
export async function verifyOpening(
  path: string,
  open: () => Promise<StoredLogReader>,
): Promise<VerifyReport> {
  const opened = await open().catch((error: unknown) => {
    if (!(error instanceof DamageError)) throw error;
    return { member: path, code: error.code, message: error.message };
  });
  if ('code' in opened)
    return { path, isWhole: false, members: 0, samples: 0, problems: [opened], remarks: [] };
  try {
    return await verifyStoredLog(opened);
  } finally {
    await opened.close();
  }
}

/** The same for a log that is open already, wherever it is. */
export async function verifyStoredLog(reader: StoredLogReader): Promise<VerifyReport> {
  const header = await reader.header().catch((error: unknown) => {
    if (!(error instanceof ActionableError)) throw error;
    return undefined; // Told with its member when the members are read.
  });
  const isOurs = header?.eval.packages.holdfast !== undefined;
  // Only whoever verifies needs the shapes: other commands start without them.
  const shapes = isOurs ? await import('./shapes/check-document.ts') : undefined;
  const verifier = new Verifier(reader, shapes);
  const samples = await verifier.run();
  const { problems, remarks } = verifier;
  const members = reader.memberCount;
  return { path: reader.path, isWhole: problems.length === 0, members, samples, problems, remarks };
}

/** A sample that is one member; the members of a chunked one lie deeper. */
const WHOLE_SAMPLE = /^samples\/.*_epoch_(?:0|[1-9]\d*)\.json$/s;

class Verifier {
  readonly problems: LogProblem[] = [];
  readonly remarks: LogProblem[] = [];
  readonly #reader: StoredLogReader;
  readonly #shapes: Shapes | undefined;
  readonly #reported = new Set<string>();

  constructor(reader: StoredLogReader, shapes: Shapes | undefined) {
    this.#reader = reader;
    this.#shapes = shapes;
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
        for (const { isRemark, ...found } of await checkSample(context, key, this.#shapes))
          this.#report({ member, ...found, sample: key }, isRemark ? this.remarks : this.problems);
      },
      key,
    );
  }

  async #checkMember(name: string): Promise<void> {
    await this.#guard(
      () => name,
      async () => {
        const json = name.endsWith('.json') ? this.#reader.json(name) : undefined;
        if (!json) for await (const _ of this.#reader.readMember(name) ?? []);
        else
          for await (const message of checkMember(json, name, this.#shapes))
            this.#report({ member: name, code: 'shape', message });
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
          this.#report({ member: 'header.json', code: 'unfinished', message: 'The run was never finished.' });
        else if (header.eval.config.log_samples !== false) await this.#checkSummaries(keys);
      },
    );
  }

  async #checkSummaries(keys: readonly SampleKey[]): Promise<void> {
    await this.#guard(
      () => 'summaries.json',
      async () => {
        if (!this.#reader.json('summaries.json'))
          return this.#report({ member: 'summaries.json', code: 'summary', message: 'It is missing.' });
        const expected = new ExpectedSummaries(keys);
        for await (const { id, epoch } of this.#reader.summaries()) {
          const key = sampleKeyText(id, epoch);
          if (!expected.take(key))
            this.#report({
              member: 'summaries.json',
              code: 'summary',
              message: `It lists ${key}, which is not there.`,
            });
        }
        for (const key of expected.rest())
          this.#report({ member: 'summaries.json', code: 'summary', message: `It does not list ${key}.` });
      },
    );
  }

  async #guard(member: () => string, check: () => Promise<void>, sample?: SampleKey): Promise<void> {
    try {
      await check();
    } catch (error) {
      if (!(error instanceof ActionableError)) throw error;
      const problem = { member: member(), code: error.code, message: messageOf(error) };
      this.#report(sample ? { ...problem, sample } : problem);
    }
  }

  #report(problem: LogProblem, into: LogProblem[] = this.problems): void {
    const text = `${problem.member}\n${problem.message}`;
    if (!this.#reported.has(text)) into.push(problem);
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
