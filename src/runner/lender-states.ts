import { ActionableError, counted, sampleKeyText } from '../base/index.ts';
import type { FoundSample, PublishedLogs, WhyAbsent } from '../reuse/index.ts';
import type { PlannedSample } from './plan.ts';

type Absent = ReadonlyMap<string, WhyAbsent>;

const NONE: Absent = new Map();

/**
 * Which logs may lend what: a run that somebody removed lends nothing, and what is not kept cannot be taken. Asked only of logs that
 * have something to lend, and of each once.
 */
export class LenderStates {
  readonly #published: PublishedLogs | undefined;
  readonly #onNote: (sentence: string) => void;
  readonly #removed = new Map<string, Promise<boolean>>();
  readonly #absent = new Map<string, Promise<Absent | undefined>>();
  /** Samples that some published run has, and that cannot be read. */
  readonly #missed = new Map<string, WhyAbsent>();

  constructor(published: PublishedLogs | undefined, onNote: (sentence: string) => void) {
    this.#published = published;
    this.#onNote = onNote;
  }

  /** Whether a document can be taken out of a log; `whole` asks that all of them can. */
  async mayLend({ log, runId }: FoundSample, document: string | 'whole'): Promise<boolean> {
    if (!this.#published) return true;
    if (await this.#isRemoved(runId)) return false;
    const absent = await this.#absentIn(log);
    return absent !== undefined && (document === 'whole' ? absent.size === 0 : !absent.has(document));
  }

  /** The same for a sample; that it cannot be read is remembered. */
  async mayLendSample(
    found: FoundSample,
    about: { readonly planned: PlannedSample; readonly document: string },
  ): Promise<boolean> {
    const { planned, document } = about;
    if (await this.mayLend(found, document)) return true;
    const why = (await this.#absentIn(found.log))?.get(document);
    if (why !== undefined && !(await this.#isRemoved(found.runId))) this.#missed.set(nameOf(planned), why);
    return false;
  }

  /** Says of samples that nobody lends how many could have been taken, and why they were not. */
  absenceNotes(samples: Iterable<PlannedSample>): readonly string[] {
    const counts = new Map<WhyAbsent, number>();
    for (const planned of samples) {
      const why = this.#missed.get(nameOf(planned));
      if (why !== undefined) counts.set(why, (counts.get(why) ?? 0) + 1);
    }
    return [...counts].map(
      ([why, count]) => `${counted(count, 'published sample')} could not be taken: ${REASONS[why]}.`,
    );
  }

  /** What cannot be found out hinders no run: then it lends, as it would without asking. */
  #isRemoved(run: string): Promise<boolean> {
    const known = this.#removed.get(run) ?? this.#ask(run, (published) => published.isRemoved(run));
    const removed = known.then((answer) => answer ?? false);
    this.#removed.set(run, removed);
    return removed;
  }

  /** Undefined when that cannot be found out: a bucket that is away lends nothing. */
  #absentIn(name: string): Promise<Absent | undefined> {
    const log = this.#published?.find(name);
    const known =
      this.#absent.get(name) ??
      (log ? this.#ask(log.run, (published) => published.absent(log)) : Promise.resolve(NONE));
    this.#absent.set(name, known);
    return known;
  }

  async #ask<T>(run: string, ask: (published: PublishedLogs) => Promise<T>): Promise<T | undefined> {
    try {
      return this.#published && (await ask(this.#published));
    } catch (error) {
      if (!(error instanceof ActionableError)) throw error;
      this.#onNote(`Whether the published run ${run} may lend anything cannot be told: ${error.message}`);
      return undefined;
    }
  }
}

const REASONS: Readonly<Record<WhyAbsent, string>> = {
  'left out': 'only summaries were published',
  away: 'bodies are kept in a bucket, and none is named (--bucket)',
  gone: 'bodies are not in the bucket; "holdfast results gc" dropped them, or they are in another',
};

function nameOf({ id, epoch }: PlannedSample): string {
  return sampleKeyText(id, epoch);
}
