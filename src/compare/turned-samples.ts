import { bySampleOrder, definedOf, type SampleId } from '../base/index.ts';
import { plainId } from './align.ts';
import { flipRate, type OutcomeInRun } from './flip-rate.ts';
import type { SampleCell } from './sample-cells.ts';

/** One run of an eval, by sample. */
export interface RunOutcomes {
  readonly run: string;
  readonly target: string;
  readonly commit?: string;
  readonly cells: ReadonlyMap<string, SampleCell>;
}

/** A sample that fails now and passed when it was judged before. */
export interface NewlyFailing {
  readonly id: SampleId;
  readonly target: string;
  readonly passedIn: string;
  readonly failedIn: string;
  readonly commits: { readonly from?: string; readonly to?: string };
  /** In the runs on its target, oldest first. */
  readonly history: readonly OutcomeInRun[];
}

export interface Flaky {
  readonly id: SampleId;
  readonly target: string;
  readonly flipRate: number;
  readonly history: readonly OutcomeInRun[];
}

export interface TurnedSamples {
  readonly newlyFailing: readonly NewlyFailing[];
  /** Those that flip most often first. */
  readonly flaky: readonly Flaky[];
}

/** What flips less often is not called flaky. */
const FLAKY_RATE = 0.2;
/** A sample that broke once, and stays so, has flipped once; one that comes back is flaky. */
const FLAKY_FLIPS = 2;

/** Which samples turned, on each target by itself: two models that are run in turn do not make a sample flip. Runs are given oldest first. */
export function turnedSamples(runs: readonly RunOutcomes[]): TurnedSamples {
  const newlyFailing: NewlyFailing[] = [];
  const flaky: Flaky[] = [];
  for (const [target, ofTarget] of Map.groupBy(runs, (run) => run.target)) {
    const keys = new Set(ofTarget.flatMap(({ cells }) => [...cells.keys()]));
    for (const key of keys) {
      const history = ofTarget.map(({ cells }): OutcomeInRun => cells.get(key)?.outcome ?? 'missing');
      const id = idIn(ofTarget, key);
      const failing = failingNow(ofTarget, history);
      if (failing) newlyFailing.push({ id, target, ...failing, history });
      const { flips, rate } = flipRate(history);
      if (flips >= FLAKY_FLIPS && rate >= FLAKY_RATE) flaky.push({ id, target, flipRate: rate, history });
    }
  }
  return {
    newlyFailing: newlyFailing.sort(byId),
    flaky: flaky.sort((a, b) => b.flipRate - a.flipRate || byId(a, b)),
  };
}

function idIn(runs: readonly RunOutcomes[], key: string): SampleId {
  const found = runs.find(({ cells }) => cells.has(key));
  return plainId(found?.cells.get(key)?.id ?? key);
}

/** In the newest run; before it in the last that judged it. */
function failingNow(
  runs: readonly RunOutcomes[],
  history: readonly OutcomeInRun[],
): Pick<NewlyFailing, 'passedIn' | 'failedIn' | 'commits'> | undefined {
  if (history.at(-1) !== 'fail') return undefined;
  const before = history
    .slice(0, -1)
    .findLastIndex((one) => one === 'pass' || one === 'fail' || one === 'partial');
  const [passed, failed] = [runs[before], runs.at(-1)];
  if (history[before] !== 'pass' || !passed || !failed) return undefined;
  return {
    passedIn: passed.run,
    failedIn: failed.run,
    commits: definedOf({ from: passed.commit, to: failed.commit }),
  };
}

function byId(a: { readonly id: SampleId; readonly target: string }, b: typeof a): number {
  return (
    bySampleOrder({ id: a.id, epoch: 1 }, { id: b.id, epoch: 1 }) ||
    (a.target < b.target ? -1 : Number(a.target > b.target))
  );
}
