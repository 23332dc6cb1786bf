import { sampleKeyText } from '../base/index.ts';
import type { EvalCode } from '../code/index.ts';
import { lookAtRun, type RunJournals } from '../journal/index.ts';
import { readMark } from '../reuse/index.ts';
import type { EarlierRuns } from './earlier-runs.ts';
import { markOf, saySame } from './later-modules.ts';
import { lookBack } from './look-back.ts';
import type { PlannedSample } from './plan.ts';
import { earlierRunsOf, type PreparedEval, prepareEval } from './prepare-eval.ts';
import type { RunSettings, RunTask } from './settings.ts';

/** What a run would do, and about what it would cost. */
export interface Forecast {
  readonly eval: string;
  readonly target: string;
  readonly planned: number;
  /** Their results are taken as they are. */
  readonly kept: number;
  /** Their outputs are there, and are scored anew. */
  readonly toScore: number;
  /** They run, with answers that are on record as far as they ask for the same. */
  readonly toReplay: number;
  /** They run, and nothing is known of them. */
  readonly toBuy: number;
  /** About what the last ones will cost; absent when there is nothing to go by. */
  readonly estimateUsd?: number | undefined;
  /** What could not be read. */
  readonly damage: readonly string[];
}

/** Looks at what earlier runs left, and does nothing. */
export async function forecastEval(task: RunTask, settings: RunSettings): Promise<Forecast> {
  const prepared = await prepareEval(task, settings);
  try {
    return await forecast(prepared);
  } finally {
    await prepared.dataset.close();
  }
}

async function forecast(prepared: PreparedEval): Promise<Forecast> {
  const { settings, plan, target, task } = prepared;
  const back = await lookBack(settings, plan, task.code);
  const damage = [...back.damage];
  await using earlier = await earlierRunsOf(prepared, (sentence) => void damage.push(sentence));
  const unfinished = new UnfinishedRuns(task.code);
  try {
    for (const { dir } of [...back.stale, ...(back.goOn ? [back.goOn] : [])])
      unfinished.add(await lookAtRun({ disk: settings.disk, runDir: dir }));
    const counts = { kept: 0, toScore: 0, toReplay: 0, toBuy: 0 };
    for (const sample of plan.samples) counts[await fateOf(sample, { earlier, unfinished })]++;
    const averageUsd = earlier.averageUsd();
    return {
      eval: plan.identity.eval,
      target: target.name,
      planned: plan.size,
      ...counts,
      ...(averageUsd === undefined ? {} : { estimateUsd: averageUsd * counts.toBuy }),
      damage,
    };
  } finally {
    unfinished.close();
  }
}

type Fate = 'kept' | 'toScore' | 'toReplay' | 'toBuy';

async function fateOf(
  sample: PlannedSample,
  { earlier, unfinished }: { readonly earlier: EarlierRuns; readonly unfinished: UnfinishedRuns },
): Promise<Fate> {
  const there = await unfinished.fateOf(sample);
  if (there === 'kept' || (await earlier.result(sample))) return 'kept';
  if (there === 'toScore' || (await earlier.output(sample))) return 'toScore';
  return there === 'toReplay' || earlier.hasAnswers(sample) ? 'toReplay' : 'toBuy';
}

/** Journals of runs that did not finish: a run would go on with them, or make logs of them first. */
class UnfinishedRuns {
  readonly #journals: RunJournals[] = [];
  readonly #code: EvalCode | undefined;

  constructor(code: EvalCode | undefined) {
    this.#code = code;
  }

  add(journals: RunJournals | undefined): void {
    if (journals) this.#journals.push(journals);
  }

  async fateOf({ id, epoch, key, asked }: PlannedSample): Promise<Fate> {
    let fate: Fate = 'toBuy';
    const name = sampleKeyText(id, epoch);
    for (const journals of this.#journals) {
      for (const attempt of journals.attemptsAt(id, epoch)) {
        if (sampleKeyText(attempt.id, attempt.epoch) !== name) continue;
        const isDone = attempt.status === 'completed' && (await saySame(markOf(attempt)?.later, this.#code));
        if (isDone && attempt.key === key) return 'kept';
        const isSameOutput = readMark(attempt.sample.metadata)?.asked === asked;
        if (isDone && isSameOutput) fate = 'toScore';
        else if (fate === 'toBuy' && attempt.source.isPaid(attempt.n)) fate = 'toReplay';
      }
    }
    return fate;
  }

  close(): void {
    for (const journals of this.#journals) journals.close();
  }
}
