import { ActionableError, type Clock, isJsonObject, type Json, parseJson } from '../../base/index.ts';
import {
  firstIn,
  isToldBefore,
  type Snippet,
  visitEvent,
  visitMessage,
  visitTexts,
} from '../../views/index.ts';
import type { FindLine } from '../api.ts';
import { Breath } from '../breath.ts';
import { isInBytes, latin1Of, type Needle, needleOf } from '../search/needle.ts';
import { LongValue } from '../search/raw-snippets.ts';
import { type Block, inBlocks, type Piece } from './blocks.ts';
import { utf8 } from './literal.ts';
import type { Spool } from './spool.ts';

export interface FindOptions {
  readonly text: string;
  /** The event to begin with; after the last it goes on with the first. */
  readonly from: number;
  readonly limit: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Somebody who waits is told at least so often how far it is. */
const TELL_MS = 150;
/** A longer piece is looked at as it is: to parse it would take long. */
const PARSED_BYTES_MAX = 2 ** 20;

/**
 * Where a text is in a transcript, told as it is found, once an event. An event has it when one of its own texts does, or an attachment
 * in it, or a message that appears with it for the first time: those that every call repeats are told once, and what a model or a tool
 * said before is told by the event of that.
 */
export async function* findInSpool(spool: Spool, options: FindOptions): AsyncGenerator<FindLine> {
  const waiting = { signal: options.signal, ms: TELL_MS };
  while (!(await spool.owner.untilWhole(waiting)) || !(await spool.untilWhole(waiting)))
    yield { scanned: 0, of: spool.eventCount, isDone: false, isAll: true, hits: [] };
  yield* new Search(spool, options).run();
}

class Search {
  readonly #spool: Spool;
  readonly #options: FindOptions;
  readonly #needle: Needle;
  readonly #breath: Breath;
  readonly #count: number;
  readonly #firstCall: number | undefined;
  readonly #hasTools: boolean;
  readonly #buffer = Buffer.allocUnsafe(PARSED_BYTES_MAX);
  /** Attachments that have it, by hash; messages that have it, by the event in which they first appear. */
  readonly #attachments = new Map<string, Snippet>();
  readonly #messages = new Map<number, Snippet>();
  #hits: FindLine['hits'] = [];
  #told = 0;
  #scanned = 0;
  #toldMs: number;

  constructor(spool: Spool, options: FindOptions) {
    this.#spool = spool;
    this.#options = options;
    this.#needle = needleOf(options.text);
    this.#breath = new Breath(options.clock, options.signal);
    this.#count = spool.eventCount;
    this.#firstCall = spool.skeleton.firstOf('model');
    this.#hasTools = spool.skeleton.firstOf('tool') !== undefined;
    this.#toldMs = options.clock.monotonicMs();
  }

  async *run(): AsyncGenerator<FindLine> {
    const { owner } = this.#spool;
    for (const block of inBlocks(attachmentsOf(owner))) {
      await this.#inBlock(block, owner, (hash, snippet) => this.#attachments.set(hash, snippet));
      if (this.#isLate) yield this.#line(false);
    }
    // An earlier attempt has its messages in its events.
    for (const block of owner === this.#spool ? inBlocks(messagesOf(owner)) : []) {
      const found: [number, Snippet][] = [];
      await this.#inBlock(block, owner, (position, snippet) => void found.push([position, snippet]));
      for (const [position, snippet] of found) await this.#noteMessage(position, snippet);
      if (this.#isLate) yield this.#line(false);
    }
    const start = this.#options.from < this.#count ? this.#options.from : 0;
    const events = eventsOf(this.#spool, [
      [start, this.#count],
      [0, start],
    ]);
    for (const block of inBlocks(events)) {
      await this.#inBlock(block, this.#spool, (event, snippet) => this.#hit(event, snippet));
      if (this.#isFull) break;
      if (this.#isLate) yield this.#line(false);
    }
    yield this.#line(true);
  }

  get #isFull(): boolean {
    return this.#told + this.#hits.length >= this.#options.limit;
  }

  get #isLate(): boolean {
    return this.#options.clock.monotonicMs() - this.#toldMs >= TELL_MS;
  }

  async #noteMessage(position: number, snippet: Snippet): Promise<void> {
    const event = this.#spool.skeleton.firstReferrer(position);
    if (event === undefined || this.#messages.has(event)) return;
    const call = { isFirstCall: event === this.#firstCall, hasTools: this.#hasTools };
    if (!isToldBefore(await roleOf(this.#spool.owner, position), call)) this.#messages.set(event, snippet);
  }

  #hit(event: number, snippet: Snippet): void {
    if (!this.#isFull) this.#hits.push({ event, ...snippet });
  }

  /** Most blocks have nothing in them: then no piece of them is looked at. */
  async #inBlock<Name extends string | number>(
    block: Block<Name>,
    spool: Spool,
    found: (name: Name, snippet: Snippet) => void,
  ): Promise<void> {
    await this.#breath.take();
    const { stretch, pieces } = block;
    const [first] = pieces;
    if (first && first.at.sizeBytes > PARSED_BYTES_MAX) {
      const snippet = (await this.#inLong(first, spool)) ?? this.#besides(first);
      if (snippet) found(first.name, snippet);
      if (first.kind === 'event') this.#scanned++;
      return;
    }
    const bytes = await spool.read(stretch, this.#buffer);
    const latin1 = latin1Of(bytes);
    const isPossible = isInBytes(this.#needle, latin1) || this.#mayRefer(latin1);
    for (const piece of pieces) {
      const from = piece.at.start - stretch.start;
      const own = isPossible
        ? this.#inPiece(piece, bytes.subarray(from, from + piece.at.sizeBytes))
        : undefined;
      const snippet = own ?? this.#besides(piece);
      if (snippet) found(piece.name, snippet);
      if (piece.kind === 'event') this.#scanned++;
      if (this.#isFull) return;
    }
  }

  /** A message that appears with an event has it. */
  #besides({ name, kind }: Piece<string | number>): Snippet | undefined {
    return kind === 'event' && typeof name === 'number' ? this.#messages.get(name) : undefined;
  }

  #mayRefer(latin1: string): boolean {
    return this.#attachments.size > 0 && /"(?:attachment|tc):\/\//.test(latin1);
  }

  #inPiece({ kind }: Piece<string | number>, bytes: Uint8Array): Snippet | undefined {
    const latin1 = latin1Of(bytes);
    if (!isInBytes(this.#needle, latin1))
      return this.#mayRefer(latin1) ? this.#inAttached(latin1) : undefined;
    const own = firstText(valueOf(bytes), kind, (text) => firstIn(text, this.#needle));
    return own ?? this.#inAttached(latin1);
  }

  #inAttached(latin1: string): Snippet | undefined {
    for (const [, hash = ''] of latin1.matchAll(/"(?:attachment|tc):\/\/([^"\\]{1,64})"/g)) {
      const found = this.#attachments.get(hash);
      if (found) return found;
    }
    return undefined;
  }

  /** One piece that is too long to be held. */
  async #inLong({ at }: Piece<string | number>, spool: Spool): Promise<Snippet | undefined> {
    const value = new LongValue(this.#needle);
    let end = at.start;
    for await (const chunk of spool.chunks(at)) {
      end += chunk.length;
      const [snippet] = value.push(latin1Of(chunk), end === at.start + at.sizeBytes);
      if (snippet) return snippet;
      await this.#breath.take();
    }
    return undefined;
  }

  #line(isDone: boolean): FindLine {
    const hits = this.#hits;
    this.#told += hits.length;
    this.#hits = [];
    this.#toldMs = this.#options.clock.monotonicMs();
    const isAll = !isDone || this.#scanned >= this.#count;
    return { scanned: this.#scanned, of: this.#count, isDone, isAll, hits };
  }
}

/** Of a long message both ends are looked at: its role is before what it says, or behind it. */
const ROLE_BYTES = 4_096;

async function roleOf(spool: Spool, position: number): Promise<string | undefined> {
  const at = spool.pooled('messages', position);
  if (!at) return undefined;
  const sizeBytes = Math.min(at.sizeBytes, ROLE_BYTES);
  for (const start of [at.start, at.start + at.sizeBytes - sizeBytes]) {
    const [, role] =
      /(?<!\\)"role"\s*:\s*"(\w+)"/.exec(latin1Of(await spool.read({ start, sizeBytes }))) ?? [];
    if (role !== undefined) return role;
  }
  return undefined;
}

/** What a text of the value says first, as far as a reader sees it. */
function firstText(
  value: Json,
  kind: Piece<unknown>['kind'],
  look: (text: string) => Snippet | undefined,
): Snippet | undefined {
  let found: Snippet | undefined;
  const visit = (text: string) => {
    found ??= look(text);
  };
  if (kind === 'event' && isJsonObject(value)) visitEvent(value, visit);
  else if (kind === 'message') visitMessage(value, visit);
  else visitTexts(value, visit);
  return found;
}

/** Whoever opens a piece that is no JSON is told what is wrong with it; here it says nothing. */
function valueOf(bytes: Uint8Array): Json {
  try {
    return parseJson(utf8(bytes));
  } catch (error) {
    if (error instanceof ActionableError) return null;
    throw error;
  }
}

function* attachmentsOf(spool: Spool): Generator<Piece<string>> {
  for (const name of spool.attachmentHashes()) {
    const at = spool.attachment(name);
    if (at) yield { name, at, kind: 'text' };
  }
}

function* messagesOf(spool: Spool): Generator<Piece<number>> {
  for (let name = 0; name < spool.poolSize('messages'); name++) {
    const at = spool.pooled('messages', name);
    if (at) yield { name, at, kind: 'message' };
  }
}

function* eventsOf(spool: Spool, ranges: readonly (readonly [number, number])[]): Generator<Piece<number>> {
  for (const [start, end] of ranges) {
    for (let name = start; name < end; name++) {
      const at = spool.eventAt(name);
      if (at) yield { name, at, kind: 'event' };
    }
  }
}
