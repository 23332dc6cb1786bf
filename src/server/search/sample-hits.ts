import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../../base/index.ts';
import {
  ALL_PARTS,
  referredHash,
  type SampleDocument,
  type SamplePart,
  type SamplePiece,
} from '../../log/index.ts';
import {
  firstIn,
  type Snippet,
  snippetKey,
  visitEvent,
  visitMessage,
  visitTexts,
} from '../../views/index.ts';
import type { Breath } from '../breath.ts';
import { isInBytes, latin1Of, type Needle } from './needle.ts';
import { LongValue } from './raw-snippets.ts';

/** Where a text is in a sample. */
export interface SampleHit extends Snippet {
  /** A field of the sample, or the kind of the event. */
  readonly where: string;
  /** The number of the event. */
  readonly event?: number;
}

export interface FindOptions {
  readonly needle: Needle;
  readonly breath: Breath;
  /** Not more than so many. */
  readonly limit: number;
}

/** What is longer comes in slices and is not parsed: its bytes are looked at, so that nobody waits for a hundred megabytes to become a text. */
const SLICES = { sliceBytes: 2 ** 20 };

/**
 * Finds a text in a stored sample: in its fields, its events, and in what they refer to. What stands in several places is told once, in
 * the first of them that a reader comes to: the end of a conversation repeats all of it.
 */
export async function findInSample(
  document: SampleDocument,
  { needle, breath, limit }: FindOptions,
): Promise<readonly SampleHit[]> {
  const found = new Finding(document, needle, limit);
  for await (const pieces of document.scanTogether(ALL_PARTS, SLICES)) {
    await breath.take();
    for (const piece of pieces) {
      found.look(piece);
      await breath.take();
    }
    if (found.isFull) break;
  }
  if (found.refersElsewhere)
    for await (const pieces of document.scanTogether(REFERRING, SLICES)) {
      await breath.take();
      for (const piece of pieces) {
        found.trace(piece);
        await breath.take();
      }
    }
  return found.hits();
}

const REFERRING: ReadonlySet<SamplePart> = new Set(['events', 'messages']);

/** How a field of a sample is called where hits are told. */
const FIELDS: Readonly<Record<string, string>> = { scores: 'answer', score: 'answer' };
/** What a reader sees before the transcript. */
const FIRST_FIELDS: ReadonlySet<string> = new Set(['input', 'target', 'choices']);
const NO_FIELDS: ReadonlySet<string> = new Set([
  'id',
  'uuid',
  'started_at',
  'completed_at',
  'timelines',
  'events_data',
]);

interface EventHit extends SampleHit {
  readonly event: number;
}

interface LongPiece {
  readonly event: number;
  readonly where: string;
  readonly value: LongValue;
}

class Finding {
  readonly #document: SampleDocument;
  readonly #needle: Needle;
  readonly #limit: number;
  readonly #first: SampleHit[] = [];
  readonly #own: EventHit[] = [];
  readonly #copied: EventHit[] = [];
  readonly #last: SampleHit[] = [];
  readonly #attachments = new Map<string, Snippet>();
  readonly #messages = new Map<number, Snippet[]>();
  /** By position of the message: hits in attachments that it refers to. */
  readonly #attached = new Map<number, Set<string>>();
  /** By position: the first event that has the message in its input. */
  readonly #entered = new Map<number, number>();
  /** By hash: the first event that refers to it. */
  readonly #owners = new Map<string, { readonly event: number; readonly where: string }>();
  readonly #fieldsOf = new Map<string, string>();
  #events = 0;
  #traced = 0;
  /** What the piece at hand is a slice of. */
  #long: LongPiece | undefined;
  #isTracedOn = false;

  constructor(document: SampleDocument, needle: Needle, limit: number) {
    this.#document = document;
    this.#needle = needle;
    this.#limit = limit;
  }

  get isFull(): boolean {
    return this.#own.length >= this.#limit;
  }

  get refersElsewhere(): boolean {
    return this.#attachments.size + this.#messages.size > 0;
  }

  look(piece: SamplePiece): void {
    const long = this.#long ?? (piece.isMore ? this.#beginLong(piece) : undefined);
    this.#long = piece.isMore ? long : undefined;
    if (long) this.#lookAtSlice(piece, long);
    else this.#lookAtWhole(piece);
  }

  #lookAtWhole(piece: SamplePiece): void {
    const event = this.#numberOf(piece);
    const latin1 = latin1Of(piece.bytes);
    if (piece.part === 'fields') this.#noteReferences(piece.key, latin1);
    if (!isInBytes(this.#needle, latin1)) return;
    const value = this.#document.parse(piece.bytes);
    if (piece.part === 'events') this.#lookAtEvent(value, event);
    else if (piece.part === 'attachments')
      visitTexts(
        value,
        this.#adder((one) => this.#addAttached(piece.key, one)),
      );
    else if (piece.part === 'messages')
      visitMessage(
        value,
        this.#adder((one) => this.#addMessage(piece.key, one)),
      );
    else if (piece.part === 'fields') this.#lookAtField(piece.key, value);
  }

  #beginLong(piece: SamplePiece): LongPiece {
    const where = /"event"\s*:\s*"(\w{1,40})"/.exec(latin1Of(piece.bytes))?.[1] ?? 'event';
    return { event: this.#numberOf(piece), where, value: new LongValue(this.#needle) };
  }

  #lookAtSlice({ part, key, bytes, isMore }: SamplePiece, { event, where, value }: LongPiece): void {
    for (const one of value.push(latin1Of(bytes), !isMore)) {
      if (part === 'events') this.#copied.push({ ...one, where, event });
      else if (part === 'attachments') this.#addAttached(key, one);
      else if (part === 'messages') this.#addMessage(key, one);
      else if (part === 'fields') this.#addToField(key, one);
    }
  }

  #numberOf({ part, bytes }: SamplePiece): number {
    return part === 'events' && isObject(bytes) ? this.#events++ : -1;
  }

  #adder(add: (snippet: Snippet) => void): (text: string) => void {
    return (text) => {
      const snippet = firstIn(text, this.#needle);
      if (snippet) add(snippet);
    };
  }

  #lookAtEvent(value: Json, event: number): void {
    if (!isJsonObject(value)) return;
    const where = String(value.event);
    let isTold = false;
    visitEvent(value, (text, isOwn) => {
      const snippet = isOwn && isTold ? undefined : firstIn(text, this.#needle);
      if (!snippet) return;
      // One line for an event: whoever opens it sees the rest.
      if (isOwn) isTold = true;
      (isOwn ? this.#own : this.#copied).push({ ...snippet, where, event });
    });
  }

  #addAttached(hash: string, snippet: Snippet): void {
    if (!this.#attachments.has(hash)) this.#attachments.set(hash, snippet);
  }

  #addMessage(position: string, snippet: Snippet): void {
    const known = this.#messages.get(Number(position)) ?? [];
    this.#messages.set(Number(position), [...known, snippet]);
  }

  #addToField(field: string, snippet: Snippet): void {
    if (NO_FIELDS.has(field)) return;
    const where = FIELDS[field] ?? field;
    (FIRST_FIELDS.has(field) ? this.#first : this.#last).push({ ...snippet, where });
  }

  #lookAtField(field: string, value: Json): void {
    const visit = this.#adder((one) => this.#addToField(field, one));
    if (CONVERSATIONS.has(field) && isJsonArray(value))
      for (const message of value) visitMessage(message, visit);
    else if (field === 'output' && isJsonObject(value)) visitOutput(value, visit);
    else visitTexts(value, visit);
  }

  /** Which field has a reference, for what no event refers to. */
  #noteReferences(key: string, latin1: string): void {
    for (const [, hash] of latin1.matchAll(/(?:attachment|tc):\/\/([0-9a-f]{1,64})"/g))
      if (hash !== undefined && !this.#fieldsOf.has(hash)) this.#fieldsOf.set(hash, FIELDS[key] ?? key);
  }

  /** The second time: who refers to what was found. Of what comes in slices it is not known. */
  trace({ part, key, bytes, isMore }: SamplePiece): void {
    const isContinued = this.#isTracedOn;
    this.#isTracedOn = isMore === true;
    if (isContinued) return;
    const isEvent = part === 'events' && isObject(bytes);
    const event = isEvent ? this.#traced++ : -1;
    if (isMore) return;
    if (isEvent) this.#traceEvent(this.#document.parse(bytes), event);
    else if (part === 'messages' && this.#attachments.size > 0)
      this.#traceMessage(this.#document.parse(bytes), Number(key));
  }

  #traceEvent(parsed: Json, event: number): void {
    if (!isJsonObject(parsed)) return;
    const where = String(parsed.event);
    if (this.#attachments.size > 0)
      visitEvent(parsed, (text) => {
        const hash = referredHash(text);
        if (hash !== undefined && this.#attachments.has(hash) && !this.#owners.has(hash))
          this.#owners.set(hash, { event, where });
      });
    const { input_refs: refs } = parsed;
    if (isJsonArray(refs))
      for (const range of refs)
        if (isJsonArray(range)) this.#enter(Number(range[0]), Number(range[1]), event);
  }

  #enter(start: number, end: number, event: number): void {
    for (let position = Math.max(0, start); position < Math.min(end, start + REFS_MAX); position++)
      if (!this.#entered.has(position)) this.#entered.set(position, event);
  }

  #traceMessage(message: Json, position: number): void {
    visitMessage(message, (text) => {
      const hash = referredHash(text);
      if (hash === undefined || !this.#attachments.has(hash)) return;
      const known = this.#attached.get(position) ?? new Set();
      this.#attached.set(position, known.add(hash));
    });
  }

  /** In the order of reading: what was asked, the transcript, the rest. */
  hits(): readonly SampleHit[] {
    const told = new Set<string>();
    const once = <T extends SampleHit>(hits: readonly T[]) =>
      hits.filter((hit) => {
        const key = snippetKey(hit);
        const isNew = !told.has(key);
        told.add(key);
        return isNew;
      });
    const first = once(this.#first);
    for (const hit of this.#own) told.add(snippetKey(hit));
    const attached = [...this.#attachments].flatMap(([hash, snippet]) => this.#placed(hash, snippet) ?? []);
    const inEvents = [
      ...this.#own,
      ...once([...attached.filter(isOfEvent), ...this.#copied, ...this.#entering()]),
    ].sort((a, b) => a.event - b.event);
    const last = once([...attached.filter((hit) => hit.event === undefined), ...this.#last]);
    return [...first, ...inEvents, ...last].slice(0, this.#limit);
  }

  #placed(hash: string, snippet: Snippet): SampleHit | undefined {
    const owner = this.#owners.get(hash) ?? this.#ownerByMessage(hash);
    if (owner) return { ...snippet, ...owner };
    const where = this.#fieldsOf.get(hash);
    return where === undefined ? undefined : { ...snippet, where };
  }

  #ownerByMessage(hash: string): { readonly event: number; readonly where: string } | undefined {
    for (const [position, hashes] of this.#attached) {
      const event = hashes.has(hash) ? this.#entered.get(position) : undefined;
      if (event !== undefined) return { event, where: 'model' };
    }
    return undefined;
  }

  /** Messages that came in with a call to a model. */
  #entering(): readonly EventHit[] {
    return [...this.#messages].flatMap(([position, snippets]) => {
      const event = this.#entered.get(position);
      return event === undefined ? [] : snippets.map((snippet) => ({ ...snippet, where: 'model', event }));
    });
  }
}

const REFS_MAX = 1_000_000;
const CONVERSATIONS: ReadonlySet<string> = new Set(['input', 'messages']);

function visitOutput({ choices, error }: JsonObject, visit: (text: string) => void): void {
  if (isJsonArray(choices))
    for (const choice of choices) if (isJsonObject(choice)) visitMessage(choice.message ?? null, visit);
  visitTexts(error, visit);
}

function isOfEvent(hit: SampleHit): hit is EventHit {
  return hit.event !== undefined;
}

function isObject(bytes: Uint8Array): boolean {
  return bytes[0] === 0x7b;
}
