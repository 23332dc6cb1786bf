import { type Digest, definedOf, type RunId } from '../base/index.ts';
import {
  type EvalSampleSummary,
  type LogHeader,
  type LogReader,
  loggedCode,
  type ModelUsage,
} from '../log/index.ts';
import { EpochScores } from '../stats/index.ts';
import { runIdFor } from './layout.ts';
import type { RowContent, RowScore, RunRow } from './run-row.ts';

export interface RowFacts {
  readonly name: string;
  readonly digest: Digest;
  readonly sizeBytes: number;
  readonly documents: number;
  readonly isFanned: boolean;
  readonly bodies?: RunRow['log']['bodies'];
  readonly by: { readonly user: string; readonly host: string };
}

/** What is known of the samples of a log. */
export interface SampleCounts {
  readonly samples: number;
  readonly completed: number;
  readonly errored: number;
  /** Undefined when scores are not of the kind that passes or fails, or nobody looked. */
  readonly passed?: number | undefined;
  /** Over samples, their epochs reduced as the log reduces them [RES-13]; by their mean where it names no reducer. */
  intervalOf(scorer: string, reducer?: string): { readonly low: number; readonly high: number } | undefined;
}

/** The list row of a log, as the first revision of its run: from its header and its list of samples. */
export async function makeRow(log: LogReader, facts: RowFacts): Promise<RunRow> {
  const header = await log.header();
  const { by, ...about } = facts;
  const { run, ...content } = rowOf(header, await countSamples(log));
  return { version: 1, run, revision: 1, ...content, by, log: about };
}

/** The same, as far as it is not about the log itself. */
export function rowOf(header: LogHeader, counts: SampleCounts): RowContent {
  const code = loggedCode(header.eval);
  const experiment = header.eval.metadata?.experiment;
  const { passed, samples, completed, errored } = counts;
  return {
    run: runOf(header),
    eval: header.eval.task,
    target: header.eval.model,
    ...(typeof experiment === 'string' ? { experiment } : {}),
    tags: [...header.tags],
    status: header.status,
    samples: {
      total: header.results?.total_samples ?? samples,
      completed,
      errored,
      ...definedOf({ passed }),
    },
    ...(passed === undefined || completed === 0 ? {} : { passRate: passed / completed }),
    scores: scoresOf(header, counts),
    ...spentOf(header.stats.model_usage),
    ...timesOf(header),
    ...(code ? { code } : {}),
  };
}

/**
 * What the header alone says, and the number of samples that are there: enough to list a log without reading its own list.
 * Undefined when it does not say it, as that of a run that was never finished.
 */
export function countsOfHeader({ results }: LogHeader, logged: number): SampleCounts | undefined {
  if (!results) return undefined;
  const { completed_samples: completed } = results;
  const errored = Math.max(0, logged - completed);
  return { samples: results.total_samples, completed, errored, intervalOf: () => undefined };
}

export async function countSamples(log: Pick<LogReader, 'summaries'>): Promise<SampleCounts> {
  const tally = new RowTally();
  for await (const summary of log.summaries()) tally.add(summary);
  return tally;
}

export function runOf({ eval: spec }: LogHeader): RunId {
  return runIdFor({ runId: spec.run_id, evalId: spec.eval_id, created: spec.created });
}

/** What the list of samples says, in one pass: of a sample only its scores are kept. */
class RowTally implements SampleCounts {
  samples = 0;
  completed = 0;
  errored = 0;
  readonly #scores = new Map<string, EpochScores>();
  #passed = 0;
  #isPassOrFail = true;
  #scored = 0;

  add({ id, scores, error, completed }: EvalSampleSummary): void {
    this.samples++;
    if (error !== undefined) this.errored++;
    else if (completed) this.completed++;
    const entries = Object.entries(scores ?? {});
    // 1 and "1" are one sample.
    const sample = String(id);
    for (const [name, score] of entries) {
      const over = this.#scores.get(name) ?? new EpochScores();
      this.#scores.set(name, over);
      over.add(sample, score.value);
    }
    const [first] = entries;
    // A sample that failed may have a score, but it is none of those that the rate is of.
    if (!first || error !== undefined || !completed) return;
    this.#scored++;
    const { value } = first[1];
    if (PASS.has(value)) this.#passed++;
    else if (!FAIL.has(value)) this.#isPassOrFail = false;
  }

  get passed(): number | undefined {
    return this.#isPassOrFail && this.#scored > 0 ? this.#passed : undefined;
  }

  intervalOf(scorer: string, reducer?: string): { readonly low: number; readonly high: number } | undefined {
    const interval = this.#scores.get(scorer)?.interval(reducer);
    return interval && { low: interval.lower, high: interval.upper };
  }
}

const PASS: ReadonlySet<unknown> = new Set([1, true, 'C']);
const FAIL: ReadonlySet<unknown> = new Set([0, false, 'I', 'N']);

/** The metrics that are means of the scores have the interval of that mean; others have none. */
const MEANS: ReadonlySet<string> = new Set(['accuracy', 'mean']);
const UNLISTED: ReadonlySet<string> = new Set(['stderr', 'std', 'var', 'bootstrap_stderr']);

function scoresOf({ results, eval: { config } }: LogHeader, counts: SampleCounts): RowScore[] {
  return (results?.scores ?? []).flatMap(({ name, scorer, metrics, reducer = config.epochs_reducer?.[0] }) =>
    Object.values(metrics)
      .filter((metric) => !UNLISTED.has(metric.name))
      .map((metric) => ({
        scorer,
        name,
        metric: metric.name,
        value: Number.isFinite(metric.value) ? metric.value : null,
        ...(MEANS.has(metric.name) ? counts.intervalOf(name, reducer) : {}),
      })),
  );
}

/** Money is unknown as soon as the price of anything is. */
function spentOf(usage: Readonly<Record<string, ModelUsage>>): Pick<RunRow, 'tokens' | 'usd'> {
  const all = Object.values(usage);
  const sum = (pick: (one: ModelUsage) => number | undefined) =>
    all.reduce((total, one) => total + (pick(one) ?? 0), 0);
  const isPriced = all.every((one) => one.total_cost !== undefined);
  return {
    tokens: {
      input: sum((one) => one.input_tokens),
      output: sum((one) => one.output_tokens),
      total: sum((one) => one.total_tokens),
    },
    usd: isPriced ? sum((one) => one.total_cost) : null,
  };
}

function timesOf({ stats, eval: spec }: LogHeader): Pick<RunRow, 'start' | 'end' | 'durationMs'> {
  const start = stats.started_at || spec.created;
  const end = stats.completed_at || start;
  const durationMs = Date.parse(end) - Date.parse(start);
  return { start, end, durationMs: Number.isFinite(durationMs) ? Math.max(0, durationMs) : 0 };
}
