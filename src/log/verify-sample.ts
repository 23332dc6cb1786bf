import {
  isJsonArray,
  isJsonObject,
  type Json,
  jsonText,
  type SampleKey,
  sampleKeyText,
} from '../base/index.ts';
import { referredHash } from './attachment-rule.ts';
import type { SampleContext } from './read-sample.ts';
import { ALL_PARTS, type SampleDocument, type SamplePart, type SamplePiece } from './sample-document.ts';
import type { KeyCheck } from './shapes/check-document.ts';
import type { Shapes } from './verify-member.ts';

export interface SampleFinding {
  readonly code: 'reference' | 'shape';
  readonly message: string;
  readonly isRemark: boolean;
}

/** What is wrong with one sample, in one pass over it. With shapes, it is held to be exactly what is written today. */
export async function checkSample(
  { document }: SampleContext,
  key: SampleKey,
  shapes: Shapes | undefined,
): Promise<readonly SampleFinding[]> {
  const references = new References(document);
  const form = shapes && new Form(shapes);
  const found: { id?: Json; epoch?: Json } = {};
  for await (const pieces of document.scanTogether(ALL_PARTS)) {
    for (const piece of pieces) {
      const value = document.parse(piece.bytes);
      references.note(piece, value);
      form?.note(piece, value);
      if (piece.part === 'fields' && (piece.key === 'id' || piece.key === 'epoch')) found[piece.key] = value;
    }
  }
  const problem = (code: 'reference' | 'shape') => (message: string) => ({ code, message, isRemark: false });
  return [
    ...misnamed(found, key).map(problem('reference')),
    ...references.beyondPools().map(problem('reference')),
    // Inspect does not escape what looks like a reference, so in its logs such a text may be the user's own.
    ...references
      .missing()
      .map((message) => ({ code: 'reference' as const, message, isRemark: shapes === undefined })),
    ...(form?.finish() ?? []).map(problem('shape')),
  ];
}

function misnamed(found: { readonly id?: Json; readonly epoch?: Json }, { id, epoch }: SampleKey): string[] {
  if (jsonText(found.id) === String(id) && found.epoch === epoch) return [];
  const held = `${jsonText(found.id)}, epoch ${jsonText(found.epoch)}`;
  return [`It is named for ${sampleKeyText(id, epoch)} but holds ${held}.`];
}

/** References that events make are struck out when their attachment comes by. */
class References {
  readonly #document: SampleDocument;
  readonly #needed = new Set<string>();
  readonly #present = new Set<string>();
  readonly #counts = { messages: 0, calls: 0 };
  readonly #ends = { messages: 0, calls: 0 };

  constructor(document: SampleDocument) {
    this.#document = document;
  }

  note({ part, key }: SamplePiece, value: Json): void {
    if (part === 'attachments') {
      this.#needed.delete(key);
      this.#present.add(key);
      return;
    }
    if (part === 'messages' || part === 'calls') this.#counts[part]++;
    if (part === 'events') noteRanges(value, this.#ends);
    this.#document.places[part](part === 'fields' ? { [key]: value } : value, (text) => {
      const hash = referredHash(text);
      if (hash !== undefined && HASH_OR_INDEX.test(hash) && !this.#present.has(hash)) this.#needed.add(hash);
      return text;
    });
  }

  beyondPools(): string[] {
    const pools = ['messages', 'calls'] as const;
    return pools
      .filter((pool) => this.#ends[pool] > this.#counts[pool])
      .map(
        (pool) => `Events refer to ${this.#ends[pool]} pooled ${pool}, but there are ${this.#counts[pool]}.`,
      );
  }

  missing(): string[] {
    const [first] = this.#needed;
    return first === undefined ? [] : [`${this.#needed.size} attachments are missing, such as ${first}.`];
  }
}

const HASH_OR_INDEX = /^([0-9a-f]{32}|\d{1,15})$/;

const PROBLEMS_MAX = 20;

class Form {
  readonly #shapes: Shapes;
  readonly #fields: KeyCheck;
  readonly #problems: string[] = [];

  constructor(shapes: Shapes) {
    this.#shapes = shapes;
    this.#fields = shapes.checkKeys('sample');
  }

  note({ part, key }: SamplePiece, value: Json): void {
    if (this.#problems.length < PROBLEMS_MAX) this.#problems.push(...this.#check(part, key, value));
  }

  finish(): readonly string[] {
    return [...this.#problems, ...this.#fields.finish()];
  }

  #check(part: SamplePart, key: string, value: Json): readonly string[] {
    const { checkDocument } = this.#shapes;
    switch (part) {
      case 'fields':
        return this.#fields.key(key, value);
      case 'events':
        return checkDocument('event', value, `events[${key}]`);
      case 'messages':
        return checkDocument('message', value, `events_data.messages[${key}]`);
      case 'calls':
        return checkDocument('call', value, `events_data.calls[${key}]`);
      case 'attachments':
        return checkDocument('attachment', value, `attachments.${key}`);
    }
  }
}

function noteRanges(event: Json, ends: { messages: number; calls: number }): void {
  if (!isJsonObject(event)) return;
  ends.messages = Math.max(ends.messages, endOf(event.input_refs));
  if (isJsonObject(event.call)) ends.calls = Math.max(ends.calls, endOf(event.call.call_refs));
}

function endOf(refs: Json | undefined): number {
  if (!isJsonArray(refs)) return 0;
  return refs.reduce((end: number, range) => {
    const last = isJsonArray(range) ? range[1] : undefined;
    return typeof last === 'number' ? Math.max(end, last) : end;
  }, 0);
}
