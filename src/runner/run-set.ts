import { definedOf, UsageError } from '../base/index.ts';
import type { EvalResults } from '../log/index.ts';
import type { Models } from '../targets/index.ts';
import type { Account, Amounts, ArtifactAccount } from './account.ts';
import { moneyOf, type Sums, sumsOf } from './money.ts';
import type { RunObserver } from './observer.ts';
import { runEval } from './run-eval.ts';
import type { SampleStates } from './sample-states.ts';
import type { PlannedItem } from './set-items.ts';
import type { RunSettings } from './settings.ts';
import { missedThresholds } from './threshold.ts';

export interface RunSetOptions {
  readonly items: readonly PlannedItem[];
  readonly settings: RunSettings;
  /** Models for one item: gates are shared by all, and so is the budget of the command line. */
  readonly modelsFor: (item: PlannedItem) => Models;
  readonly observerFor: (item: PlannedItem) => RunObserver | undefined;
  /** How often in all the set is gone through until nothing is missing. */
  readonly attempts: number;
  readonly onNextAttempt: (attempt: number, waitMs: number) => void;
}

export interface ItemOutcome {
  readonly item: PlannedItem;
  readonly account?: Account;
  readonly results?: EvalResults;
  /** Metrics that are below what the eval asks for. */
  readonly missed: readonly string[];
  /** Why the run could not be done, or not to its end: bad input, a full disk. An account may stand beside it. */
  readonly error?: unknown;
}

/** How many evals of a set are open at a time; their samples share the slots. */
const OPEN_EVALS_MAX = 8;
const BACKOFF_MS = 5_000;
const BACKOFF_MS_MAX = 300_000;

/** Runs every item, completes what is missing anywhere, and goes on for as many attempts as it may. */
export async function runSet(options: RunSetOptions): Promise<readonly ItemOutcome[]> {
  const { settings, attempts } = options;
  const { drain, abort } = settings.signals;
  let outcomes: readonly Attempted[] = await runItems(options, options.items);
  for (let attempt = 2; attempt <= attempts; attempt++) {
    const missing = outcomes.filter(isMissingSomething).map(({ item }) => item);
    if (missing.length === 0 || drain.aborted || abort.aborted) break;
    const waitMs = Math.min(BACKOFF_MS * 2 ** (attempt - 2), BACKOFF_MS_MAX);
    options.onNextAttempt(attempt, waitMs);
    if (!(await waited(settings, waitMs))) break;
    const ownRuns = new Set(outcomes.flatMap(({ account }) => account?.runId ?? []));
    const again = await runItems({ ...options, settings: { ...settings, ownRuns } }, missing);
    outcomes = outcomes.map((outcome) => {
      const next = again.find(({ item }) => item === outcome.item);
      return next ? withEarlier(next, outcome) : outcome;
    });
  }
  return outcomes;
}

async function runItems(
  options: RunSetOptions,
  items: readonly PlannedItem[],
): Promise<readonly Attempted[]> {
  const outcomes: Attempted[] = [];
  const queue = items.entries();
  const work = async () => {
    for (const [index, item] of queue) outcomes[index] = await runItem(options, item);
  };
  await Promise.all(Array.from({ length: Math.min(OPEN_EVALS_MAX, items.length) }, work));
  return outcomes;
}

/** What became of each sample, so that several attempts can be counted as one. */
interface Attempted extends ItemOutcome {
  readonly states?: SampleStates | undefined;
}

async function runItem(options: RunSetOptions, item: PlannedItem): Promise<Attempted> {
  const observer = options.observerFor(item);
  try {
    const task = { ...item, models: options.modelsFor(item), observer };
    const { account, results, error, states } = await runEval(task, options.settings);
    const missed = results ? missedThresholds(item.eval.threshold, results) : [];
    return { item, account, missed, error, states, ...(results ? { results } : {}) };
  } catch (error) {
    const empty = emptyShard(error);
    if (empty !== undefined) {
      observer?.onNote?.(empty);
      return { item, missed: [] };
    }
    // One item that cannot run does not take the others with it; the caller shows the error.
    return { item, missed: [], error };
  } finally {
    observer?.onRunEnd?.();
  }
}

/** What to say of a slice that has nothing to run: nothing is wrong with it. Undefined for any other error. */
export function emptyShard(error: unknown): string | undefined {
  const isIt = error instanceof UsageError && error.code === 'E_SHARD_EMPTY';
  return isIt ? `${error.message} ${error.hint}` : undefined;
}

/** One account for all attempts: what was run over all of them, and what is left after the last. */
function withEarlier(last: Attempted, before: Attempted): Attempted {
  // One that could not even begin changes nothing of what was done before.
  if (!last.account || !before.account) return { ...before, ...last };
  const [now, then] = [last.account, before.account];
  const states = last.states && before.states ? last.states.after(before.states) : last.states;
  const damage = [...new Set([...(then.damage ?? []), ...(now.damage ?? [])])];
  const account: Account = {
    ...now,
    samples: {
      ...(states?.counts(() => true) ?? now.samples),
      lost: Math.max(then.samples.lost, now.samples.lost),
    },
    reusedFrom: then.reusedFrom,
    ...(then.previous ? { previous: then.previous } : {}),
    answers: {
      bought: then.answers.bought + now.answers.bought,
      replayed: then.answers.replayed + now.answers.replayed,
      // A damaged journal is found to be so by each attempt that reads it.
      lost: Math.max(then.answers.lost, now.answers.lost),
    },
    usd: overAttempts(then.usd, now.usd),
    tokens: sumAmounts(then.tokens, now.tokens),
    ...definedOf({ artifacts: artifactsOverAttempts(then.artifacts, now.artifacts) }),
    ...(damage.length > 0 ? { damage } : {}),
    notes: [...new Set([...then.notes, ...now.notes])],
  };
  return { ...last, account, states };
}

/** What the later attempt saved is what the earlier one bought: only what was there before all of them was saved. */
function sumAmounts(then: Amounts, now: Amounts): Amounts {
  return { spent: then.spent + now.spent, saved: then.saved, wasted: then.wasted + now.wasted };
}

/** What the earlier attempt built is there for the later one: it was built once, and not saved. */
function artifactsOverAttempts(
  then: ArtifactAccount | undefined,
  now: ArtifactAccount | undefined,
): ArtifactAccount | undefined {
  if (!then || !now) return now ?? then;
  const { reused, fetched, seeded, savedUsd, savedTokens } = then;
  const spentUsd = then.spentUsd === null || now.spentUsd === null ? null : then.spentUsd + now.spentUsd;
  return {
    ...{ reused, fetched, seeded, savedUsd, savedTokens, spentUsd },
    built: [...then.built, ...now.built],
    spentTokens: then.spentTokens + now.spentTokens,
    mended: [...new Set([...then.mended, ...now.mended])],
    unavailable: now.unavailable,
  };
}

/** The same of money, of which some may be unknown. */
function overAttempts(then: Account['usd'], now: Account['usd']): Account['usd'] {
  const [before, after] = [sumsOf(then), sumsOf(now)];
  const sum = (key: 'known' | 'unpriced'): Sums[typeof key] => sumAmounts(before[key], after[key]);
  // As with answers: what is lost is found missing by each attempt that looks for it.
  const lost = Math.max(before.lost, after.lost);
  return moneyOf({ known: sum('known'), unpriced: sum('unpriced'), lost });
}

/** True when another attempt may bring more: something failed or is left, and it was not told to stop. */
function isMissingSomething({ account, error }: ItemOutcome): boolean {
  if (error !== undefined) return false;
  if (!account || account.state === 'interrupted' || account.state === 'budget') return false;
  return account.samples.errored > 0 || account.samples.remaining > 0 || account.unshipped !== undefined;
}

async function waited({ clock, signals }: RunSettings, ms: number): Promise<boolean> {
  try {
    await clock.sleep(ms, signals.drain);
    return true;
  } catch (error) {
    if (!signals.drain.aborted) throw error;
    return false;
  }
}
