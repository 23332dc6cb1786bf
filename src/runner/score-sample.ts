import { type JsonObject, messageOf, toJson } from '../base/index.ts';
import { type PlannedScorer, type SampleRow, type ScorerContext, textOf } from '../evals/index.ts';
import type { Score } from '../log/index.ts';
import {
  BudgetExhausted,
  createExec,
  createGenerate,
  createOwnCalls,
  type Models,
  newEvent,
  type Recorder,
  type SampleScope,
  scoringScope,
  untilAborted,
  type Workspace,
} from '../targets/index.ts';
import { fitScore } from './fit-log.ts';
import { sampleTarget } from './sample-content.ts';

export interface ScoreSampleOptions {
  readonly row: SampleRow;
  readonly epoch: number;
  readonly output: unknown;
  readonly scorers: readonly PlannedScorer[];
  readonly models: Models;
  readonly scope: SampleScope;
  readonly recorder: Pick<Recorder, 'emit'>;
  readonly workspace: Workspace;
  readonly signal: AbortSignal;
}

/** Asks every scorer. One that throws leaves its score unscored, with the reason; the others go on. */
export async function scoreSample(options: ScoreSampleOptions): Promise<Readonly<Record<string, Score>>> {
  const scope = scoringScope(options.scope);
  const context = contextOf(options, scope);
  const scores: Record<string, Score> = {};
  for (const scorer of options.scorers) {
    const score = fitScore(await scoreOne(scorer, context, options));
    scores[scorer.key] = score;
    options.recorder.emit(
      newEvent(scope, 'score', {
        score: toJson(score),
        target: toJson(sampleTarget(options.row)),
        scorer: scorer.key,
      }),
    );
  }
  return scores;
}

function contextOf(options: ScoreSampleOptions, scope: SampleScope): ScorerContext {
  const { row, output, epoch, signal, models, workspace } = options;
  return {
    sample: row,
    input: row.input,
    target: row.target,
    output,
    text: textOf(output),
    epoch,
    signal,
    generate: createGenerate({ models, scope }),
    ...createOwnCalls({ models, scope }),
    exec: createExec({ models, scope, workspace }),
  };
}

async function scoreOne(
  scorer: PlannedScorer,
  context: ScorerContext,
  options: ScoreSampleOptions,
): Promise<Score> {
  try {
    const { value, answer, explanation, metadata } = await untilAborted(options.signal, () =>
      scorer.score(context),
    );
    // Scorers are users' code: whatever they give becomes JSON here, or the log could not be written.
    return {
      value: toJson(value),
      ...(answer === undefined ? {} : { answer: textOf(answer) }),
      ...(explanation === undefined ? {} : { explanation: textOf(explanation) }),
      ...(metadata === undefined ? {} : { metadata: toJson(metadata) as JsonObject }),
      history: [],
    };
  } catch (error) {
    // An interruption and an empty purse are no verdict: the sample is scored when the run goes on.
    if (options.signal.aborted || error instanceof BudgetExhausted) throw error;
    return {
      value: Number.NaN,
      explanation: options.models.redact(`The scorer failed: ${messageOf(error)}`),
      metadata: { error: options.models.redact(messageOf(error)) },
      history: [],
    };
  }
}
