import {
  ActionableError,
  digestOfJson,
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonObject,
  parseJson,
  stringifyJson,
  toJson,
  UsageError,
} from '../base/index.ts';
import { type HttpTarget, readPath, type SampleRow } from '../evals/index.ts';
import type { LogEvent } from '../log/index.ts';
import { BudgetExhausted } from './budget.ts';
import { settingsIn } from './command-program.ts';
import { failureText } from './failure-text.ts';
import { callHttp, type HttpAnswer } from './http-call.ts';
import { type HttpExchange, httpEvent } from './http-event.ts';
import { headersAsked, headersKept } from './http-headers.ts';
import { type EventStart, startEvent } from './log-event.ts';
import type { Models } from './models.ts';
import type { Env } from './open-model.ts';
import type { PaidRequest } from './recorder.ts';
import { readFailure, withRetry } from './retry.ts';
import { type RunnableTarget, resultOf, type TargetRun } from './runnable-target.ts';
import type { CountedCall } from './sample-meter.ts';
import { readHttpAnswer, type StoredHttpAnswer } from './stored-answer.ts';
import { checkTemplate, fillChecked, isSamplePlaceholder, sampleValue } from './template.ts';
import { untilAborted } from './until-aborted.ts';
import { NO_USAGE } from './usage.ts';

/** What an endpoint says of its trouble is shown whole; a page of HTML says nothing more after this. */
const EXCERPT_LENGTH = 2_000;

/** An HTTP endpoint asked once for each sample. Its answer is paid for: it is recorded, and replayed. */
export function httpTarget(spec: HttpTarget, models: Models): RunnableTarget {
  check(spec, models);
  const name = httpName(spec);
  const settings = settingsOf(spec, models);
  return {
    kind: 'http',
    name,
    // The names of variables are in it; of their values the digests of those that are no keys.
    key: { kind: 'http', ...(toJson(spec) as JsonObject), ...settings },
    startsOver: false,
    async run(sample, run) {
      const { scope } = run;
      const request = requestFor(spec, sample);
      const exchange = { request, settings, name, models, run };
      const answer = await untilAborted(scope.meter.signal, () => answerTo(exchange));
      return resultOf({
        target: name,
        sample,
        output: outputOf(spec, name, answer),
        scope,
        redaction: models.redaction,
      });
    },
  };
}

/** As the log, the prices and the account know it. */
export function httpName({ url }: HttpTarget): string {
  return `http/${hostOf(url)}`;
}

/** A request as it is recorded: `{{env.X}}` in headers is not filled in yet. */
interface HttpRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

interface Exchange {
  readonly request: HttpRequest;
  /** What of the environment is part of the request. */
  readonly settings: JsonObject;
  readonly name: string;
  readonly models: Models;
  readonly run: TargetRun;
}

/** An answer that is none: its fields are what retries look at. */
class HttpStatusError extends Error {
  override readonly name = 'HttpStatusError';
  readonly statusCode: number;
  readonly responseHeaders: Readonly<Record<string, string>>;
  /** What the body says, where it is JSON: an account without money is told there. */
  readonly data: Json | undefined;

  constructor({ status, headers }: HttpAnswer, body: string, excerpt: string) {
    super(excerpt === '' ? 'The body of the response is empty.' : excerpt);
    this.statusCode = status;
    this.responseHeaders = headers;
    this.data = tryParse(body);
  }
}

async function answerTo(exchange: Exchange): Promise<StoredHttpAnswer> {
  const { request, settings, run, models } = exchange;
  const { recorder } = run.scope;
  const start = startEvent(run.scope);
  const paid: PaidRequest = { kind: 'http', digest: digestOfJson(toJson({ ...request, ...settings })) };
  const recorded = recorder.recall(paid);
  if (recorded) {
    const stored = models.redaction.value(readHttpAnswer(recorded.value));
    recorder.emit(eventOf(exchange, start, { stored, isReplayed: true, retries: 0 }));
    run.scope.meter.countCall(countedCall(exchange, { costUsd: recorded.costUsd, isReplayed: true }));
    return stored;
  }
  let retries = 0;
  const stored = await callLive(exchange, (count) => {
    retries = count;
  }).catch((error: unknown) => {
    run.scope.meter.countFailedCall();
    noteFailed(exchange, error);
    recorder.emit(eventOf(exchange, start, { error, isReplayed: false, retries }));
    throw toExecutionError(exchange, error, retries);
  });
  const event = eventOf(exchange, start, { stored, isReplayed: false, retries });
  const costUsd = models.prices.costOf(exchange.name, undefined);
  const value = { method: exchange.request.method, ...stored };
  await recorder.record(paid, { value, ...(costUsd !== undefined && { costUsd }) }, [event]);
  run.scope.meter.countCall(countedCall(exchange, { costUsd, isReplayed: false }));
  return stored;
}

/** It tells no tokens; what it costs is known where it has a price for each call. */
function countedCall({ name }: Exchange, about: Pick<CountedCall, 'costUsd' | 'isReplayed'>): CountedCall {
  return { model: name, usage: NO_USAGE, ...about };
}

/** A call that failed for good, and not because it was stopped. */
function noteFailed(exchange: Exchange, error: unknown): void {
  const { name, models, run } = exchange;
  if (run.scope.meter.signal.aborted || error instanceof ActionableError) return;
  const failure = readFailure(error, run.scope.clock.nowMs());
  models.calls.failed(name, { ...failure, reason: reasonOf(exchange, error) });
}

function reasonOf({ models, run }: Exchange, error: unknown): string {
  const { status } = readFailure(error, run.scope.clock.nowMs());
  return models.redact(`${status === undefined ? '' : `HTTP ${status}: `}${failureText(error)}`);
}

async function callLive(exchange: Exchange, onTry: (count: number) => void): Promise<StoredHttpAnswer> {
  const { name, models } = exchange;
  const answer = await tryLive(exchange, onTry);
  models.calls.answered(name);
  return answer;
}

function tryLive(exchange: Exchange, onTry: (count: number) => void): Promise<StoredHttpAnswer> {
  const { request, name, models, run } = exchange;
  const { clock, random, meter } = run.scope;
  const gate = models.entrance(name);
  const headers = fillHeaders(request.headers, models.env);
  const attempt = async (count: number) => {
    onTry(count);
    const pass = await meter.whileWaiting(() => gate.enter(meter.signal));
    try {
      if (models.budget.isExhausted()) throw new BudgetExhausted(models.budget);
      const answer = await meter.whileWorking(() => callHttp({ ...request, headers, signal: meter.signal }));
      const body = new TextDecoder().decode(answer.body);
      if (answer.status < 200 || answer.status > 299) {
        throw new HttpStatusError(answer, body, models.redact(body).slice(0, EXCERPT_LENGTH));
      }
      // Before the next caller may enter: it must see that the money is gone.
      models.budget.spend(models.prices.costOf(name, undefined));
      pass.leave('succeeded');
      return models.redaction.value({ status: answer.status, headers: headersKept(answer.headers), body });
    } catch (error) {
      pass.leave(readFailure(error, clock.nowMs()).isOverload ? 'overloaded' : 'failed');
      throw error;
    }
  };
  return withRetry(attempt, {
    policy: models.retry,
    clock,
    random,
    signal: meter.signal,
    wait: (ms) => meter.whileWaiting(() => clock.sleep(ms, meter.signal)),
    hasAnswered: () => models.calls.hasAnswered(name),
    onFailure: (error, tried) =>
      models.calls.onFailedTry?.({ model: name, reason: reasonOf(exchange, error), ...tried }),
  });
}

function outputOf({ responsePath }: HttpTarget, name: string, { body }: StoredHttpAnswer): Json {
  if (responsePath === undefined) return body;
  const json = tryParse(body);
  const found = json === undefined ? undefined : readPath(json, responsePath);
  if (found !== undefined && found !== null) return found;
  throw new ActionableError({
    code: 'E_HTTP_RESPONSE',
    message: `The response of ${name} ${json === undefined ? 'is not JSON' : `has nothing at "${responsePath}"`}: ${body.slice(0, EXCERPT_LENGTH)}`,
    hint: 'Check `responsePath`: keys and positions with dots between them, such as choices.0.message.content.',
  });
}

function tryParse(text: string): Json | undefined {
  try {
    return parseJson(text);
  } catch {
    // Said by the caller, with an excerpt.
    return undefined;
  }
}

function requestFor(spec: HttpTarget, sample: SampleRow): HttpRequest {
  const valueOf = (name: string) => sampleValue(sample, name);
  const method = spec.method ?? 'POST';
  const body = method === 'GET' ? undefined : (spec.body ?? { input: '{{input}}' });
  const headers = Object.entries(spec.headers ?? {}).map(([name, value]) => [
    name.toLowerCase(),
    fillChecked(value, (field) => (isEnv(field) ? `{{${field}}}` : valueOf(field))),
  ]);
  return {
    url: fillChecked(spec.url, (name) => encodeURIComponent(valueOf(name) ?? '')),
    method,
    headers: {
      ...(body !== undefined && {
        'content-type': typeof body === 'string' ? 'text/plain' : 'application/json',
      }),
      ...Object.fromEntries(headers),
    },
    body: body === undefined ? undefined : bodyText(body, sample),
  };
}

function bodyText(body: Json, sample: SampleRow): string {
  if (typeof body === 'string') return fillChecked(body, (name) => sampleValue(sample, name));
  return stringifyJson(fillJson(body, sample));
}

/** A string that is nothing but `{{input}}` becomes the input itself, also when that is no text. */
function fillJson(value: Json, sample: SampleRow): Json {
  if (typeof value === 'string') {
    const isWhole = /^\{\{\s*input\s*\}\}$/.test(value);
    return isWhole ? toJson(sample.input) : fillChecked(value, (name) => sampleValue(sample, name));
  }
  if (isJsonArray(value)) return value.map((item) => fillJson(item, sample));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, fillJson(item ?? null, sample)]),
  );
}

function fillHeaders(headers: Readonly<Record<string, string>>, env: Env): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      fillChecked(value, (field) => (isEnv(field) ? (env[field.slice('env.'.length)] ?? '') : undefined)),
    ]),
  );
}

function isEnv(name: string): boolean {
  return name.startsWith('env.');
}

function eventOf(
  { request, models, run }: Exchange,
  start: EventStart,
  about: Pick<HttpExchange, 'error' | 'retries' | 'isReplayed'> & { readonly stored?: StoredHttpAnswer },
): LogEvent {
  const { stored, ...rest } = about;
  return httpEvent({ ...run.scope, redact: models.redact }, start, {
    ...request,
    ...(stored && { status: stored.status, responseHeaders: stored.headers }),
    ...rest,
  });
}

function toExecutionError({ name, models, run }: Exchange, error: unknown, retries: number): unknown {
  if (run.scope.meter.signal.aborted) return run.scope.meter.signal.reason;
  if (error instanceof ActionableError) return error;
  const { status, isRetryable } = readFailure(error, run.scope.clock.nowMs());
  const tries = retries > 0 ? ` after ${retries + 1} tries` : '';
  const what = status === undefined ? 'could not be asked' : `answered with status ${status}`;
  return new ActionableError({
    code: 'E_HTTP_CALL',
    message: `${name} ${what}${tries}: ${models.redact(failureText(error))}`,
    hint: isRetryable
      ? 'Run the same command again later: only what is missing is asked for.'
      : 'Check the address, the headers and the body of the target.',
    retryable: isRetryable,
    cause: error,
  });
}

/** Variables in headers that may change an answer, as with agents: what says who asks does not. */
function settingsOf({ headers = {} }: HttpTarget, { env }: Models): JsonObject {
  const names = Object.values(headersAsked(headers)).flatMap(variablesIn);
  const settings = settingsIn(env, names);
  return Object.keys(settings).length > 0 ? { settings } : {};
}

function variablesIn(value: string): readonly string[] {
  return [...value.matchAll(/\{\{\s*env\.([\w-]+)\s*\}\}/g)].map(([, name = '']) => name);
}

function check(spec: HttpTarget, models: Models): void {
  checkTemplate(spec.url, isSamplePlaceholder);
  for (const text of textsIn(spec.body ?? null)) checkTemplate(text, isSamplePlaceholder);
  for (const value of Object.values(spec.headers ?? {})) {
    checkTemplate(value, (name) => isEnv(name) || isSamplePlaceholder(name));
    for (const name of variablesIn(value)) checkVariable(name, models);
  }
}

/** Variables of the environment whose values its headers hold. */
export function variablesInHeaders({ headers = {} }: HttpTarget): readonly string[] {
  return Object.values(headers).flatMap((value) => [...variablesIn(value)]);
}

function checkVariable(name: string, models: Models): void {
  const value = models.env[name];
  models.addSecret(value);
  if (value) return;
  throw new UsageError({
    code: 'E_TARGET_ENV',
    message: `A header of the HTTP target needs the environment variable ${name}, which is not set.`,
    hint: `Set it with: export ${name}=…`,
  });
}

function textsIn(value: Json): readonly string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap((item) => textsIn(item ?? null));
}

function hostOf(url: string): string {
  const plain = url.replace(/\{\{.*?\}\}/g, 'x');
  if (/^https?:\/\//.test(url) && URL.canParse(plain)) return new URL(plain).host;
  throw new UsageError({
    code: 'E_HTTP_URL',
    message: `"${url}" is not an http(s) address.`,
    hint: 'Write the whole address, such as https://agent.example.com/ask.',
  });
}
