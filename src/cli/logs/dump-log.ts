import { type Json, type JsonObject, type SampleKey, stringifyJson } from '../../base/index.ts';
import type { LogReader } from '../../log/index.ts';
import { withoutNaN } from '../strict-json.ts';

export interface DumpOptions {
  /** NaN and the infinities become null, so that any JSON reader takes the text. */
  readonly isStrict: boolean;
}

/** The whole log as one JSON document, in pieces: a log can be far larger than memory. */
export async function* dumpLog(log: LogReader, options: DumpOptions): AsyncIterable<string> {
  const header = jsonText((await log.header()) as JsonObject, options);
  yield header.slice(0, -1);
  yield ',"samples":[';
  let isFirst = true;
  for (const key of await log.samples()) {
    if (!isFirst) yield ',\n';
    isFirst = false;
    yield* dumpSample(log, key, options);
  }
  yield ']}\n';
}

/** One sample, its events streamed; attachments are resolved into the events. */
export async function* dumpSample(
  log: LogReader,
  key: SampleKey,
  options: DumpOptions,
): AsyncIterable<string> {
  const fields = await log.sampleFields(key.id, key.epoch);
  yield jsonText((fields ?? { ...key }) as JsonObject, options).slice(0, -1);
  yield ',"events":[';
  let isFirst = true;
  for await (const event of log.events(key.id, key.epoch)) {
    yield (isFirst ? '' : ',') + jsonText(event, options);
    isFirst = false;
  }
  yield ']}';
}

export function jsonText(value: Json, { isStrict }: DumpOptions): string {
  return stringifyJson(isStrict ? withoutNaN(value) : value);
}
