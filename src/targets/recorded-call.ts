import { ActionableError, digestOfJson, toJson, UsageError } from '../base/index.ts';
import type { RecordCall, RecordOptions } from '../evals/index.ts';
import type { LogEvent } from '../log/index.ts';
import { BudgetExhausted, PriceUnknown } from './budget.ts';
import { failureText } from './failure-text.ts';
import { type EventStart, finishEvent, secondsSince, startEvent } from './log-event.ts';
import type { Models } from './models.ts';
import { OwnFailures } from './own-failures.ts';
import type { PaidRequest, RecordedAnswer } from './recorder.ts';
import type { SampleScope } from './sample-scope.ts';
import { untilAborted } from './until-aborted.ts';
import { NO_USAGE } from './usage.ts';
import { decodeValue, encodeValue } from './value-codec.ts';

export interface CallPlace {
  readonly models: Models;
  readonly scope: SampleScope;
  readonly failures?: OwnFailures;
}

/** `record` for targets and scorers: the result of anything that is expensive is durable before it is seen, and is given again. */
export function createRecord(about: CallPlace): RecordCall {
  const place = { failures: new OwnFailures(about), ...about };
  return async (name, input, work, options = {}) => {
    const { recorder, meter } = place.scope;
    const unkept = unkeptIn(input);
    if (unkept !== undefined) throw cannotKeep(`The input of record("${name}")`, unkept);
    if (typeof options.usd === 'number' && !isAmount(options.usd)) throw noAmount(name, options.usd);
    meter.signal.throwIfAborted();
    const call: Call = {
      name,
      input,
      paid: { kind: 'call', digest: digestOfJson({ call: name, input: encodeValue(input) }) },
      start: startEvent(place.scope),
    };
    const recorded = recorder.recall(call.paid);
    // The types are those of whoever wrote the same call before: the name and the input are theirs.
    const { result, costUsd } = recorded
      ? replay(call, recorded, place)
      : await buy(call, { ...place, work, usd: options.usd as RecordOptions['usd'] });
    const isReplayed = recorded !== undefined;
    meter.countCall({ model: billedAs(name), usage: NO_USAGE, costUsd, isReplayed });
    return result as Awaited<ReturnType<typeof work>>;
  };
}

interface Call {
  readonly name: string;
  readonly input: unknown;
  readonly paid: PaidRequest;
  readonly start: EventStart;
}

interface Work extends Required<CallPlace> {
  readonly work: () => unknown;
  readonly usd: RecordOptions['usd'];
}

interface Got {
  readonly result: unknown;
  readonly costUsd: number | undefined;
}

/** As prices and the account know it. */
function billedAs(name: string): string {
  return `record/${name}`;
}

function replay(call: Call, recorded: RecordedAnswer, { models, scope }: CallPlace): Got {
  const { result } = models.redaction.value({ result: decodeValue(recorded.value) });
  scope.recorder.emit(eventOf(call, scope, { result, isReplayed: true }));
  return { result, costUsd: recorded.costUsd };
}

async function buy(call: Call, about: Work): Promise<Got> {
  const { models, scope, failures } = about;
  const { meter, recorder } = scope;
  const request = { name: billedAs(call.name), digest: call.paid.digest };
  const { result: live, costUsd } = await doWork(call, about).catch((error: unknown) => {
    failures.failed(request, error);
    recorder.emit(eventOf(call, scope, { error: models.redact(failureText(error)), isReplayed: false }));
    // Whatever the caller does with the error: the run stops here.
    if (error instanceof BudgetExhausted || error instanceof PriceUnknown) meter.stop(error);
    throw error;
  });
  failures.answered(request, { isModel: false });
  const value = encodeValue(models.redaction.value({ result: live }).result);
  const result = decodeValue(value);
  const event = eventOf(call, scope, { result, isReplayed: false });
  const answer = { value, ...(costUsd !== undefined && { costUsd }) };
  await recorder.record(call.paid, answer, [event]).catch((error: unknown) => {
    // Whatever the caller does with the error: what cannot be recorded is not bought.
    meter.stop(error);
    throw error;
  });
  return { result, costUsd };
}

async function doWork({ name }: Call, { models, scope, work, usd }: Work): Promise<Got> {
  const { meter } = scope;
  const { budget, prices } = models;
  const isPriced = usd !== undefined || prices.isKnown(billedAs(name), { tellsTokens: false });
  if (budget.needsPrices && !isPriced) throw new PriceUnknown([billedAs(name)]);
  const pass = await meter.whileWaiting(() => models.limiter.enter(billedAs(name), meter.signal));
  try {
    if (budget.isExhausted()) throw new BudgetExhausted(budget);
    const result = await meter.whileWorking(() => untilAborted(meter.signal, work));
    const told = typeof usd === 'function' ? usd(result) : usd;
    const costUsd = told === undefined ? prices.costOf(billedAs(name), undefined) : told;
    // What is paid for counts, also when it cannot be kept; and before the next caller may enter.
    budget.spend(isAmount(costUsd) ? costUsd : undefined);
    const unkept = unkeptIn(result);
    if (unkept !== undefined) throw cannotKeep(`What record("${name}") got`, unkept);
    return { result, costUsd: isAmount(costUsd) ? costUsd : undefined };
  } finally {
    pass.leave();
  }
}

function isAmount(usd: number | undefined): usd is number {
  return usd !== undefined && Number.isFinite(usd) && usd >= 0;
}

function noAmount(name: string, usd: number): UsageError {
  return new UsageError({
    code: 'E_PRICE_INVALID',
    message: `What record("${name}") costs is not valid: ${usd} is no amount of US dollars.`,
    hint: 'Give `usd` as a number from 0 up, or as a function that reads it from the result.',
  });
}

function eventOf(
  { name, input, start }: Call,
  scope: SampleScope,
  about: { readonly result?: unknown; readonly error?: string; readonly isReplayed: boolean },
): LogEvent {
  const { isReplayed, ...fields } = about;
  return finishEvent(scope, start, {
    event: 'info',
    source: 'record',
    data: toJson({ name, input, ...fields, time: secondsSince(scope, start) }),
    ...(isReplayed && { metadata: { holdfast: { replayed: true } } }),
  });
}

const DEPTH_MAX = 100;

/** What of a value would not come back as it is: its kind; undefined when all of it would. */
function unkeptIn(value: unknown, depth = 0): string | undefined {
  if (typeof value === 'function' || typeof value === 'symbol') return `a ${typeof value}`;
  if (typeof value !== 'object' || value === null) return undefined;
  if (depth > DEPTH_MAX) return 'a loop, or more than 100 levels';
  if (value instanceof Date || value instanceof URL) return undefined;
  if (value instanceof Uint8Array || value instanceof ArrayBuffer) return undefined;
  const prototype: unknown = Object.getPrototypeOf(value);
  const isPlain = Array.isArray(value) || prototype === Object.prototype || prototype === null;
  if (!isPlain) return `an object of the class ${value.constructor?.name ?? 'unknown'}`;
  for (const item of Object.values(value)) {
    const found = unkeptIn(item, depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

function cannotKeep(what: string, kind: string): ActionableError {
  return new ActionableError({
    code: 'E_RECORD_VALUE',
    message: `${what} holds ${kind}, which cannot be recorded.`,
    hint: 'Give plain data: objects, lists, texts, numbers, dates, bytes; of a response, for example, `await response.json()`.',
  });
}
