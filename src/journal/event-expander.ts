import { isJsonArray, isJsonObject, type Json, type JsonObject, parseJson } from '../base/index.ts';
import { expandJson, type LogEvent } from '../log/index.ts';

/** What an expander needs of a reader. */
export interface PoolSource {
  poolItem(n: number, kind: 'message' | 'call', position: number): string | undefined;
  contentText(hash: string): string | undefined;
}

/** Texts of pool entries that are kept parsed, because a growing history asks for the same ones again and again. */
const KEPT_CHARS_MAX = 16 * 2 ** 20;
/** More than this many messages in one event can only be damage. */
const POSITIONS_MAX = 1_000_000;

/**
 * Fills in what events refer to: attachments by hash, messages and calls by their position in the attempt's pools. An entry
 * is read when it is first needed and kept for the next event, so a history of 200 turns is read once and not 200 times.
 */
export class EventExpander {
  readonly #source: PoolSource;
  readonly #kept = new Map<string, { readonly value: Json; readonly chars: number }>();
  #attempt = 0;
  #chars = 0;

  constructor(source: PoolSource) {
    this.#source = source;
  }

  expand(n: number, json: string): LogEvent {
    if (n !== this.#attempt) this.#forget(n);
    // In this order: what comes out of a pool is resolved already, and must not be taken for a reference again.
    const event = this.#resolve(parseJson(json));
    const whole = isJsonObject(event) ? this.#fillIn(event) : {};
    const { event: kind, timestamp } = whole;
    return {
      ...whole,
      event: typeof kind === 'string' ? kind : 'info',
      timestamp: typeof timestamp === 'string' ? timestamp : '',
    };
  }

  #fillIn(event: JsonObject): JsonObject {
    if (isJsonArray(event.events)) {
      const events = event.events.map((nested) => (isJsonObject(nested) ? this.#fillIn(nested) : nested));
      return { ...event, events };
    }
    const { input_refs: refs, ...rest } = event;
    const whole = isJsonArray(refs) ? { ...rest, input: this.#items('message', refs) } : event;
    return isJsonObject(whole.call) ? { ...whole, call: this.#fillInCall(whole.call) } : whole;
  }

  #fillInCall(call: JsonObject): JsonObject {
    const { call_refs: refs, call_key: key, ...rest } = call;
    if (!isJsonArray(refs)) return call;
    const request = isJsonObject(rest.request) ? rest.request : {};
    const name = typeof key === 'string' ? key : 'messages';
    return { ...rest, request: { ...request, [name]: this.#items('call', refs) } };
  }

  #items(kind: 'message' | 'call', refs: readonly Json[]): Json[] {
    const items: Json[] = [];
    for (const range of refs) {
      if (!isJsonArray(range)) continue;
      const [start, end] = range;
      if (typeof start !== 'number' || typeof end !== 'number') continue;
      for (let at = start; at < end && items.length < POSITIONS_MAX; at++) {
        const item = this.#item(kind, at);
        if (item === undefined) break;
        items.push(item);
      }
    }
    return items;
  }

  #item(kind: 'message' | 'call', position: number): Json | undefined {
    const key = `${kind} ${position}`;
    const kept = this.#kept.get(key);
    if (kept) return kept.value;
    const json = this.#source.poolItem(this.#attempt, kind, position);
    if (json === undefined) return undefined;
    const value = this.#resolve(parseJson(json));
    if (this.#chars > KEPT_CHARS_MAX) this.#forget(this.#attempt);
    this.#kept.set(key, { value, chars: json.length });
    this.#chars += json.length;
    return value;
  }

  #resolve(value: Json): Json {
    return expandJson(value, (hash) => this.#source.contentText(hash));
  }

  #forget(n: number): void {
    this.#attempt = n;
    this.#kept.clear();
    this.#chars = 0;
  }
}
