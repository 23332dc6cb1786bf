import { type Clock, isoTime, type Json, type Random, shortId } from '../base/index.ts';
import type { LogEvent } from '../log/index.ts';
import type { SampleMeter } from './sample-meter.ts';

/** When something began: taken before the work, since an event is written after it. */
export interface EventStart {
  readonly timestamp: string;
  readonly workingStart: number;
  readonly startedMs: number;
}

export interface EventSource {
  readonly clock: Clock;
  readonly random: Random;
  readonly meter: Pick<SampleMeter, 'workingMs'>;
}

export function startEvent({ clock, meter }: EventSource): EventStart {
  return {
    timestamp: isoTime(clock.nowMs()),
    workingStart: seconds(meter.workingMs()),
    startedMs: clock.monotonicMs(),
  };
}

/** An event with the keys that all have in common; `span_id` is the recorder's business. */
export function newEvent(
  source: EventSource,
  event: string,
  fields: Readonly<Record<string, Json | undefined>>,
): LogEvent {
  return finishEvent(source, startEvent(source), { event, ...fields });
}

export function finishEvent(
  source: EventSource,
  start: EventStart,
  fields: { readonly event: string } & Readonly<Record<string, Json | undefined>>,
): LogEvent {
  const { event, ...rest } = fields;
  return {
    event,
    uuid: shortId(source.random),
    timestamp: start.timestamp,
    working_start: start.workingStart,
    ...rest,
  };
}

/** Since `start`, in seconds. */
export function secondsSince(source: EventSource, start: EventStart): number {
  return seconds(source.clock.monotonicMs() - start.startedMs);
}

export function seconds(ms: number): number {
  return Math.round(ms) / 1_000;
}
