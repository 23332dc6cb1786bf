import { ActionableError, messageOf, sampleKeyText } from '../base/index.ts';
import type { EvalCode } from '../code/index.ts';
import type { SampleLimits } from '../evals/index.ts';
import {
  answersMemberName,
  type LogReader,
  type LogStore,
  openAsFarAsWhole,
  repairedLog,
  type SampleAnswer,
  sampleMemberName,
  unionOfAnswers,
} from '../log/index.ts';
import {
  type FoundSample,
  fitsLimits,
  isSameDigest,
  type LogIndex,
  logsWithPublished,
  type PublishedLogs,
  readyIndex,
  shortDigest,
} from '../reuse/index.ts';
import { saySame } from './later-modules.ts';
import { LenderStates } from './lender-states.ts';
import { openPublished } from './open-published.ts';
import type { Plan, PlannedSample } from './plan.ts';
import { type KnownCosts, NO_COSTS } from './sample-costs.ts';
import type { RunSettings } from './settings.ts';
import { changeSince, type Unrecorded } from './unrecorded.ts';

/** same: what the same code made. any: also what other code made. none: nothing of other runs. */
export type ReuseMode = 'same' | 'any' | 'none';

/** A sample that another run's log holds. */
export interface Lent extends FoundSample {
  /** False when only `--reuse=any` makes it reusable: other code made it. */
  readonly isSame: boolean;
}

/** An answer with the run that bought it. */
export type BoughtAnswer = SampleAnswer & { readonly from: string };

export interface EarlierRunsOptions {
  readonly plan: Plan;
  readonly limits: SampleLimits;
  readonly mode: ReuseMode;
  /** `--keep-outputs`: outputs stand although the code of the target has changed. */
  readonly keepOutputs: boolean;
  readonly code: EvalCode | undefined;
  /** When it is there, only these runs lend anything. */
  readonly only?: ReadonlySet<string>;
  /** True for a forecast, which writes nothing. */
  readonly isLooking?: boolean;
  /** Told what cannot be read of what was paid for. */
  readonly onDamage: (sentence: string) => void;
  /** Told which published runs lend something. */
  readonly onNote?: (sentence: string) => void;
}

/**
 * What finished logs of this eval hold that may still be of use: whole results, outputs to be scored anew, and answers. Which
 * of these is decided by what has changed since (docs/guide/reuse.md).
 */
export class EarlierRuns implements AsyncDisposable {
  readonly #index: LogIndex | undefined;
  readonly #logs: LogStore;
  readonly #published: PublishedLogs | undefined;
  readonly #options: EarlierRunsOptions;
  readonly #open = new Map<string, Promise<LogReader | undefined>>();
  /** Logs that turned out to be damaged in this sample, by its name. */
  readonly #changes = new Map<string, Promise<Unrecorded>>();
  readonly #refused = new Map<string, Set<string>>();
  /** Logs that were opened and have no end. */
  readonly #torn = new Set<string>();
  readonly unreadable: readonly UnreadableLog[];
  readonly #states: LenderStates;
  #whole: Promise<readonly string[]> | undefined;

  private constructor(
    index: LogIndex | undefined,
    about: {
      readonly logs: LogStore;
      readonly published: PublishedLogs | undefined;
      readonly options: EarlierRunsOptions;
      readonly unreadable: readonly UnreadableLog[];
    },
  ) {
    this.#index = index;
    this.#logs = about.logs;
    this.#published = about.published;
    this.#options = about.options;
    this.unreadable = about.unreadable;
    this.#states = new LenderStates(about.published, (sentence) => about.options.onNote?.(sentence));
  }

  static async open(settings: RunSettings, options: EarlierRunsOptions): Promise<EarlierRuns> {
    const { disk, places } = settings;
    const { isLooking = false } = options;
    const { eval: name } = options.plan.identity;
    const published = await openPublished(settings, options);
    const logs = logsWithPublished(places.logs, published);
    if (!(await hasLogs(logs)) && !hasAny(published?.ofEval(name)))
      return new EarlierRuns(undefined, { logs, published, options, unreadable: [] });
    const { index, unreadable } = await readyIndex(disk, places.state.logIndex, {
      logs: places.logs,
      published: options.mode === 'none' ? 'unasked' : published,
      evalName: name,
      isLooking,
    });
    // A run that takes nothing of others has no business with what is damaged there: it wants to know only what samples cost.
    const isForNothing = options.mode === 'none' && settings.ownRuns.size === 0;
    // As `logFileName` writes it: `<created>_<task>_<task id>.eval`.
    const inName = `_${name.replace(/[^0-9A-Za-z]+/g, '-')}_`;
    return new EarlierRuns(index, {
      logs,
      published,
      options: { ...options, ...(options.mode === 'none' ? { only: settings.ownRuns } : {}) },
      unreadable: (isForNothing ? [] : unreadable).map((log) => ({
        path: logs.placeOf(log.name),
        reason: log.reason,
        isRead: log.isRead,
        isOurs: log.isRead || log.name.includes(inName),
        isPublished: published?.find(log.name) !== undefined,
      })),
    });
  }

  /** Nothing of other runs, for one that was begun with `--fresh`: only what samples cost is still known. Takes the place of this one. */
  async withoutLogs(): Promise<EarlierRuns> {
    await this.#closeLogs();
    return new EarlierRuns(this.#index, {
      logs: this.#logs,
      published: this.#published,
      options: { ...this.#options, only: new Set() },
      unreadable: this.unreadable,
    });
  }

  /** A result that can be taken over whole. */
  async result(planned: PlannedSample): Promise<Lent | undefined> {
    const [whole] = await this.whole();
    const found = this.#taken(this.#index?.byKey(planned.key));
    const same =
      (whole !== undefined && (await this.#firstWhole(planned, fromLog(found, whole)))) ||
      (await this.#firstWhole(planned, this.#taken(this.#index?.byKey(planned.key))));
    if (same || this.#options.mode !== 'any') return same && { ...same, isSame: true };
    const alike = await this.#firstWhole(planned, this.#alike(planned));
    return alike && { ...alike, isSame: false };
  }

  /** An output that can be scored anew. */
  async output(planned: PlannedSample): Promise<FoundSample | undefined> {
    const same = await this.#first(planned, this.#taken(this.#index?.byAsked(planned.asked)));
    return same ?? (this.#options.keepOutputs ? await this.#first(planned, this.#alike(planned)) : undefined);
  }

  /** Logs that hold a result for every sample, the latest first: one is better than many that each hold a part. */
  whole(): Promise<readonly string[]> {
    this.#whole ??= this.#findWhole();
    return this.#whole;
  }

  async #findWhole(): Promise<readonly string[]> {
    const [first] = this.#options.plan.samples;
    const whole: string[] = [];
    if (!first || !this.#index) return whole;
    const latest: FoundSample[] = [];
    for (const found of [...this.#taken(this.#index.byKey(first.key))]) {
      if (latest.length === WHOLE_MAX) break;
      if (await this.#states.mayLend(found, 'whole')) latest.push(found);
    }
    for (const { log } of latest) {
      const held = this.#index.resultsIn(log);
      if (held.size >= this.#options.plan.size && (await this.#holdsAll(held))) whole.push(log);
    }
    return whole;
  }

  /** All that was ever bought for a sample, by whatever code: what is asked for again is known by its request. */
  async answers(planned: PlannedSample): Promise<readonly BoughtAnswer[]> {
    const logs = new Map<string, FoundSample>();
    for await (const found of this.#withAnswers(planned))
      if (found.answers !== undefined && !logs.has(found.answers)) logs.set(found.answers, found);
    // The latest log last: of two answers to one request its own counts.
    const lists: (readonly BoughtAnswer[])[] = [];
    for (const found of [...logs.values()].reverse()) lists.push(await this.#readAnswers(planned, found));
    return unionOfAnswers(lists);
  }

  /** The latest log in which the sample ended with an error. */
  failure(planned: PlannedSample): string | undefined {
    for (const { state, log } of this.#bySample(planned)) return state === 'errored' ? log : undefined;
    return undefined;
  }

  /** Of the same target: what another model said is an answer only to those who ask that model. */
  async hasAnswers(planned: PlannedSample): Promise<boolean> {
    const { targetName } = this.#options.plan.identity;
    for await (const { target } of this.#withAnswers(planned)) if (target === targetName) return true;
    return false;
  }

  /** What differs now, when it was completed before without a call that anybody recorded: what that cost is not known. */
  async unrecorded(planned: PlannedSample): Promise<Unrecorded | undefined> {
    const [found] = this.#alike(planned);
    if (!found || found.answers !== undefined) return undefined;
    if (!planned.artifacts) return 'code';
    const known = this.#changes.get(found.log) ?? changeSince(this.log(found.log), this.#options.plan);
    this.#changes.set(found.log, known);
    return known;
  }

  /** Of samples that nobody lends: how many published runs have, and why they cannot be taken. */
  absenceNotes(samples: Iterable<PlannedSample>): readonly string[] {
    return this.#states.absenceNotes(samples);
  }

  /** What samples of this eval cost on this target, in all logs. */
  costs(): KnownCosts {
    const { eval: name, targetName } = this.#options.plan.identity;
    return this.#index?.costs(name, targetName) ?? NO_COSTS;
  }

  /** A log that is damaged in a sample is not asked for it again. */
  refuse(planned: PlannedSample, log: string): void {
    const name = sampleKeyText(planned.id, planned.epoch);
    const refused = this.#refused.get(name) ?? new Set();
    this.#refused.set(name, refused.add(log));
  }

  /** A log of the directory; opened once, and closed with all others. */
  log(name: string): Promise<LogReader | undefined> {
    const known = this.#open.get(name) ?? this.#openLog(name);
    this.#open.set(name, known);
    return known;
  }

  /**
   * The name of a log in the log directory: a published run is brought home, whole and checked, before anything is taken from it as it
   * is. So whoever seals this run finds it, also after a crash, and also when the repository is away.
   */
  async home(name: string): Promise<string> {
    const log = this.#published?.find(name);
    if (!log || !this.#published) return name;
    const home = await this.#published.bringHome(log, this.#logs);
    this.#options.onNote?.(
      `The log of the published run ${log.run} (${log.by}) came home from git: ${this.#logs.placeOf(home)}`,
    );
    return home;
  }

  /** How people name a log. */
  placeOf(name: string): string {
    return this.#logs.placeOf(name);
  }

  /** True for a log that was opened and is no finished one any more: it lends, but it is not the end. */
  isTorn(name: string): boolean {
    return this.#torn.has(name);
  }

  /** Without those of its own documents that are damaged [LOG-38]. */
  async #openLog(name: string): Promise<LogReader | undefined> {
    const { log, torn } = (await openAsFarAsWhole(this.#logs, name)) ?? {};
    if (torn) this.#torn.add(name);
    const published = log && this.#published?.find(name);
    if (published)
      this.#options.onNote?.(`The published run ${published.run} (${published.by}) lends what it holds.`);
    return log && repairedLog(log);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#index?.[Symbol.dispose]();
    await this.#closeLogs();
    this.#published?.[Symbol.dispose]();
  }

  async #closeLogs(): Promise<void> {
    for (const log of this.#open.values()) await (await log.catch(() => undefined))?.close(); // Whoever opened it was told.
    this.#open.clear();
  }

  #bySample(planned: PlannedSample): Iterable<FoundSample> {
    return this.#taken(this.#index?.bySample(this.#options.plan.identity.eval, planned));
  }

  /** Of many logs that hold the same answers one is enough, unless only some of them may lend. */
  async *#withAnswers(planned: PlannedSample): AsyncGenerator<FoundSample> {
    const { only, plan } = this.#options;
    const few = only ? undefined : this.#index?.answersOf(plan.identity.eval, planned);
    const lending = few && (await this.#withDocument(few, answersMemberName(planned)));
    if (lending && lending.length === few.length) yield* lending;
    else yield* await this.#withDocument(this.#bySample(planned), answersMemberName(planned));
  }

  async #withDocument(found: Iterable<FoundSample>, document: string): Promise<readonly FoundSample[]> {
    const lending: FoundSample[] = [];
    for (const sample of [...found])
      if (sample.answers !== undefined && (await this.#states.mayLend(sample, document)))
        lending.push(sample);
    return lending;
  }

  /** Only those that may lend. */
  *#taken(found: Iterable<FoundSample> = []): Iterable<FoundSample> {
    const { only } = this.#options;
    for (const sample of found) if (!only || only.has(sample.runId)) yield sample;
  }

  *#alike(planned: PlannedSample): Iterable<FoundSample> {
    for (const found of this.#bySample(planned))
      if (found.state === 'completed' && isSameDigest(found.content, planned.content)) yield found;
  }

  async #readAnswers(planned: PlannedSample, { log, runId }: FoundSample): Promise<readonly BoughtAnswer[]> {
    const answers: BoughtAnswer[] = [];
    try {
      const reader = await this.log(log);
      for await (const answer of reader?.answers(planned) ?? []) answers.push({ from: runId, ...answer });
    } catch (error) {
      if (!(error instanceof ActionableError)) throw error;
      this.#options.onDamage(
        `Answers for sample ${planned.id}, epoch ${planned.epoch}, in ${this.#logs.placeOf(log)} cannot be read: ${messageOf(error)}`,
      );
    }
    return answers;
  }

  /** What is taken as it is comes out of a log that is whole: it is brought home first. */
  async #firstWhole(
    planned: PlannedSample,
    found: Iterable<FoundSample> = [],
  ): Promise<FoundSample | undefined> {
    for (const sample of found) {
      const first = await this.#first(planned, [sample]);
      if (first && (await this.#states.mayLend(first, 'whole'))) return first;
    }
    return undefined;
  }

  async #first(planned: PlannedSample, found: Iterable<FoundSample> = []): Promise<FoundSample | undefined> {
    const refused = this.#refused.get(sampleKeyText(planned.id, planned.epoch));
    for (const sample of found)
      if (
        !refused?.has(sample.log) &&
        fitsLimits(sample.used, this.#options.limits) &&
        (await this.#isAsItWas(sample)) &&
        (await this.#states.mayLendSample(sample, {
          planned,
          document: sampleMemberName(planned.id, planned.epoch),
        }))
      )
        return sample;
    return undefined;
  }

  async #holdsAll(held: ReadonlyMap<string, FoundSample>): Promise<boolean> {
    for (const { key } of this.#options.plan.samples) {
      const sample = held.get(shortDigest(key));
      if (!sample || !fitsLimits(sample.used, this.#options.limits) || !(await this.#isAsItWas(sample)))
        return false;
    }
    return true;
  }

  /** Modules that it imported while it ran say what they said then. */
  async #isAsItWas({ later }: FoundSample): Promise<boolean> {
    return await saySame(later, this.#options.code);
  }
}

/** Of many logs that hold the same, the latest are looked at. */
const WHOLE_MAX = 20;

function hasAny(logs: Iterable<unknown> = []): boolean {
  for (const _ of logs) return true;
  return false;
}

/** A first run needs no index. */
async function hasLogs(logs: LogStore): Promise<boolean> {
  for await (const _ of logs.list()) return true;
  return false;
}

function* fromLog(found: Iterable<FoundSample>, log: string): Iterable<FoundSample> {
  for (const sample of found) if (sample.log === log) yield sample;
}

interface UnreadableLog {
  readonly path: string;
  readonly reason: string;
  /** By its name it is a log of this eval. */
  readonly isOurs: boolean;
  /** What is whole in it is used all the same. */
  readonly isRead: boolean;
  readonly isPublished: boolean;
}
