import {
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonObject,
  parseJson,
  stringifyJson,
} from '../base/index.ts';
import { attachmentHash } from './attachment-hash.ts';
import {
  ATTACHMENT_PREFIX,
  type Attachment,
  attachmentOf,
  dataUriRule,
  longTextRule,
} from './attachment-rule.ts';
import type { CondensedEvent } from './condensed.ts';
import type { LogEvent } from './schema.ts';
import { type TextRule, walkEvent, walkJson, walkMessage } from './walk.ts';

/**
 * Condenses the events of one sample as they come: long texts become attachments, model inputs and request messages
 * become positions in a pool [LOG-11] [LOG-14]. It keeps hashes, never content, so a long sample stays small in memory.
 *
 * Messages that were given once must not be changed afterwards: their position is remembered by object identity, so
 * that a history of 200 turns is hashed once and not 200 times. A change of a direct key of a message is noticed.
 */
export interface Condenser {
  condense(event: LogEvent): CondensedEvent;
}

export interface CondenserOptions {
  /** false: base64 data URIs are replaced by `<base64-data-removed>`. Default true. */
  readonly logImages?: boolean;
  /** What an earlier attempt has stored already, so that this one goes on: the rows of its pools by position … */
  readonly messages?: Iterable<string>;
  readonly calls?: Iterable<string>;
  /** … and the hashes of its attachments. */
  readonly attachmentHashes?: Iterable<string>;
}

export function createCondenser(options: CondenserOptions = {}): Condenser {
  return new SampleCondenser(options);
}

/** Shorter inputs are cheaper to hash again than to remember; most samples ask but once. */
const HISTORY_MESSAGES_MIN = 4;
/** Most events bring nothing new, so they share this. */
const NOTHING: readonly never[] = Object.freeze([]);
const REQUEST_LISTS = ['messages', 'contents', 'input', 'inputs'] as const;

class SampleCondenser implements Condenser {
  readonly #known: Set<string>;
  readonly #rule: TextRule;
  readonly #mediaRule: TextRule;
  readonly #messages: Pool;
  readonly #calls: Pool;
  #attachments: Attachment[] = [];

  constructor(options: CondenserOptions) {
    this.#known = new Set(options.attachmentHashes);
    const attach = (text: string) => this.#attach(text);
    this.#rule = longTextRule(attach, options.logImages ?? true);
    this.#mediaRule = dataUriRule(attach, options.logImages ?? true);
    this.#messages = new Pool((message) => walkMessage(message, this.#rule), identityOfMessage);
    this.#calls = new Pool((item) => walkJson(item, this.#rule), identityOfCall);
    for (const row of options.messages ?? []) this.#messages.restore(row);
    for (const row of options.calls ?? []) this.#calls.restore(row);
  }

  condense(event: LogEvent): CondensedEvent {
    const shell = event.event === 'model' ? this.#poolModelEvent(event) : event;
    const json = stringifyJson(walkEvent(shell, this.#rule, this.#mediaRule));
    const attachments = this.#attachments;
    if (attachments.length > 0) this.#attachments = [];
    return {
      json,
      attachments: attachments.length > 0 ? attachments : NOTHING,
      messages: this.#messages.takeNew(),
      calls: this.#calls.takeNew(),
    };
  }

  #attach(text: string): string {
    const attachment = attachmentOf(text);
    if (!this.#known.has(attachment.hash)) {
      this.#known.add(attachment.hash);
      this.#attachments.push(attachment);
    }
    return ATTACHMENT_PREFIX + attachment.hash;
  }

  #poolModelEvent(event: LogEvent): LogEvent {
    const changes: Record<string, Json> = {};
    if (isJsonArray(event.input) && event.input.length > 0) {
      changes.input = [];
      changes.input_refs = this.#messages.refer(event.input);
    }
    if (isJsonObject(event.call) && isJsonObject(event.call.request)) {
      changes.call = this.#poolCall(event.call, event.call.request);
    }
    return { ...event, ...changes };
  }

  #poolCall(call: JsonObject, request: JsonObject): JsonObject {
    const key = REQUEST_LISTS.find((name) => request[name] !== undefined && request[name] !== null);
    const list = key === undefined ? undefined : request[key];
    if (key === undefined || !isJsonArray(list) || list.length === 0) return call;
    const { [key]: _, ...rest } = request;
    return { ...call, request: rest, call_refs: this.#calls.refer(list), call_key: key };
  }
}

/** Distinct values in the order of their first appearance. Only their hashes are kept. */
class Pool {
  readonly #walk: (value: Json) => Json;
  readonly #identityOf: (walked: Json) => Json;
  readonly #positions = new Map<string, number>();
  #remembered: WeakMap<object, { readonly position: number; readonly shape: object }> | undefined;
  #size = 0;
  #new: { position: number; json: string }[] = [];

  constructor(walk: (value: Json) => Json, identityOf: (walked: Json) => Json) {
    this.#walk = walk;
    this.#identityOf = identityOf;
  }

  /** Every row takes its position, even a repeated one, because others refer to positions. */
  restore(row: string): void {
    const hash = attachmentHash(stringifyJson(this.#identityOf(parseJson(row))));
    if (!this.#positions.has(hash)) this.#positions.set(hash, this.#size);
    this.#size++;
  }

  /** Ranges of positions, end exclusive; runs are joined, order and repeats are kept. */
  refer(values: readonly Json[]): Json {
    if (values.length >= HISTORY_MESSAGES_MIN) this.#remembered ??= new WeakMap();
    const ranges: [number, number][] = [];
    for (const value of values) {
      const position = this.#positionOf(value);
      const last = ranges.at(-1);
      if (last && last[1] === position) last[1]++;
      else ranges.push([position, position + 1]);
    }
    return ranges;
  }

  takeNew(): readonly { readonly position: number; readonly json: string }[] {
    const taken = this.#new;
    if (taken.length === 0) return NOTHING;
    this.#new = [];
    return taken;
  }

  #positionOf(value: Json): number {
    const known = this.#remembered;
    if (!known || typeof value !== 'object' || value === null) return this.#findOrAdd(value);
    const remembered = known.get(value);
    if (remembered && isShallowEqual(value, remembered.shape)) return remembered.position;
    const position = this.#findOrAdd(value);
    known.set(value, { position, shape: { ...value } });
    return position;
  }

  #findOrAdd(value: Json): number {
    const walked = this.#walk(value);
    const hash = attachmentHash(stringifyJson(this.#identityOf(walked)));
    const known = this.#positions.get(hash);
    if (known !== undefined) return known;
    const position = this.#size++;
    this.#positions.set(hash, position);
    this.#new.push({ position, json: stringifyJson(walked) });
    return position;
  }
}

/** Two messages are the same when all but their ids is [LOG-14]. */
function identityOfMessage(message: Json): Json {
  if (!isJsonObject(message) || message.id === undefined) return message;
  const { id: _, ...rest } = message;
  return rest;
}

/** Providers' request messages have no fixed field order, so keys are sorted. */
function identityOfCall(value: Json): Json {
  if (isJsonArray(value)) return value.map(identityOfCall);
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).map(([key, item]) => [
    key,
    item === undefined ? item : identityOfCall(item),
  ]);
  return Object.fromEntries(
    entries.sort(([a], [b]) => ((a as string) < (b as string) ? -1 : 1)),
  ) as JsonObject;
}

function isShallowEqual(value: object, shape: object): boolean {
  const keys = Object.keys(value);
  if (keys.length !== Object.keys(shape).length) return false;
  return keys.every((key) => Object.is(Reflect.get(value, key), Reflect.get(shape, key)));
}
