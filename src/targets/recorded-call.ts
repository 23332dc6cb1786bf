import { ActionableError, digestOfJson, messageOf, toJson } from '../base/index.ts';
import type { RecordCall } from '../evals/index.ts';
import type { LogEvent } from '../log/index.ts';
import { BudgetExhausted } from './budget.ts';
import { type EventStart, finishEvent, secondsSince, startEvent } from './log-event.ts';
import type { Models } from './models.ts';
import type { PaidRequest, RecordedAnswer } from './recorder.ts';
import type { SampleScope } from './sample-scope.ts';
import { untilAborted } from './until-aborted.ts';
import { decodeValue, encodeValue } from './value-codec.ts';

export interface CallPlace {
  readonly models: Models;
  readonly scope: SampleScope;
}

/** `record` for targets and scorers: the result of anything that is expensive is durable before it is seen, and is given again. */
export function createRecord(place: CallPlace): RecordCall {
  return async (name, input, work) => {
    const { recorder, meter } = place.scope;
    const unkept = unkeptIn(input);
    if (unkept !== undefined) throw cannotKeep(`The input of record("${name}")`, unkept);
    meter.signal.throwIfAborted();
    const call: Call = {
      name,
      input,
      paid: { kind: 'call', digest: digestOfJson({ call: name, input: encodeValue(input) }) },
      start: startEvent(place.scope),
    };
    const recorded = recorder.recall(call.paid);
    // The types are those of whoever wrote the same call before: the name and the input are theirs.
    const result: unknown = recorded ? replay(call, recorded, place) : await buy(call, { ...place, work });
    meter.countCall({ isReplayed: recorded !== undefined });
    return result as Awaited<ReturnType<typeof work>>;
  };
}

interface Call {
  readonly name: string;
  readonly input: unknown;
  readonly paid: PaidRequest;
  readonly start: EventStart;
}

interface Work extends CallPlace {
  readonly work: () => unknown;
}

function replay(call: Call, recorded: RecordedAnswer, { models, scope }: CallPlace): unknown {
  const { result } = models.redaction.value({ result: decodeValue(recorded.value) });
  scope.recorder.emit(eventOf(call, scope, { result, isReplayed: true }));
  return result;
}

async function buy(call: Call, about: Work): Promise<unknown> {
  const { models, scope } = about;
  const { meter, recorder } = scope;
  const live = await doWork(call, about).catch((error: unknown) => {
    meter.countFailedCall();
    recorder.emit(eventOf(call, scope, { error: models.redact(messageOf(error)), isReplayed: false }));
    throw error;
  });
  const value = encodeValue(models.redaction.value({ result: live }).result);
  const result = decodeValue(value);
  const event = eventOf(call, scope, { result, isReplayed: false });
  await recorder.record(call.paid, { value }, [event]).catch((error: unknown) => {
    // Whatever the caller does with the error: what cannot be recorded is not bought.
    meter.stop(error);
    throw error;
  });
  return result;
}

async function doWork({ name }: Call, { models, scope, work }: Work): Promise<unknown> {
  const { meter } = scope;
  if (models.budget.isExhausted()) throw new BudgetExhausted(models.budget);
  const result = await meter.whileWorking(() => untilAborted(meter.signal, work));
  const unkept = unkeptIn(result);
  if (unkept !== undefined) throw cannotKeep(`What record("${name}") got`, unkept);
  return result;
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
