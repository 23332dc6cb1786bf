import {
  ActionableError,
  type Clock,
  type Digest,
  isoTime,
  type JsonObject,
  type Random,
  shortId,
  toJson,
  UsageError,
} from '../base/index.ts';
import type { EvalCode } from '../code/index.ts';
import type { Disk } from '../disk/index.ts';
import type { PlannedScorer, SampleLimits, SampleRow } from '../evals/index.ts';
import { addUsage, type EvalError, type SampleFields, type SampleLimit, type Score } from '../log/index.ts';
import { readMark, withMark } from '../reuse/index.ts';
import {
  BudgetExhausted,
  createSampleMeter,
  createSampleScope,
  LimitExceeded,
  type MeterTotals,
  type Models,
  NO_ARTIFACTS,
  newEvent,
  type RunnableTarget,
  type SampleArtifacts,
  type SampleMeter,
  type SampleScope,
  seconds,
  type TargetResult,
  type Workspace,
} from '../targets/index.ts';
import type { EarlierError } from './earlier-errors.ts';
import { errorOf } from './eval-error.ts';
import { countAgain, type FinishedTarget, finishedOutput } from './finished-target.ts';
import { fitResult } from './fit-log.ts';
import { JournalRecorder, keepAnswers, type RecordedAnswers } from './journal-recorder.ts';
import type { KeptOutput } from './kept-output.ts';
import { withLater } from './later-modules.ts';
import { type PlannedSample, resultKey } from './plan.ts';
import { redactedAttempt } from './redacted-attempt.ts';
import {
  recordedOutput,
  sampleInput,
  sampleMetadata,
  sampleTarget,
  withOutputKind,
} from './sample-content.ts';
import type { AttemptSink, SampleJournal } from './sample-journal.ts';
import { scoreSample } from './score-sample.ts';
import { hasFailedScore, unscoredKey } from './scorer-failure.ts';

/** What all samples of a run share. */
export interface SampleRunner {
  readonly target: RunnableTarget;
  readonly scorers: readonly PlannedScorer[];
  readonly scorerTimeMs: number;
  readonly limits: SampleLimits;
  readonly models: Models;
  readonly clock: Clock;
  readonly random: Random;
  readonly disk: Disk;
  /** Who scores, as a part of keys. */
  readonly scoring: Digest;
  readonly code: EvalCode | undefined;
  readonly openWorkspace: (sample: PlannedSample, existing?: string) => Workspace;
}

export interface SampleTask {
  readonly planned: PlannedSample;
  readonly row: SampleRow;
  readonly journal: SampleJournal;
  /** What it may read; or why it cannot be run at all, which is then its error. */
  readonly artifacts: SampleArtifacts | ActionableError;
  readonly answers: RecordedAnswers;
  /** Errors of earlier attempts, oldest first. */
  readonly earlier: readonly EarlierError[];
  /** The output of an earlier run, which stands: only scoring is left. */
  readonly kept?: KeptOutput;
  /** An attempt whose target had ended already, though it cannot be replayed: only scoring is left. */
  readonly finished?: FinishedTarget;
  /** Aborted when the run must stop now: the sample is then interrupted, and resumable. */
  readonly signal: AbortSignal;
}

/** What is told of a sample that ended; all of it is in the journal. */
export type OutcomeFields = Pick<SampleFields, 'scores' | 'error' | 'limit'>;

export interface SampleOutcome {
  readonly status: 'completed' | 'errored' | 'interrupted';
  /** Why it was interrupted: the reason of the signal, or that the money is spent. */
  readonly reason?: unknown;
  readonly fields?: OutcomeFields;
  readonly totals: MeterTotals;
  /** True when the target had ended in an earlier attempt, and only scoring was left. */
  readonly wasFinished?: boolean;
  /** True when the output of an earlier run was scored anew. */
  readonly wasKept?: boolean;
  /** False when its answers led to its error: none of its calls failed. */
  readonly canReplay?: boolean;
}

/**
 * Makes one attempt at one sample. Every way to end is an outcome: a result that is durable (completed, or errored with
 * its error), or an interruption that leaves its answers for the next attempt. Only a failing journal and a UsageError throw.
 */
export async function runSample(runner: SampleRunner, task: SampleTask): Promise<SampleOutcome> {
  const { planned, row, finished, kept } = task;
  const uuid = finished?.uuid ?? kept?.fields.uuid ?? shortId(runner.random);
  const startedAt = finished?.startedAt ?? kept?.fields.started_at ?? isoTime(runner.clock.nowMs());
  const { redaction } = runner.models;
  const sample = redaction.value({
    input: sampleInput(row),
    target: sampleTarget(row),
    ...(row.choices ? { choices: row.choices } : {}),
    metadata: sampleMetadata(row, planned),
  });
  const started = finished
    ? task.journal.continueAttempt(finished)
    : task.journal.startAttempt({
        id: planned.id,
        epoch: planned.epoch,
        key: planned.key,
        uuid,
        startedAt,
        ...(task.earlier.length > 0 ? { earlier: task.earlier.map(withoutEvents) } : {}),
        sample,
      });
  const attempt = redactedAttempt(started, redaction);
  using meter = createSampleMeter(runner.limits, { clock: runner.clock, signal: task.signal });
  const recorder = new JournalRecorder(attempt, task.answers, {
    random: runner.random,
    journal: task.journal,
  });
  const scope = createSampleScope({
    recorder,
    meter,
    clock: runner.clock,
    random: runner.random,
    salt: uuid,
    artifacts: task.artifacts instanceof ActionableError ? NO_ARTIFACTS : task.artifacts,
  });
  const about = { id: planned.id, epoch: planned.epoch, ...sample, uuid, started_at: startedAt };
  if (finished) countAgain(finished, meter);
  else if (kept) {
    for await (const event of kept.events) attempt.event(event);
    keepAnswers(attempt, task.answers);
  } else
    recorder.emit(
      newEvent(scope, 'sample_init', { sample: toJson({ id: planned.id, ...sample }), state: {} }),
    );
  // Awaited here: the meter's timers must run for as long as the sample does.
  return await new Attempt(runner, task, { attempt, recorder, meter, scope, about }).run();
}

/** The journal has the events already; the new attempt's own row names the errors only. */
function withoutEvents({ message, traceback, traceback_ansi }: EarlierError): EvalError {
  return { message, traceback, traceback_ansi };
}

/** A sample that a scorer failed on is scored again by the next command: its output stands, its result does not. */
function withScoresMark(metadata: JsonObject, scores: Readonly<Record<string, Score>>): JsonObject {
  const key = hasFailedScore(scores) ? readMark(metadata)?.key : undefined;
  return key === undefined ? metadata : withMark(metadata, { key: unscoredKey(key) });
}

type AboutSample = Pick<
  SampleFields,
  'id' | 'epoch' | 'input' | 'target' | 'choices' | 'metadata' | 'uuid' | 'started_at'
>;

interface AttemptParts {
  readonly attempt: AttemptSink;
  readonly recorder: JournalRecorder;
  readonly meter: SampleMeter;
  readonly scope: SampleScope;
  readonly about: AboutSample;
}

/** One attempt under way: target, then scorers, then the durable result. */
class Attempt {
  readonly #runner: SampleRunner;
  readonly #task: SampleTask;
  readonly #parts: AttemptParts;
  readonly #workspace: Workspace;

  constructor(runner: SampleRunner, task: SampleTask, parts: AttemptParts) {
    this.#runner = runner;
    this.#task = task;
    this.#parts = parts;
    this.#workspace = runner.openWorkspace(task.planned, task.finished?.workspace ?? task.kept?.workspace);
  }

  async run(): Promise<SampleOutcome> {
    let stopped: LimitExceeded | undefined;
    let result: TargetResult | undefined;
    try {
      result = this.#resultThere() ?? (await this.#runTarget());
    } catch (error) {
      if (this.#isInterruption(error)) return this.#interrupted(error);
      // A mistake in the eval itself (no model, no key) is the same for every sample: the run says it and stops.
      if (error instanceof UsageError) throw error;
      if (!(error instanceof LimitExceeded)) return this.#errored(error);
      stopped = error;
      this.#emitLimit(error);
    }
    try {
      const scores = await this.#score(result);
      return await this.#completed(result, scores, stopped);
    } catch (error) {
      if (this.#isInterruption(error)) return this.#interrupted(error);
      throw error;
    }
  }

  #resultThere(): TargetResult | undefined {
    const { finished, kept } = this.#task;
    if (!kept) return finished?.result;
    const { messages, output } = kept.fields;
    return { output: recordedOutput(kept.fields), messages, modelOutput: output };
  }

  async #runTarget(): Promise<TargetResult> {
    const { artifacts } = this.#task;
    if (artifacts instanceof ActionableError) throw artifacts;
    const { scope, recorder } = this.#parts;
    const phase = recorder.phase();
    const span = { name: this.#runner.target.name, type: 'solver' };
    const { epoch } = this.#task.planned;
    const run = { scope: { ...scope, recorder: phase }, epoch, workspace: this.#workspace };
    let result: TargetResult;
    try {
      result = await recorder.inSpan(scope, span, () => this.#runner.target.run(this.#task.row, run));
    } finally {
      if (this.#parts.meter.exceeded) await this.#parts.meter.callsEnded();
      phase.end();
    }
    if (this.#runner.target.startsOver) {
      const { attempt, meter } = this.#parts;
      await attempt.output(
        finishedOutput(result, { usage: meter.usageByModel(), workspace: this.#workspace.dir }),
      );
    }
    return result;
  }

  async #score(result: TargetResult | undefined): Promise<Readonly<Record<string, Score>>> {
    const { scope, recorder } = this.#parts;
    // A sample that met its limit is scored on what it had said by then.
    const said = scope.conversation.output?.completion ?? '';
    const phase = recorder.phase();
    const scoring = recorder.inSpan(scope, { name: 'scorers', type: 'scorers' }, () =>
      scoreSample({
        row: this.#task.row,
        epoch: this.#task.planned.epoch,
        output: result === undefined ? said : result.output,
        scorers: this.#runner.scorers,
        models: this.#runner.models,
        scope: { ...scope, recorder: phase },
        recorder: phase,
        workspace: this.#workspace,
        signal: this.#task.signal,
        timeMs: this.#runner.scorerTimeMs,
      }),
    );
    return scoring.finally(phase.end);
  }

  async #completed(
    whole: TargetResult | undefined,
    scores: Readonly<Record<string, Score>>,
    stopped: LimitExceeded | undefined,
  ): Promise<SampleOutcome> {
    const { conversation } = this.#parts.scope;
    const result = whole && (await fitResult(whole, this.#runner.disk, this.#workspace));
    const limit = stopped?.toSampleLimit();
    const fields: SampleFields = this.#task.kept
      ? await this.#scoredAnew(this.#task.kept, scores)
      : {
          ...this.#common(),
          metadata: withScoresMark(await this.#markedMetadata(result, limit), scores),
          messages: result?.messages ?? conversation.messages,
          output: result?.modelOutput ?? conversation.output ?? { choices: [] },
          scores,
          ...(limit ? { limit } : {}),
        };
    await this.#parts.attempt.finish('completed', fields);
    return {
      status: 'completed',
      fields,
      totals: this.#parts.meter.totals,
      wasFinished: this.#task.finished !== undefined,
      wasKept: this.#task.kept !== undefined,
    };
  }

  /** What an earlier run said of the sample, under new scores. What it asked is what that run asked. */
  async #scoredAnew(
    { fields, from }: KeptOutput,
    scores: Readonly<Record<string, Score>>,
  ): Promise<SampleFields> {
    const { about, meter } = this.#parts;
    const { asked, key } = this.#task.planned;
    const marked = readMark(fields.metadata);
    const before = marked?.asked ?? asked;
    const later = await withLater(marked, this.#runner.code);
    const mark =
      before === asked ? { asked, key } : { asked: before, key: resultKey(before, this.#runner.scoring) };
    const usage = { ...fields.model_usage };
    for (const [model, added] of Object.entries(meter.usageByModel()))
      usage[model] = addUsage(usage[model], added);
    return {
      ...fields,
      metadata: withScoresMark(
        withMark(fields.metadata, {
          ...mark,
          ...later,
          made: { how: 'scored anew', from, ...this.#calls() },
        }),
        scores,
      ),
      target: about.target,
      scores,
      model_usage: usage,
    };
  }

  async #markedMetadata(
    result: TargetResult | undefined,
    limit: SampleLimit | undefined,
  ): Promise<JsonObject> {
    const { metadata } = this.#parts.about;
    const later = await withLater(undefined, this.#runner.code);
    const calls = this.#calls();
    return withMark(result ? withOutputKind(metadata, result.output) : metadata, {
      ...later,
      ...(limit ? { limit: { type: limit.type, limit: limit.limit } } : {}),
      made: { how: calls.replayed > 0 ? 'replayed' : 'bought', ...calls },
    });
  }

  #calls(): { readonly bought: number; readonly replayed: number } {
    const { boughtCalls, replayedCalls } = this.#parts.meter.totals;
    return { bought: boughtCalls, replayed: replayedCalls };
  }

  async #errored(error: unknown): Promise<SampleOutcome> {
    const { scope, recorder } = this.#parts;
    const evalError = errorOf(error, this.#runner.models.redact);
    recorder.emit(newEvent(scope, 'error', { error: toJson(evalError) }));
    const fields: SampleFields = {
      ...this.#common(),
      messages: scope.conversation.messages,
      output: scope.conversation.output ?? { choices: [] },
      error: evalError,
    };
    await this.#parts.attempt.finish('errored', fields);
    const { totals } = this.#parts.meter;
    return { status: 'errored', fields, totals, canReplay: totals.failedCalls > 0 };
  }

  #interrupted(reason: unknown): SampleOutcome {
    return { status: 'interrupted', reason, totals: this.#parts.meter.totals };
  }

  #isInterruption(error: unknown): boolean {
    return this.#task.signal.aborted || error instanceof BudgetExhausted;
  }

  #emitLimit(stopped: LimitExceeded): void {
    const { recorder, scope } = this.#parts;
    recorder.emit(
      newEvent(scope, 'sample_limit', { type: stopped.type, message: stopped.message, limit: stopped.limit }),
    );
  }

  #common() {
    const { meter, about } = this.#parts;
    const { clock } = this.#runner;
    return {
      ...about,
      store: {},
      model_usage: meter.usageByModel(),
      role_usage: {},
      completed_at: isoTime(clock.nowMs()),
      total_time: seconds(meter.elapsedMs()),
      working_time: seconds(meter.workingMs()),
      error_retries: this.#task.earlier,
      turn_count: meter.totals.turns,
    };
  }
}
