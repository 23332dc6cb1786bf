import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../../base/index.ts';
import { migrateEvent, positionsOf, type ReferencePlaces, referredHash } from '../../log/index.ts';
import type { AnyJson } from '../api.ts';
import { CutParser } from './cut-parser.ts';
import { Cuts, headOf, TEXT_UNITS_MAX } from './cuts.ts';
import { decodeInside, wholeBytes } from './literal.ts';
import { type PieceName, placeText, type Range } from './place.ts';
import type { TextReader } from './read-text.ts';
import type { Spool, Waiting } from './spool.ts';
import type { Stretch } from './spool-file.ts';

/** How much of a value is given. */
export interface Measure {
  readonly unitsMax: number;
  readonly shareOf: (key: string) => number;
}

/** An event among others: what a request was made of is left to whoever looks at it alone. */
export const IN_A_PAGE: Measure = {
  unitsMax: 200_000,
  shareOf: (key) => (SELDOM_READ.has(key) ? 2_000 : key === 'input' ? 24_000 : 64_000),
};
const SELDOM_READ: ReadonlySet<string> = new Set(['tools', 'call', 'traceback_ansi', 'state']);

/** One event, or one field of a sample, by itself. */
export const ALONE: Measure = { unitsMax: 1_000_000, shareOf: () => 400_000 };

/** What is short has nothing in it that could be cut. */
const SHORT_BYTES = TEXT_UNITS_MAX;
/** Of a list of messages so many are given: the first few, which say what it is about, and the last. */
const MESSAGES_MAX = 200;
const FIRST_MESSAGES = 20;
const MESSAGES_UNITS_MAX = 1_000_000;
/** How far back from a model call the messages are given that it answers. */
const ANSWERED_MAX = 12;
const HEAD_BYTES = 6 * TEXT_UNITS_MAX;

type Pool = 'messages' | 'calls';

export interface BodiesOptions {
  readonly attempt?: number | undefined;
  readonly texts: TextReader;
  readonly waiting: Waiting;
}

/** Makes values of the pieces of a spool, for one answer: with what they refer to, and without what is too long. */
export class Bodies {
  readonly cuts = new Cuts();
  readonly #spool: Spool;
  readonly #options: BodiesOptions;
  #hasWaited = false;

  constructor(spool: Spool, options: BodiesOptions) {
    this.#spool = spool;
    this.#options = options;
  }

  /** An event as it is stored: model calls refer to messages by `input_refs`. */
  async event(index: number, measure: Measure): Promise<JsonObject | undefined> {
    const stretch = this.#spool.eventAt(index);
    if (!stretch) return undefined;
    const chunks = this.#spool.chunks(stretch);
    const value = await this.#parse({ part: 'events', index }, stretch, { chunks, measure });
    const resolved = await this.#resolve(value, this.#spool.form.places.events);
    return migrateEvent(resolved) ?? { event: 'unknown', value: resolved };
  }

  /** The same with everything that it refers to. */
  async wholeEvent(index: number): Promise<AnyJson | undefined> {
    const event = await this.event(index, ALONE);
    return event && this.cuts.settle(await this.#expanded(event));
  }

  /** Messages that a model call answers, by their position: what was said since the last answer. */
  async answered(event: JsonObject): Promise<ReadonlyMap<number, Json>> {
    const found = new Map<number, Json>();
    if (event.event !== 'model' || !isJsonArray(event.input_refs)) return found;
    for (const position of lastPositions(event.input_refs, ANSWERED_MAX).toReversed()) {
      const message = await this.pooled('messages', position, IN_A_PAGE);
      if (isJsonObject(message) && message.role === 'assistant') break;
      if (message !== undefined) found.set(position, message);
    }
    return found;
  }

  async pooled(pool: Pool, position: number, measure: Measure): Promise<Json | undefined> {
    const stretch = this.#spool.pooled(pool, position);
    if (!stretch) return undefined;
    const chunks = this.#spool.owner.chunks(stretch);
    const value = await this.#parse({ part: pool, index: position }, stretch, { chunks, measure });
    return this.#resolve(value, this.#spool.form.places[pool]);
  }

  /** A field of the sample; `within`: only these bytes of it. */
  async field(name: string, measure: Measure, within?: Stretch): Promise<Json | undefined> {
    const field = this.#spool.field(name);
    if (!field) return undefined;
    const stretch = within ? { ...within, start: field.start + within.start } : field;
    const chunks = this.#spool.fieldChunks(stretch);
    const offset = within?.start ?? 0;
    return this.#parse({ part: 'fields', name }, stretch, { chunks, measure, offset });
  }

  /** Puts attachments back into fields of the sample. */
  async resolveFields(fields: JsonObject): Promise<JsonObject> {
    const resolved = await this.#resolve(fields, this.#spool.form.places.fields);
    return isJsonObject(resolved) ? resolved : fields;
  }

  async #parse(
    piece: PieceName,
    { sizeBytes }: Stretch,
    {
      chunks,
      measure,
      offset = 0,
    }: { readonly chunks: AsyncIterable<Uint8Array>; readonly measure: Measure; readonly offset?: number },
  ): Promise<Json> {
    if (sizeBytes <= SHORT_BYTES) return this.#spool.form.parse(Buffer.concat(await Array.fromAsync(chunks)));
    const { attempt } = this.#options;
    const at = (kind: 'string' | 'json') => (start: number, size: number, units: number) =>
      placeText({ attempt, piece, stretch: { kind, start: start + offset, sizeBytes: size, units } });
    const places = { string: at('string'), json: at('json') };
    const parser = new CutParser({ cuts: this.cuts, places, ...measure });
    try {
      for await (const chunk of chunks) parser.push(chunk);
      return parser.finish();
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      // Whoever knows the log says where in it this is.
      return this.#spool.form.parse(Buffer.from(`no JSON: ${error.message}`));
    }
  }

  async #resolve(value: Json, walk: ReferencePlaces['events']): Promise<Json> {
    const hashes = new Set<string>();
    walk(value, (text) => {
      const hash = referredHash(text);
      if (hash !== undefined) hashes.add(hash);
      return text;
    });
    if (hashes.size === 0) return value;
    const texts = new Map<string, string>();
    for (const hash of hashes) {
      const text = await this.#attachment(hash);
      if (text !== undefined) texts.set(hash, text);
    }
    return walk(value, (text) => {
      const hash = referredHash(text);
      return hash === undefined ? text : (texts.get(hash) ?? text);
    });
  }

  /** Undefined for what is no attachment: then it is somebody's own text. */
  async #attachment(hash: string): Promise<string | undefined> {
    const stretch = this.#spool.attachment(hash) ?? (await this.#attachmentLater(hash));
    const { attempt } = this.#options;
    const at = placeText({ attempt, piece: { part: 'attachments', name: hash } });
    if (!stretch)
      return this.#spool.owner.isRead
        ? undefined
        : this.cuts.mark({ head: '', length: 0, at, isLater: true });
    const first = await this.#spool.owner.read({
      start: stretch.start,
      sizeBytes: Math.min(stretch.sizeBytes, HEAD_BYTES),
    });
    if (first[0] !== QUOTE) return undefined;
    const isWhole = first.length === stretch.sizeBytes;
    const inside = first.subarray(1, isWhole ? -1 : undefined);
    const text = decodeInside(inside.subarray(0, isWhole ? undefined : wholeBytes(inside)));
    if (isWhole && text.length <= TEXT_UNITS_MAX) return text;
    const length = isWhole ? text.length : await this.#options.texts.attachmentUnits(hash, stretch);
    return this.cuts.mark({ head: headOf(text), length, at });
  }

  /** Attachments come after all events: those who ask early wait a little, and then do without. */
  async #attachmentLater(hash: string): Promise<Stretch | undefined> {
    if (this.#hasWaited || this.#spool.owner.isRead) return undefined;
    await this.#spool.owner.until(() => this.#spool.attachment(hash) !== undefined, this.#options.waiting);
    this.#hasWaited = !this.#spool.owner.isRead && this.#spool.attachment(hash) === undefined;
    return this.#spool.attachment(hash);
  }

  async #expanded(event: JsonObject): Promise<JsonObject> {
    if (event.event !== 'model') return this.#expandNested(event);
    const result: Record<string, Json | undefined> = { ...event };
    if (isJsonArray(event.input_refs) && this.#spool.poolSize('messages') > 0) {
      result.input = await this.#listFrom('messages', event.input_refs);
      delete result.input_refs;
    }
    const { call } = event;
    if (isJsonObject(call) && isJsonArray(call.call_refs) && this.#spool.poolSize('calls') > 0) {
      const { call_refs, call_key, ...rest } = call;
      const key = typeof call_key === 'string' ? call_key : 'messages';
      const request = isJsonObject(rest.request) ? rest.request : {};
      result.call = { ...rest, request: { ...request, [key]: await this.#listFrom('calls', call_refs) } };
    }
    return result;
  }

  /** Tools and subtasks of old have the events inside of them in them. */
  async #expandNested(event: JsonObject): Promise<JsonObject> {
    if (!isJsonArray(event.events)) return event;
    const events: Json[] = [];
    for (const nested of event.events)
      events.push(isJsonObject(nested) ? await this.#expanded(nested) : nested);
    return { ...event, events };
  }

  /** The last items and the first; what lies between is one cut. */
  async #listFrom(pool: Pool, refs: Json | undefined): Promise<Json[]> {
    const size = this.#spool.poolSize(pool);
    const positions = positionsOf(refs).filter((position) => position < size);
    const last =
      positions.length <= MESSAGES_MAX ? positions : positions.slice(FIRST_MESSAGES - MESSAGES_MAX);
    const before = positions.slice(0, positions.length - last.length);
    const sized = new Cuts();
    const items: Json[] = [];
    while (last.length > 0 && sized.sizeUnits < MESSAGES_UNITS_MAX) {
      const item = await this.pooled(pool, last.pop() as number, IN_A_PAGE);
      if (item === undefined) continue;
      items.unshift(item);
      sized.settle(item);
    }
    const first: Json[] = [];
    const left = [...before, ...last];
    while (first.length < FIRST_MESSAGES && left.length > 0 && sized.sizeUnits < 1.2 * MESSAGES_UNITS_MAX) {
      const item = await this.pooled(pool, left.shift() as number, IN_A_PAGE);
      if (item === undefined) continue;
      first.push(item);
      sized.settle(item);
    }
    if (left.length === 0) return [...first, ...items];
    return [...first, this.#cutItems(pool, left), ...items];
  }

  #cutItems(pool: Pool, positions: readonly number[]): string {
    const ranges: [number, number][] = [];
    let sizeBytes = 0;
    for (const position of positions) {
      const range = ranges.at(-1);
      if (range?.[1] === position) range[1]++;
      else ranges.push([position, position + 1]);
      sizeBytes += this.#spool.pooled(pool, position)?.sizeBytes ?? 0;
    }
    const { attempt } = this.#options;
    const piece = { part: 'pooled', pool, ranges: ranges satisfies readonly Range[] } as const;
    const at = placeText({ attempt, piece });
    return this.cuts.mark({
      head: '',
      length: sizeBytes + positions.length + 1,
      at,
      items: positions.length,
    });
  }
}

const QUOTE = 0x22;

/** The last positions that ranges name, without listing all of them. */
function lastPositions(refs: readonly Json[], count: number): number[] {
  const positions: number[] = [];
  for (const range of refs.toReversed()) {
    if (!isJsonArray(range)) continue;
    const [start, end] = range;
    if (typeof start !== 'number' || typeof end !== 'number') continue;
    for (let position = end - 1; position >= Math.max(start, 0) && positions.length < count; position--)
      positions.unshift(position);
    if (positions.length >= count) break;
  }
  return positions;
}
