import { tmpdir } from 'node:os';
import { type Digest, definedOf, sampleKeyText } from '../base/index.ts';
import type { EvalCode } from '../code/index.ts';
import { lookAtRun, type RunJournals } from '../journal/index.ts';
import { fitsLimits, readMark, usedBy } from '../reuse/index.ts';
import { unfinishedOf } from './artifacts/earlier-pins.ts';
import { type ArtifactForecast, forecastOfArtifacts } from './artifacts/forecast-artifacts.ts';
import { lookForArtifacts } from './artifacts/look-for.ts';
import type { RunArtifacts } from './artifacts/run-artifacts.ts';
import type { EarlierRuns } from './earlier-runs.ts';
import { markOf, saySame } from './later-modules.ts';
import { lookBack } from './look-back.ts';
import { logsWithBucket, runsInBucket } from './look-into-bucket.ts';
import type { PlannedSample } from './plan.ts';
import { earlierRunsOf, type PreparedEval, prepareEval } from './prepare-eval.ts';
import { workOf } from './same-work.ts';
import {
  addCosts,
  costsOf,
  type ExpectedCost,
  expectedCost,
  type KnownCosts,
  NO_COSTS,
} from './sample-costs.ts';
import type { RunSettings, RunTask } from './settings.ts';
import { isBegunFresh } from './take-stock.ts';
import { unrecordedNotes } from './unrecorded.ts';

/** What a run would do, and about what it would cost. */
export interface Forecast extends ExpectedCost {
  readonly eval: string;
  readonly target: string;
  /** What it is of: runs with the same would ask for the same. */
  readonly work: Digest;
  readonly planned: number;
  /** Their results are taken as they are. */
  readonly kept: number;
  /** Their outputs are there, and are scored anew. */
  readonly toScore: number;
  /** They run, with answers that are on record as far as they ask for the same. */
  readonly toReplay: number;
  /** They run, and nothing is known of them. */
  readonly toBuy: number;
  /** They cannot run: an artifact that they need cannot be had. */
  readonly refused: number;
  /** What the samples share, when they require something. */
  readonly artifacts?: ArtifactForecast;
  /** What was not looked at, and what may be paid for where nobody sees it. */
  readonly notes: readonly string[];
  /** What could not be read. */
  readonly damage: readonly string[];
}

/** Looks at what earlier runs left, and does nothing: not even a cache is written. */
export async function forecastEval(task: RunTask, settings: RunSettings): Promise<Forecast> {
  const notes: string[] = [];
  const prepared = await prepareEval(task, settings, {
    tempDir: tmpdir(),
    artifactsOf: ({ dataset, identity }) =>
      lookForArtifacts({
        ...{ task, settings, dataset, onNote: (text) => void notes.push(text) },
        unfinished: () => unfinishedOf(settings, identity),
      }),
  });
  try {
    const made = await forecast(prepared);
    const about = prepared.artifacts && forecastOfArtifacts(prepared.artifacts);
    return {
      ...made,
      ...definedOf({ artifacts: about?.artifacts }),
      notes: [...made.notes, ...notes, ...(about?.notes ?? [])],
      damage: [...made.damage, ...(about?.damage ?? [])],
    };
  } finally {
    await prepared.dataset.close();
  }
}

async function forecast(prepared: PreparedEval): Promise<Forecast> {
  const { settings, plan, target, task, artifacts, dataset } = prepared;
  const back = await lookBack(settings, plan, task);
  const damage = [...back.damage];
  const unfinished = new UnfinishedRuns(task);
  try {
    for (const { dir } of back.stale)
      unfinished.add(await lookAtRun({ disk: settings.disk, runDir: dir }), 'stale');
    const goOn = back.goOn && (await lookAtRun({ disk: settings.disk, runDir: back.goOn.dir }));
    unfinished.add(goOn, 'goOn');
    await using earlier = await earlierRuns(prepared, {
      isFresh: goOn !== undefined && isBegunFresh(goOn),
      onDamage: (sentence) => void damage.push(sentence),
    });
    const counts = { kept: 0, toScore: 0, toReplay: 0, toBuy: 0, refused: 0 };
    const unlent: PlannedSample[] = [];
    const unrecorded = { code: 0, artifacts: 0 };
    for (const sample of plan.samples) {
      const fate = await fateOf(sample, { earlier, unfinished, artifacts });
      counts[fate]++;
      if (fate === 'toReplay' || fate === 'toBuy') unlent.push(sample);
      const change = fate === 'toBuy' ? await earlier.unrecorded(sample) : undefined;
      if (change) unrecorded[change]++;
    }
    return {
      ...{ eval: plan.identity.eval, target: target.name, planned: plan.size },
      work: workOf(plan.identity, { ids: dataset.ids, planned: plan.size }),
      ...counts,
      ...expectedCost(addCosts(earlier.costs(), unfinished.costs()), counts),
      notes: [
        ...earlier.absenceNotes(unlent),
        ...unrecordedNotes(unrecorded, target),
        ...(await runsInBucket(settings, plan)),
      ],
      damage,
    };
  } finally {
    unfinished.close();
  }
}

/** As the run would find them: with what it would bring home from the bucket, and without anything where it was begun so. */
async function earlierRuns(
  prepared: PreparedEval,
  about: { readonly isFresh: boolean; readonly onDamage: (sentence: string) => void },
): Promise<EarlierRuns> {
  const { settings } = prepared;
  const places = { ...settings.places, logs: logsWithBucket(settings) };
  const earlier = await earlierRunsOf(
    { ...prepared, settings: { ...settings, places } },
    { onDamage: about.onDamage, isLooking: true },
  );
  return about.isFresh ? earlier.withoutLogs() : earlier;
}

type Fate = 'kept' | 'toScore' | 'toReplay' | 'toBuy' | 'refused';

async function fateOf(
  sample: PlannedSample,
  about: {
    readonly earlier: EarlierRuns;
    readonly unfinished: UnfinishedRuns;
    readonly artifacts: RunArtifacts | undefined;
  },
): Promise<Fate> {
  const { earlier, unfinished, artifacts } = about;
  const there = await unfinished.fateOf(sample);
  if (there === 'kept' || (await earlier.result(sample))) return 'kept';
  if (artifacts?.isAvailable(sample.index) === false) return 'refused';
  if (there === 'toScore' || (await earlier.output(sample))) return 'toScore';
  return there === 'toReplay' || (await earlier.hasAnswers(sample)) ? 'toReplay' : 'toBuy';
}

interface Unfinished {
  readonly journals: RunJournals;
  readonly kind: 'stale' | 'goOn';
}

/** Journals of runs that did not finish: a run would go on with them, or make logs of them first. */
class UnfinishedRuns {
  readonly #runs: Unfinished[] = [];
  readonly #limits: RunTask['eval']['limits'];
  readonly #code: EvalCode | undefined;

  constructor({ eval: planned, code }: RunTask) {
    this.#limits = planned.limits;
    this.#code = code;
  }

  add(journals: RunJournals | undefined, kind: Unfinished['kind']): void {
    if (journals) this.#runs.push({ journals, kind });
  }

  async fateOf({ id, epoch, key, asked }: PlannedSample): Promise<Fate> {
    let fate: Fate = 'toBuy';
    const name = sampleKeyText(id, epoch);
    for (const run of this.#runs) {
      for (const attempt of run.journals.attemptsAt(id, epoch)) {
        if (sampleKeyText(attempt.id, attempt.epoch) !== name) continue;
        const isDone = attempt.status === 'completed' && (await saySame(markOf(attempt)?.later, this.#code));
        const isResult = isDone && this.#fits(run, attempt);
        if (isResult && attempt.key === key) return 'kept';
        if (isResult && readMark(attempt.sample.metadata)?.asked === asked) fate = 'toScore';
        else if (fate === 'toBuy' && attempt.source.isPaid(attempt.n)) fate = 'toReplay';
      }
    }
    return fate;
  }

  costs(): KnownCosts {
    let costs = NO_COSTS;
    for (const { journals } of this.#runs)
      for (const { source, n, status } of journals.outline()) {
        const summary = status === 'completed' ? source.summary(n) : undefined;
        if (summary) costs = addCosts(costs, costsOf(summary));
      }
    return costs;
  }

  close(): void {
    for (const { journals } of this.#runs) journals.close();
  }

  /** What a log is made of first is taken from there as from any other: a limit that ended it must be the same. */
  #fits(
    { kind }: Unfinished,
    { source, n }: Pick<ReturnType<RunJournals['attemptsAt']>[number], 'source' | 'n'>,
  ): boolean {
    if (kind === 'goOn') return true;
    const summary = source.summary(n);
    return !summary || fitsLimits(usedBy(summary, readMark(summary.metadata)?.limit), this.#limits);
  }
}
