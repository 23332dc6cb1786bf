import { ActionableError } from '../base/index.ts';
import type { ModelUsage } from '../log/index.ts';
import { BudgetExhausted, PriceUnknown } from './budget.ts';
import { httpEvent } from './http-event.ts';
import { headersKept, headersShown, secretsIn } from './http-headers.ts';
import { type EventStart, startEvent } from './log-event.ts';
import { type ModelTraffic, readModelRequest, readUsageOf } from './model-traffic.ts';
import type { Models } from './models.ts';
import { OwnFailures, type OwnRequest } from './own-failures.ts';
import type { PaidRequest, RecordedAnswer } from './recorder.ts';
import { redactStream } from './redacted-stream.ts';
import { refusalOf } from './refused-response.ts';
import { withoutSecrets } from './safe-address.ts';
import type { AdmittedCall } from './sample-meter.ts';
import type { SampleScope } from './sample-scope.ts';
import { digestOfSent, readRequest, type SentRequest, textOfBytes } from './sent-request.ts';
import { readResponse, type StoredResponse } from './stored-answer.ts';
import { NO_USAGE } from './usage.ts';
import { decodeValue, encodeValue } from './value-codec.ts';

export type Fetch = typeof globalThis.fetch;

/** A response that is larger than this is not an answer. */
const BODY_BYTES_MAX = 64 * 2 ** 20;
/** As the gates of models understand it. */
const OVERLOADED = new Set([429, 503, 529]);
/** By the Fetch standard these have no body, not even an empty one. */
const BODILESS = new Set([204, 205]);

/**
 * A `fetch` for whatever SDK a target brings along. A response with a status of success is recorded before anybody sees it [REC-1]
 * and given again, exactly, when the same is asked again; a stream is read to its end first. Every other response is
 * passed on as it is: whether to try again is the SDK's business.
 */
export function recordedFetch(about: {
  readonly models: Models;
  readonly scope: SampleScope;
  readonly failures?: OwnFailures;
}): Fetch {
  const calls = new FetchCalls(about.models, about.scope, about.failures ?? new OwnFailures(about));
  return async (input, init) => {
    const request = new Request(input, init);
    // Nobody is paid for these.
    if (!/^https?:/.test(request.url)) return globalThis.fetch(request);
    return calls.answer(request, init);
  };
}

interface FetchCall extends OwnRequest {
  readonly sent: SentRequest;
  readonly paid: PaidRequest;
  readonly traffic: ModelTraffic | undefined;
  readonly start: EventStart;
  readonly signal: AbortSignal;
  readonly admitted: AdmittedCall | undefined;
  /** The request itself, without its body, and what the caller said beside it (a proxy): how to send it. */
  readonly request: Request;
  readonly init: RequestInit | undefined;
}

class FetchCalls {
  readonly #models: Models;
  readonly #scope: SampleScope;
  readonly #failures: OwnFailures;

  constructor(models: Models, scope: SampleScope, failures: OwnFailures) {
    this.#models = models;
    this.#scope = scope;
    this.#failures = failures;
  }

  async answer(request: Request, init: RequestInit | undefined): Promise<Response> {
    const { meter, recorder } = this.#scope;
    const signal = AbortSignal.any([request.signal, meter.signal]);
    const start = startEvent(this.#scope);
    const sent = await readRequest(request);
    for (const secret of secretsIn(sent.headers)) this.#models.addSecret(secret);
    signal.throwIfAborted();
    const traffic = readModelRequest(sent);
    const admitted = traffic?.isTurn ? await meter.admitModelCall(traffic.messageCount) : undefined;
    const paid: PaidRequest = { kind: 'http', digest: digestOfSent(sent) };
    const name = traffic?.name ?? `http/${new URL(sent.url).host}`;
    const { digest } = paid;
    const call: FetchCall = { name, digest, sent, paid, traffic, start, signal, admitted, request, init };
    try {
      const recorded = recorder.recall(paid);
      return recorded ? this.#replay(call, recorded) : await this.#buy(call);
    } finally {
      admitted?.giveBack();
    }
  }

  #replay(call: FetchCall, recorded: RecordedAnswer): Response {
    const stored = this.#redacted(readResponse(recorded.value));
    const usage = usageIn(call, stored);
    this.#scope.recorder.emit(this.#event(call, { stored, isReplayed: true }));
    this.#count(call, { usage, costUsd: recorded.costUsd, isReplayed: true });
    return responseOf(stored, call.sent.url);
  }

  async #buy(call: FetchCall): Promise<Response> {
    const live = await this.#callLive(call).catch((error: unknown) => {
      throw this.#failedWith(call, error);
    });
    if (live instanceof Response) return await this.#passOn(call, live);
    const value = encodeValue(this.#redacted(live));
    const stored = decodeValue(value) as StoredResponse;
    const usage = usageIn(call, stored);
    const costUsd = this.#costOf(call, usage);
    const recorded: RecordedAnswer = {
      value,
      ...(costUsd !== undefined && { costUsd }),
      ...(usage && { tokens: usage.total_tokens }),
    };
    await this.#record(call, recorded, stored);
    this.#failures.answered(call, { isModel: call.traffic !== undefined });
    this.#count(call, { usage, costUsd, isReplayed: false });
    return responseOf(stored, call.sent.url);
  }

  /** Gives what is to be recorded, or a response that is none of our business. */
  async #callLive(call: FetchCall): Promise<StoredResponse | Response> {
    const { meter } = this.#scope;
    const { budget, prices } = this.#models;
    const tellsTokens = call.traffic !== undefined;
    if (budget.needsPrices && !prices.isKnown(call.name, { tellsTokens }))
      throw new PriceUnknown([call.name]);
    const gate = this.#models.entrance(`http/${new URL(call.sent.url).host}`, call.name);
    const pass = await meter.whileWaiting(() => gate.enter(call.signal));
    try {
      if (meter.exceeded) throw meter.exceeded;
      if (budget.isExhausted()) throw new BudgetExhausted(budget);
      const response = await meter.whileWorking(() => send(call));
      if (!response.ok) {
        pass.leave(OVERLOADED.has(response.status) ? 'overloaded' : 'failed');
        return response;
      }
      const stored = await meter.whileWorking(() => readWhole(response));
      // Before the next caller may enter: it must see that the money is gone.
      const usage = usageIn(call, stored);
      budget.spend(this.#costOf(call, usage));
      pass.leave('succeeded');
      return stored;
    } finally {
      pass.leave('failed');
    }
  }

  async #record(call: FetchCall, recorded: RecordedAnswer, stored: StoredResponse): Promise<void> {
    const { recorder, meter } = this.#scope;
    try {
      await recorder.record(call.paid, recorded, [this.#event(call, { stored, isReplayed: false })]);
    } catch (error) {
      // To an SDK it would be a broken connection, and it would buy the same again.
      meter.stop(error);
      throw error;
    }
  }

  async #passOn(call: FetchCall, response: Response): Promise<Response> {
    const { status } = response;
    this.#scope.recorder.emit(this.#event(call, { status, isReplayed: false }));
    this.#failures.failed(call, await refusalOf(response, this.#scope.clock));
    return response;
  }

  /** Leaves an event about the failure, and gives the error to throw: what `fetch` would throw, where it is none of ours. */
  #failedWith(call: FetchCall, error: unknown): unknown {
    const { meter, recorder } = this.#scope;
    const reason: unknown = meter.signal.aborted ? meter.signal.reason : error;
    this.#failures.failed(call, reason);
    recorder.emit(this.#event(call, { error: reason, isReplayed: false }));
    // SDKs try again whatever `fetch` throws; nothing is left to try here.
    if (reason instanceof BudgetExhausted || reason instanceof PriceUnknown) meter.stop(reason);
    return reason;
  }

  #count(
    { name, traffic, admitted }: FetchCall,
    about: {
      readonly usage: ModelUsage | undefined;
      readonly costUsd: number | undefined;
      readonly isReplayed: boolean;
    },
  ): void {
    const { meter } = this.#scope;
    const { usage = NO_USAGE, costUsd, isReplayed } = about;
    const counted = { model: name, usage, costUsd, isReplayed };
    if (traffic && admitted) admitted.count({ ...counted, messageCount: traffic.messageCount + 1 });
    else meter.countCall(counted);
  }

  #costOf({ name }: FetchCall, usage: ModelUsage | undefined): number | undefined {
    return this.#models.prices.costOf(name, usage);
  }

  #redacted(stored: StoredResponse): StoredResponse {
    const { redaction } = this.#models;
    const { body } = stored;
    if (typeof body !== 'string') return redaction.value(stored);
    const isStream = stored.headers['content-type']?.startsWith('text/event-stream') ?? false;
    const text = isStream ? redactStream(body, redaction) : redaction.text(body);
    return { ...redaction.value({ ...stored, body: null }), body: text };
  }

  #event(
    { sent, start }: FetchCall,
    about: {
      readonly stored?: StoredResponse;
      readonly status?: number;
      readonly error?: unknown;
      readonly isReplayed: boolean;
    },
  ) {
    const { redact } = this.#models;
    const { stored, status = stored?.status, ...rest } = about;
    const body = sent.body && (textOfBytes(sent.body) ?? `${sent.body.length} bytes`);
    return httpEvent({ ...this.#scope, redact }, start, {
      method: sent.method,
      url: redact(withoutSecrets(sent.url)),
      headers: headersShown(sent.headers),
      body: body && redact(body),
      ...(status !== undefined && { status }),
      ...(stored && { responseHeaders: headersShown(stored.headers) }),
      ...(typeof stored?.body === 'string' && { response: stored.body }),
      ...rest,
    });
  }
}

function send({ sent, request, init, signal }: FetchCall): Promise<Response> {
  const { method, url, headers, body } = sent;
  const { redirect, credentials, cache, keepalive, integrity } = request;
  return globalThis.fetch(url, {
    ...init,
    method,
    headers,
    signal,
    redirect,
    credentials,
    cache,
    keepalive,
    integrity,
    ...(body && { body }),
  });
}

async function readWhole(response: Response): Promise<StoredResponse> {
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const chunk of response.body ?? []) {
    sizeBytes += chunk.length;
    if (sizeBytes > BODY_BYTES_MAX) throw tooLarge(response.url);
    chunks.push(chunk);
  }
  const bytes = new Uint8Array(Buffer.concat(chunks));
  const { status, statusText } = response;
  return {
    status,
    statusText,
    headers: headersKept(Object.fromEntries(response.headers)),
    body: BODILESS.has(status) ? null : (textOfBytes(bytes) ?? bytes),
  };
}

/** What the caller gets, live or replayed. */
function responseOf({ status, statusText, headers, body }: StoredResponse, url: string): Response {
  const response = new Response(body, { status, statusText, headers: { ...headers } });
  return Object.defineProperty(response, 'url', { value: url });
}

function usageIn({ traffic }: FetchCall, { body }: StoredResponse): ModelUsage | undefined {
  return traffic && typeof body === 'string' ? readUsageOf(body) : undefined;
}

function tooLarge(url: string): ActionableError {
  return new ActionableError({
    code: 'E_HTTP_RESPONSE',
    message: `The response of ${withoutSecrets(url)} is larger than ${BODY_BYTES_MAX} bytes.`,
    hint: 'Use the global fetch for what is large and costs nothing: it is not recorded.',
  });
}
