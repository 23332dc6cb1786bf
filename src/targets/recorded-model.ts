import {
  ActionableError,
  type Clock,
  isoTime,
  type Json,
  type Random,
  shortId,
  toJson,
} from '../base/index.ts';
import type { ChatMessage, LogEvent } from '../log/index.ts';
import { type Budget, BudgetExhausted, PriceUnknown } from './budget.ts';
import type { CallWatch } from './call-watch.ts';
import { chatMessagesOf } from './chat-messages.ts';
import type { Conversation } from './conversation.ts';
import { failureText } from './failure-text.ts';
import type { LanguageModel, ModelAnswer, ModelRequest } from './language-model.ts';
import { LimitExceeded } from './limit-exceeded.ts';
import { type EventStart, finishEvent, secondsSince, startEvent } from './log-event.ts';
import { emptyOutput, modelOutputOf, requestFields } from './model-event.ts';
import type { Entrance } from './models.ts';
import type { Prices } from './prices.ts';
import type { PaidRequest, RecordedAnswer, Recorder } from './recorder.ts';
import type { Redaction } from './redaction.ts';
import { digestOfModelRequest } from './request-digest.ts';
import { DEFAULT_RETRY, type RetryPolicy, readFailure, withRetry } from './retry.ts';
import type { AdmittedCall, SampleMeter } from './sample-meter.ts';
import { streamOf } from './simulated-stream.ts';
import { readModelAnswer } from './stored-answer.ts';
import { modelUsageOf } from './usage.ts';
import { decodeValue, encodeValue } from './value-codec.ts';

export interface RecordedModelOptions {
  /** The name under which the log, the prices and the digest know it: `openai/gpt-5`. */
  readonly name: string;
  readonly recorder: Recorder;
  readonly meter: SampleMeter;
  readonly gate: Entrance;
  readonly clock: Clock;
  readonly prices: Prices;
  readonly random: Random;
  readonly budget?: Budget;
  readonly retry?: RetryPolicy;
  readonly calls?: CallWatch;
  /** What else it was opened with and could change answers, such as a base URL. */
  /** Its name in digests, when that is another. */
  readonly knownAs?: string;
  readonly settings?: Json;
  readonly conversation?: Conversation;
  /** See SampleScope. */
  readonly salt?: string;
  /** Takes secrets out of texts that go into events and errors. */
  readonly redact?: (text: string) => string;
  /** What the eval wants redacted: answers are, before anybody sees them [RED-2]. */
  readonly redaction?: Redaction;
}

/** A model that failed for good: retries are used up, or the failure is not one that time heals. */
export class ModelCallError extends ActionableError {
  override readonly name = 'ModelCallError';
  readonly status: number | undefined;
}

/**
 * A model whose every answer is durable before anybody sees it, and is bought only once.
 *
 * - [REP-1] A request that was answered in an earlier attempt (same digest, same occurrence) gets that answer, exactly,
 *   without a call.
 * - [REP-2] A live answer goes through the same encoding, so what is seen live is what a replay would give.
 * - [REP-3] A call that fails or is aborted records no answer, only an event that says so.
 *
 * It wraps at the level of single calls. So tools, several steps, structured output and (simulated) streams work as
 * they do without it.
 */
export function recordedModel(model: LanguageModel, options: RecordedModelOptions): LanguageModel {
  const calls = new RecordedCalls(model, options);
  return {
    specificationVersion: 'v4',
    provider: model.provider,
    modelId: model.modelId,
    supportedUrls: model.supportedUrls,
    doGenerate: (request) => calls.answer(request),
    doStream: async (request) => streamOf(await calls.answer(request)),
  };
}

interface Call {
  readonly request: ModelRequest;
  readonly paid: PaidRequest;
  readonly input: readonly ChatMessage[];
  readonly start: EventStart;
  readonly signal: AbortSignal;
  retries: number;
}

class RecordedCalls {
  readonly #model: LanguageModel;
  readonly #options: RecordedModelOptions & { readonly retry: RetryPolicy };

  constructor(model: LanguageModel, options: RecordedModelOptions) {
    this.#model = model;
    this.#options = { retry: DEFAULT_RETRY, ...options };
  }

  async answer(request: ModelRequest): Promise<ModelAnswer> {
    const { name, knownAs = name, meter, recorder, settings = null } = this.#options;
    const call: Call = {
      request,
      paid: { kind: 'model', digest: digestOfModelRequest(knownAs, settings, request) },
      input: chatMessagesOf(request.prompt, this.#options.salt ?? ''),
      start: startEvent(this.#options),
      signal: eitherOf(request.abortSignal, meter.signal),
      retries: 0,
    };
    call.signal.throwIfAborted();
    const admitted = await meter.admitModelCall(call.input.length);
    try {
      const recorded = recorder.recall(call.paid);
      return recorded ? this.#replay(call, recorded, admitted) : await this.#buy(call, admitted);
    } finally {
      admitted.giveBack();
    }
  }

  #replay(call: Call, recorded: RecordedAnswer, admitted: AdmittedCall): ModelAnswer {
    const { answer: stored, timeS, retries } = readModelAnswer(recorded.value);
    const answer = this.#redacted(stored);
    call.retries = retries;
    this.#options.recorder.emit(this.#answerEvent(call, { answer, recorded, timeS, isReplayed: true }));
    this.#count(admitted, { call, answer, recorded, isReplayed: true });
    return answer;
  }

  async #buy(call: Call, admitted: AdmittedCall): Promise<ModelAnswer> {
    const { recorder, prices, name } = this.#options;
    const live = await this.#callLive(call);
    const timeS = secondsSince(this.#options, call.start);
    const value = { answer: encodeValue(this.#redacted(this.#keep(live))), timeS, retries: call.retries };
    const answer = decodeValue(value.answer) as ModelAnswer;
    const usage = modelUsageOf(answer.usage);
    const costUsd = prices.costOf(name, usage);
    const recorded: RecordedAnswer = {
      value,
      ...(costUsd !== undefined && { costUsd }),
      tokens: usage.total_tokens,
    };
    const event = this.#answerEvent(call, { answer, recorded, timeS, isReplayed: false });
    await recorder.record(call.paid, recorded, [event]);
    this.#count(admitted, { call, answer, recorded, isReplayed: false });
    return answer;
  }

  #redacted(answer: ModelAnswer): ModelAnswer {
    return this.#options.redaction?.value(answer) ?? answer;
  }

  /** Bodies and headers of the HTTP exchange are left out: they repeat the history, and may hold secrets. */
  #keep({ request: _request, response, ...answer }: ModelAnswer): ModelAnswer {
    return {
      ...answer,
      response: {
        id: response?.id ?? shortId(this.#options.random),
        timestamp: response?.timestamp ?? new Date(this.#options.clock.nowMs()),
        modelId: response?.modelId ?? this.#model.modelId,
      },
    };
  }

  async #callLive(call: Call): Promise<ModelAnswer> {
    const { clock, random, retry, meter, budget, prices, name, calls } = this.#options;
    try {
      if (budget?.needsPrices && prices.priceOf(name) === undefined) throw new PriceUnknown([name]);
      const answer = await withRetry(
        (retries) => {
          call.retries = retries;
          return this.#callOnce(call);
        },
        {
          policy: retry,
          clock,
          random,
          signal: call.signal,
          // A limit that was met meanwhile lets a call end that is under way, but not begin anew.
          wait: async (ms) => {
            if (meter.exceeded) throw meter.exceeded;
            await meter.whileWaiting(() => clock.sleep(ms, call.signal));
          },
          hasAnswered: () => calls?.hasAnswered(name) ?? false,
          onFailure: (error, tried) =>
            calls?.onFailedTry?.({ model: name, reason: this.#reasonOf(error), ...tried }),
        },
      );
      calls?.answered(name);
      return answer;
    } catch (error) {
      throw this.#failed(call, error);
    }
  }

  async #callOnce(call: Call): Promise<ModelAnswer> {
    const { gate, meter, budget, clock, prices, name } = this.#options;
    const pass = await meter.whileWaiting(() => gate.enter(call.signal));
    const mustNot = meter.exceeded ?? (budget?.isExhausted() ? new BudgetExhausted(budget) : undefined);
    if (mustNot) {
      pass.leave('failed');
      throw mustNot;
    }
    try {
      const request = { ...call.request, abortSignal: call.signal };
      const answer = await meter.whileWorking(() => orAborted(this.#model.doGenerate(request), call.signal));
      // Before the next caller may enter: it must see that the money is gone.
      budget?.spend(prices.costOf(name, modelUsageOf(answer.usage)));
      pass.leave('succeeded');
      return answer;
    } catch (error) {
      pass.leave(readFailure(error, clock.nowMs()).isOverload ? 'overloaded' : 'failed');
      throw error;
    }
  }

  /** Leaves an event about the failure, and gives the error to throw. */
  #failed(call: Call, error: unknown): unknown {
    const { name, recorder, clock, calls, redact = (text) => text } = this.#options;
    const reason = call.signal.aborted ? (call.signal.reason ?? error) : error;
    const message = redact(failureText(reason));
    recorder.emit(
      this.#event(call, {
        output: toJson(emptyOutput(name, message)),
        error: call.signal.aborted ? cancelSentinel(reason) : message,
      }),
    );
    this.#options.meter.countFailedCall();
    if (call.signal.aborted || reason instanceof ActionableError) return reason;
    calls?.failed(name, { ...readFailure(error, clock.nowMs()), reason: this.#reasonOf(error) });
    return this.#callError(call, { cause: error, message });
  }

  #reasonOf(error: unknown): string {
    const { redact = (text) => text } = this.#options;
    const { status } = readFailure(error, this.#options.clock.nowMs());
    return redact(`${status === undefined ? '' : `HTTP ${status}: `}${failureText(error)}`);
  }

  #callError(call: Call, { cause, message }: { cause: unknown; message: string }): ModelCallError {
    const { status, isRetryable } = readFailure(cause, this.#options.clock.nowMs());
    const tries = call.retries > 0 ? ` after ${call.retries + 1} tries` : '';
    const answered = status === undefined ? '' : ` (HTTP ${status})`;
    const error = new ModelCallError({
      code: 'E_MODEL_CALL',
      message: `The call to ${this.#options.name} failed${tries}${answered}: ${message}`,
      hint: isRetryable
        ? 'Run the same command again later: only what is missing is asked for.'
        : 'Check the name of the model, the key, and the request; the sample is run again next time.',
      retryable: isRetryable,
      cause,
    });
    return Object.assign(error, { status });
  }

  #answerEvent(
    call: Call,
    about: {
      readonly answer: ModelAnswer;
      readonly recorded: RecordedAnswer;
      readonly timeS: number;
      readonly isReplayed: boolean;
    },
  ): LogEvent {
    const { name, conversation, salt = '' } = this.#options;
    const { answer, recorded, timeS, isReplayed } = about;
    const { input } = call;
    const output = modelOutputOf({ answer, model: name, input, timeS, costUsd: recorded.costUsd, salt });
    conversation?.exchange(input, output);
    const holdfast = {
      ...(isReplayed && { replayed: true }),
      ...(answer.warnings.length > 0 && { warnings: toJson(answer.warnings) }),
    };
    return this.#event(call, {
      output: toJson(output),
      working_time: timeS,
      ...(Object.keys(holdfast).length > 0 && { metadata: { holdfast } }),
    });
  }

  #event(call: Call, fields: Readonly<Record<string, Json | undefined>>): LogEvent {
    const { name, clock } = this.#options;
    return finishEvent(this.#options, call.start, {
      event: 'model',
      ...requestFields(name, call.request, call.input),
      ...fields,
      ...(call.retries > 0 && { retries: call.retries }),
      completed: isoTime(clock.nowMs()),
    });
  }

  #count(
    admitted: AdmittedCall,
    about: {
      readonly call: Call;
      readonly answer: ModelAnswer;
      readonly recorded: RecordedAnswer;
      readonly isReplayed: boolean;
    },
  ): void {
    admitted.count({
      model: this.#options.name,
      usage: modelUsageOf(about.answer.usage),
      costUsd: about.recorded.costUsd,
      isReplayed: about.isReplayed,
      messageCount: about.call.input.length + 1,
    });
  }
}

function eitherOf(one: AbortSignal | undefined, other: AbortSignal): AbortSignal {
  return one === undefined || one === other ? other : AbortSignal.any([one, other]);
}

/** Not every provider heeds its signal; nobody waits for one that does not. */
function orAborted<T>(work: PromiseLike<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).then(() => signal.removeEventListener('abort', stop));
  });
}

/** The words by which Inspect knows that a call was cancelled, and by whom. */
function cancelSentinel(reason: unknown): string {
  return reason instanceof LimitExceeded ? 'Cancelled by limit' : 'Cancelled by operator';
}
