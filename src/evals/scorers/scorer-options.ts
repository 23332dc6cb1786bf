import type { z } from 'zod';

import { type JsonObject, packagePage, toJson, UsageError } from '../../base/index.ts';
import { problemSentence, problemsOf } from '../check-definition.ts';
import type { Awaitable, MetricChoice, SampleRow, ScoreResult, Scorer, ScorerContext } from '../eval.ts';
import { metricSchema } from '../metric-schema.ts';
import { text } from '../plain-checks.ts';
import { strictObject } from '../strict-object.ts';

/** What every scorer takes besides its own options. */
export interface CommonOptions {
  /** The name under which its scores are stored; default: the scorer's own. */
  readonly name?: string;
  /** Default: accuracy and stderr, or mean and stderr where the scorer gives numbers. */
  readonly metrics?: readonly MetricChoice[];
}

export const ACCURACY: readonly MetricChoice[] = ['accuracy', 'stderr'];
export const MEAN: readonly MetricChoice[] = ['mean', 'stderr'];

export interface ScorerKind<Options extends CommonOptions> {
  readonly name: string;
  readonly options: Options;
  /** The shape of its own options. */
  readonly shape: z.ZodRawShape;
  readonly metrics?: readonly MetricChoice[];
  score(context: ScorerContext): Awaitable<ScoreResult>;
  /** Throws for a row that it could not score. */
  check?(sample: SampleRow): void;
}

/** Builds a scorer after checking its options. What it records as options is all but name and metrics. */
export function buildScorer<Options extends CommonOptions>(kind: ScorerKind<Options>): Scorer {
  checkOptions(kind);
  const { name = kind.name, metrics = kind.metrics ?? ACCURACY, ...own } = kind.options;
  const options = toJson(own) as JsonObject;
  const { check } = kind;
  return {
    name,
    options,
    metrics,
    score: (context) => kind.score(context),
    ...(check !== undefined && { check: (sample: SampleRow) => check(sample) }),
  };
}

function checkOptions<Options extends CommonOptions>({ name, options, shape }: ScorerKind<Options>): void {
  const common = { name: text.optional(), metrics: metricSchema.array().optional() };
  const problems = problemsOf(strictObject(`the options of ${name}`, { ...common, ...shape }), options);
  if (problems.length === 0) return;
  throw new UsageError({
    code: 'E_EVAL_INVALID',
    message: `In the scorer ${name}, ${problemSentence(problems)}`,
    hint: `Correct the options; ${packagePage('guide/writing-evals.md')} lists what each scorer takes.`,
  });
}
