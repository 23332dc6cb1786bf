import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../base/index.ts';
import { referenceRule, referredHash } from './attachment-rule.ts';
import { readEvent } from './kinds/read-value.ts';
import { migrateEvent } from './migrate.ts';
import { positionsOf } from './pool-refs.ts';
import type { ReferencePlaces } from './reference-places.ts';
import type { SampleDocument, SamplePart } from './sample-document.ts';
import type { LogEvent } from './schema.ts';
import type { TextStore } from './text-store.ts';

/** Bytes of pool entries that are kept parsed, because a growing history asks for the same ones again and again. */
const PARSED_BYTES_MAX = 16 * 2 ** 20;

/**
 * Undoes condensing: puts pool entries back into model events, and attachments back into everything. It keeps
 * attachments and pools in a store, so its memory does not grow with the sample.
 */
export class Transcript {
  readonly #document: SampleDocument;
  readonly #store: TextStore;
  readonly #counts = { messages: 0, calls: 0 };
  readonly #parsed = new Map<string, { readonly value: Json; readonly sizeBytes: number }>();
  #parsedBytes = 0;

  private constructor(document: SampleDocument, store: TextStore) {
    this.#document = document;
    this.#store = store;
  }

  /** Reads what events refer to. The caller closes the store. */
  static async load(document: SampleDocument, store: TextStore): Promise<Transcript> {
    const transcript = new Transcript(document, store);
    for await (const piece of document.scan(new Set<SamplePart>(['attachments', 'messages', 'calls']))) {
      await transcript.add(piece.part, piece.key, piece.bytes);
    }
    return transcript;
  }

  /** For a reader that has the pieces in its hands anyway. */
  static empty(document: SampleDocument, store: TextStore): Transcript {
    return new Transcript(document, store);
  }

  async add(part: SamplePart, key: string, bytes: Uint8Array): Promise<void> {
    if (part === 'messages' || part === 'calls') this.#counts[part]++;
    await this.#store.put(storeKey(part, key), bytes);
  }

  /** One event, whole, with the names of today. Undefined for what is not an object. */
  async resolveEvent(bytes: Uint8Array): Promise<LogEvent | undefined> {
    // In this order: what comes out of the pool is resolved already, and must not be taken for a reference again.
    const resolved = await this.#resolve(this.#document.parse(bytes), 'events');
    return readEvent(migrateEvent(await this.#expand(resolved.value)));
  }

  /** Replaces references to attachments in the fields of a sample. */
  async resolveFields(fields: JsonObject): Promise<JsonObject> {
    return (await this.#resolve(fields, 'fields')).value as JsonObject;
  }

  async #resolve(
    value: Json,
    part: keyof ReferencePlaces,
  ): Promise<{ readonly value: Json; readonly addedBytes: number }> {
    const walk = this.#document.places[part];
    const hashes = new Set<string>();
    walk(value, (text) => {
      const hash = referredHash(text);
      if (hash !== undefined) hashes.add(hash);
      return text;
    });
    if (hashes.size === 0) return { value, addedBytes: 0 };
    let addedBytes = 0;
    const texts = new Map<string, string>();
    for (const hash of hashes) {
      const bytes = await this.#store.get(storeKey('attachments', hash));
      const text = bytes && this.#document.parse(bytes);
      if (typeof text !== 'string') continue;
      texts.set(hash, text);
      addedBytes += text.length;
    }
    const rule = referenceRule((hash) => texts.get(hash));
    return { value: walk(value, rule), addedBytes };
  }

  async #expand(event: Json): Promise<Json> {
    if (!isJsonObject(event)) return event;
    if (event.event === 'model') return this.#expandModel(event);
    if (!isJsonArray(event.events)) return event;
    const events: Json[] = [];
    for (const nested of event.events) events.push(await this.#expand(nested));
    return { ...event, events };
  }

  async #expandModel(event: JsonObject): Promise<JsonObject> {
    const result: Record<string, Json | undefined> = { ...event };
    if (isJsonArray(event.input_refs) && this.#counts.messages > 0) {
      result.input = await this.#fromPool('messages', event.input_refs);
      delete result.input_refs;
    }
    const { call } = event;
    if (isJsonObject(call) && isJsonArray(call.call_refs) && this.#counts.calls > 0) {
      const { call_refs, call_key, ...rest } = call;
      const key = typeof call_key === 'string' ? call_key : 'messages';
      const request = isJsonObject(rest.request) ? rest.request : {};
      result.call = {
        ...rest,
        request: { ...request, [key]: await this.#fromPool('calls', call_refs ?? []) },
      };
    }
    return result;
  }

  /** Positions beyond the pool are passed over, as Inspect does. */
  async #fromPool(pool: 'messages' | 'calls', refs: Json): Promise<Json[]> {
    const items: Json[] = [];
    for (const position of positionsOf(refs)) {
      if (position >= this.#counts[pool]) continue;
      const item = await this.#poolItem(pool, String(position));
      if (item !== undefined) items.push(item);
    }
    return items;
  }

  async #poolItem(pool: 'messages' | 'calls', position: string): Promise<Json | undefined> {
    const key = storeKey(pool, position);
    const known = this.#parsed.get(key);
    if (known) {
      // Moved to the end: the map is in order of use.
      this.#parsed.delete(key);
      this.#parsed.set(key, known);
      return known.value;
    }
    const bytes = await this.#store.get(key);
    if (!bytes) return undefined;
    const { value, addedBytes } = await this.#resolve(this.#document.parse(bytes), pool);
    const sizeBytes = bytes.length + addedBytes;
    this.#parsed.set(key, { value, sizeBytes });
    this.#parsedBytes += sizeBytes;
    for (const [oldest, item] of this.#parsed) {
      if (this.#parsedBytes <= PARSED_BYTES_MAX) break;
      this.#parsed.delete(oldest);
      this.#parsedBytes -= item.sizeBytes;
    }
    return value;
  }
}

/** Attachments keep their hash as it is, because there may be hundreds of thousands; the others begin with a zero. */
function storeKey(part: SamplePart, key: string): string {
  return part === 'attachments' && !key.startsWith('\0') ? key : `\0${part}/${key}`;
}
