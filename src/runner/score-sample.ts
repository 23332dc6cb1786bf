import { ActionableError, isJsonObject, type JsonObject, toJson } from '../base/index.ts';
import {
  type OwnCalls,
  type PlannedScorer,
  type SampleRow,
  type ScorerContext,
  textOf,
} from '../evals/index.ts';
import type { Score } from '../log/index.ts';
import {
  createExec,
  createGenerate,
  createOwnCalls,
  failureText,
  type Models,
  newEvent,
  type Recorder,
  type SampleScope,
  scopeUntil,
  scoringScope,
  stopIn,
  untilAborted,
  type Workspace,
} from '../targets/index.ts';
import { fitScore } from './fit-log.ts';
import { sampleTarget } from './sample-content.ts';
import { failedScore } from './scorer-failure.ts';

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
  /** How long each scorer may work. */
  readonly timeMs: number;
}

/** Asks every scorer. One that throws or takes too long leaves its score unscored, with the reason; the others go on. */
export async function scoreSample(options: ScoreSampleOptions): Promise<Readonly<Record<string, Score>>> {
  const scope = scoringScope(options.scope);
  const scores: Record<string, Score> = {};
  for (const scorer of options.scorers) {
    using time = limitTime(scorer.key, scope, options);
    const limited = scopeUntil(scope, time.signal);
    using own = createOwnCalls({ models: options.models, scope: limited });
    const context = { ...contextOf({ ...options, signal: time.signal }, limited), ...own.calls };
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

function contextOf(options: ScoreSampleOptions, scope: SampleScope): Omit<ScorerContext, keyof OwnCalls> {
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
    artifact: scope.artifacts.folder,
    exec: createExec({ models, scope, workspace }),
  };
}

/** A signal that is aborted when the scorer has worked for too long; waiting for a model's turn is no work. */
function limitTime(
  scorer: string,
  { meter, clock }: SampleScope,
  { signal, timeMs }: ScoreSampleOptions,
): Disposable & { readonly signal: AbortSignal } {
  const late = new AbortController();
  const over = new AbortController();
  const startedMs = meter.workingMs();
  const watch = async () => {
    for (let restMs = timeMs; restMs > 0; restMs = timeMs - (meter.workingMs() - startedMs))
      await clock.sleep(Math.max(1, restMs), over.signal);
    late.abort(tookTooLong(scorer, timeMs));
  };
  watch().catch(() => undefined); // A sleep fails only because the scorer ended in time.
  return {
    signal: AbortSignal.any([signal, late.signal]),
    [Symbol.dispose]: () => over.abort(ENDED),
  };
}

/** A reason of our own: making the default one, an exception with a stack, takes longer than all else here. */
const ENDED = 'the scorer ended';

function tookTooLong(scorer: string, timeMs: number): ActionableError {
  return new ActionableError({
    code: 'E_SCORER_TIME',
    message: `The scorer ${scorer} took longer than ${timeMs / 1_000} s and was stopped.`,
    hint: 'Give it more time with `scorerTimeMs` in the eval, or find out what it waits for.',
  });
}

async function scoreOne(
  scorer: PlannedScorer,
  context: ScorerContext,
  options: ScoreSampleOptions,
): Promise<Score> {
  try {
    const { value, answer, explanation, metadata } = await untilAborted(context.signal, () =>
      scorer.score(context),
    );
    // Scorers are users' code: whatever they say becomes JSON here, or the log could not be written.
    return {
      value: toJson(value),
      ...(answer === undefined ? {} : { answer: textOf(answer) }),
      ...(explanation === undefined ? {} : { explanation: textOf(explanation) }),
      ...(metadata === undefined ? {} : { metadata: objectOf(metadata) }),
      history: [],
    };
  } catch (error) {
    // An interruption and an empty purse are no verdict: the sample is scored when the run goes on.
    if (options.signal.aborted) throw error;
    const stop = stopIn(error);
    if (stop) throw stop;
    const code = error instanceof ActionableError ? error.code : undefined;
    return failedScore(options.models.redact(failureText(error)), code);
  }
}

function objectOf(metadata: unknown): JsonObject {
  const value = toJson(metadata);
  return isJsonObject(value) ? value : { value };
}
