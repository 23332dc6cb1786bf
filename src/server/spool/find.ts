import { ActionableError, type Clock, nextTurn, parseJson } from '../../base/index.ts';
import type { FindLine } from '../api.ts';
import { type Block, inBlocks, type Piece } from './blocks.ts';
import { decodeInside, utf8, wholeLetters } from './literal.ts';
import { type Found, Needle } from './needle.ts';
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
const LONG_BYTES = 4 * 2 ** 20;
/** A longer piece is looked at as it is: to parse it would take long. */
const PARSED_BYTES_MAX = 256 * 1024;

/**
 * Where a text is in a transcript, told as it is found. An event has it when one of its own texts does, or an attachment in it, or
 * a message that appears with it for the first time: those that are repeated with every call are told once.
 */
export async function* findInSpool(spool: Spool, options: FindOptions): AsyncGenerator<FindLine> {
  for (;;) {
    const waiting = { signal: options.signal, ms: TELL_MS };
    if (await spool.owner.untilWhole(waiting)) if (await spool.untilWhole(waiting)) break;
    yield { scanned: 0, of: spool.eventCount, isDone: false, isAll: true, hits: [] };
  }
  yield* new Search(spool, options).run();
}

class Search {
  readonly #spool: Spool;
  readonly #options: FindOptions;
  readonly #needle: Needle;
  readonly #count: number;
  /** Attachments that have it, by hash; messages that have it, by the event in which they first appear. */
  readonly #attachments = new Map<string, Found>();
  readonly #messages = new Map<number, Found>();
  #hits: FindLine['hits'] = [];
  #told = 0;
  #scanned = 0;
  #toldMs: number;

  constructor(spool: Spool, options: FindOptions) {
    this.#spool = spool;
    this.#options = options;
    this.#needle = new Needle(options.text);
    this.#count = spool.eventCount;
    this.#toldMs = options.clock.monotonicMs();
  }

  async *run(): AsyncGenerator<FindLine> {
    const { owner } = this.#spool;
    const isOwn = owner === this.#spool;
    yield* this.#each(attachmentsOf(owner), owner, (hash, text) => this.#lookAtAttachment(hash, text));
    if (isOwn)
      yield* this.#each(messagesOf(owner), owner, (position, text) => this.#lookAtMessage(position, text));
    const start = this.#options.from < this.#count ? this.#options.from : 0;
    const events = eventsOf(this.#spool, [
      [start, this.#count],
      [0, start],
    ]);
    for await (const line of this.#each(events, this.#spool, (index, text) =>
      this.#lookAtEvent(index, text),
    )) {
      if (this.#isFull()) break;
      yield line;
    }
    yield this.#line(true);
  }

  #isFull(): boolean {
    return this.#told + this.#hits.length >= this.#options.limit;
  }

  /** Many pieces at a time: most blocks have nothing in them, and then no piece of them is looked at. */
  async *#each<T>(
    pieces: Iterable<Piece<T>>,
    spool: Spool,
    look: (name: T, text: PieceText) => void,
  ): AsyncGenerator<FindLine> {
    for (const block of inBlocks(pieces)) {
      this.#options.signal.throwIfAborted();
      if (block.stretch.sizeBytes > LONG_BYTES) await this.#lookAtLong(block, spool, look);
      else await this.#lookAtBlock(block, spool, look);
      await nextTurn();
      if (this.#options.clock.monotonicMs() - this.#toldMs >= TELL_MS || this.#isFull())
        yield this.#line(false);
      if (this.#isFull()) return;
    }
  }

  async #lookAtBlock<T>(
    { stretch, pieces }: Block<T>,
    spool: Spool,
    look: (name: T, text: PieceText) => void,
  ): Promise<void> {
    const bytes = await spool.read(stretch);
    const text = utf8(bytes);
    const isPossible =
      this.#needle.indexInJson(text) >= 0 || (this.#attachments.size > 0 && text.includes('://'));
    for (const { name, at, isEvent } of pieces) {
      if (!isPossible && !(isEvent && typeof name === 'number' && this.#messages.has(name))) continue;
      const from = at.start - stretch.start;
      look(name, { text: utf8(bytes.subarray(from, from + at.sizeBytes)), isWhole: true });
      if (this.#isFull()) return;
    }
    this.#scanned += pieces.filter(({ isEvent }) => isEvent).length;
  }

  /** One piece that is too long to be held: in portions, each with the end of the one before. */
  async #lookAtLong<T>(
    { stretch, pieces: [piece] }: Block<T>,
    spool: Spool,
    look: (name: T, text: PieceText) => void,
  ): Promise<void> {
    let rest: Uint8Array = new Uint8Array();
    let overlap = '';
    for await (const chunk of spool.chunks(stretch)) {
      const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      const whole = wholeLetters(bytes);
      const text = overlap + utf8(bytes.subarray(0, whole));
      rest = bytes.subarray(whole);
      overlap = text.slice(-12 * this.#options.text.length);
      const index = this.#needle.indexInJson(text);
      if (index < 0 || !piece) continue;
      look(piece.name, { text: text.slice(Math.max(0, index - 200), index + 2_000), isWhole: false });
      break;
    }
    if (piece?.isEvent) this.#scanned++;
  }

  #lookAtAttachment(hash: string, text: PieceText): void {
    const found = this.#foundIn(text);
    if (found) this.#attachments.set(hash, found);
  }

  #lookAtMessage(position: number, text: PieceText): void {
    const event = this.#spool.skeleton.firstReferrer(position);
    const found = this.#foundIn(text) ?? this.#foundAttached(text);
    if (found && event !== undefined && !this.#messages.has(event)) this.#messages.set(event, found);
  }

  #lookAtEvent(event: number, text: PieceText): void {
    const found = this.#foundIn(text) ?? this.#foundAttached(text) ?? this.#messages.get(event);
    if (found) this.#hits.push({ event, ...found });
  }

  #foundIn({ text, isWhole }: PieceText): Found | undefined {
    const index = this.#needle.indexInJson(text);
    if (index < 0) return undefined;
    if (isWhole && text.length <= PARSED_BYTES_MAX) return this.#foundInValue(text);
    const around = text.slice(Math.max(0, index - 100), index + 1_000);
    return (
      this.#needle.findInText(decodeInside(Buffer.from(around, 'utf8'))) ?? this.#needle.findInText(around)
    );
  }

  #foundInValue(text: string): Found | undefined {
    try {
      return this.#needle.findIn(parseJson(text));
    } catch (error) {
      // Whoever opens that event is told what is wrong with it; here it has no text.
      if (error instanceof ActionableError) return undefined;
      throw error;
    }
  }

  #foundAttached({ text }: PieceText): Found | undefined {
    if (this.#attachments.size === 0) return undefined;
    for (const [, hash = ''] of text.matchAll(/"(?:attachment|tc):\/\/([^"\\]{1,64})"/g)) {
      const found = this.#attachments.get(hash);
      if (found) return found;
    }
    return undefined;
  }

  #line(isDone: boolean): FindLine {
    const isAll = !isDone || this.#scanned >= this.#count;
    const hits = this.#hits;
    this.#told += hits.length;
    this.#hits = [];
    this.#toldMs = this.#options.clock.monotonicMs();
    return { scanned: Math.min(this.#scanned, this.#count), of: this.#count, isDone, isAll, hits };
  }
}

interface PieceText {
  readonly text: string;
  readonly isWhole: boolean;
}

function* attachmentsOf(spool: Spool): Generator<Piece<string>> {
  for (const name of spool.attachmentHashes()) {
    const at = spool.attachment(name);
    if (at) yield { name, at };
  }
}

function* messagesOf(spool: Spool): Generator<Piece<number>> {
  for (let name = 0; name < spool.poolSize('messages'); name++) {
    const at = spool.pooled('messages', name);
    if (at) yield { name, at };
  }
}

function* eventsOf(spool: Spool, ranges: readonly (readonly [number, number])[]): Generator<Piece<number>> {
  for (const [start, end] of ranges) {
    for (let name = start; name < end; name++) {
      const at = spool.eventAt(name);
      if (at) yield { name, at, isEvent: true };
    }
  }
}
