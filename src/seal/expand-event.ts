import { isJsonArray, type Json, parseJson } from '../base/index.ts';
import type { JournalReader } from '../journal/index.ts';
import { expandJson, type LogEvent } from '../log/index.ts';

/** An event of a journal with its references filled in: what the target and the scorers saw. */
export function expandEvent(source: JournalReader, attempt: number, json: string): LogEvent {
  const event = parseJson(json) as LogEvent;
  const { input_refs: refs, ...rest } = event;
  const whole = isJsonArray(refs) ? { ...rest, input: [...referredMessages(source, attempt, refs)] } : event;
  return expandJson(whole, (hash) => source.contentText(hash)) as LogEvent;
}

function* referredMessages(source: JournalReader, attempt: number, refs: readonly Json[]): Iterable<Json> {
  const pool = [...source.pool(attempt, 'message')];
  for (const range of refs) {
    const [start, end] = range as readonly [number, number];
    for (const text of pool.slice(start, end)) yield parseJson(text);
  }
}
