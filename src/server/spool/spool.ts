import { type Clock, isJsonObject, type Json, type JsonObject } from '../../base/index.ts';
import type { ReferencePlaces, SamplePiece } from '../../log/index.ts';
import { amountsColumn } from './columns.ts';
import type { HeadOf } from './event-label.ts';
import { decodeInside, utf8, wholeBytes, wholeLetters } from './literal.ts';
import { SkeletonColumns } from './skeleton.ts';
import { SpoolFile, type SpoolPlace, type Stretch } from './spool-file.ts';

/** What is needed to understand pieces of a sample. */
export interface SampleForm {
  /** Where references to attachments can stand. */
  readonly places: ReferencePlaces;
  /** Throws what is wrong with them when they are no JSON. */
  parse(bytes: Uint8Array): Json;
  /** Fields with the names of today. */
  fields(stored: JsonObject): JsonObject;
}

export interface SpoolOptions {
  readonly clock: Clock;
  readonly place: SpoolPlace;
  readonly form: SampleForm;
  /** What an earlier attempt at a sample shares with the sample: its attachments and pools. */
  readonly parent?: Spool | undefined;
}

/** Labels of an attachment need no more of it. */
export const HEAD_BYTES = 600;
/** So many rows are made while the sample is read; the others after it, so that what the first refer to is there soon. */
const FIRST_ROWS = 4_000;

const SMALL_BYTES = 2 ** 20;
const OPEN_BRACE = 0x7b;

type Pool = 'messages' | 'calls';

/**
 * The pieces of a sample, read once and kept where any of them is found again at once: as they are stored, still condensed. It is
 * read from while it is still filled. What is read of it is what its log says, checked when all of it has been read.
 */
export class Spool implements AsyncDisposable {
  readonly skeleton = new SkeletonColumns();
  readonly form: SampleForm;
  readonly #options: SpoolOptions;
  readonly #transcript: SpoolFile;
  readonly #fieldsFile: SpoolFile;
  readonly #events = new Stretches();
  readonly #pools: Readonly<Record<Pool, Stretches>> = { messages: new Stretches(), calls: new Stretches() };
  readonly #attachments = new Map<string, number>();
  readonly #attachmentStretches = new Stretches();
  readonly #fields = new Map<string, Stretch>();
  #open: OpenPiece | undefined;
  #openField: OpenPiece | undefined;
  #state: 'filling' | 'read' | 'whole' | 'failed' = 'filling';
  #failure: unknown;
  #changed = Promise.withResolvers<void>();
  /** How much has been read, 0 to 1. */
  progress = 0;

  constructor(options: SpoolOptions) {
    this.#options = options;
    this.form = options.form;
    this.#transcript = new SpoolFile(options.place);
    this.#fieldsFile = new SpoolFile(options.place);
  }

  /** Everything that is there was read, and all of it has its row. */
  get isWhole(): boolean {
    return this.#state === 'whole';
  }

  /** Everything was read; rows may be missing. */
  get isRead(): boolean {
    return this.#state === 'read' || this.#state === 'whole';
  }

  get hasFailed(): boolean {
    return this.#state === 'failed';
  }

  get eventCount(): number {
    return this.#events.length;
  }

  get diskBytes(): number {
    return this.#transcript.sizeBytes + this.#fieldsFile.sizeBytes;
  }

  get memoryBytes(): number {
    return this.skeleton.memoryBytes + this.#attachments.size * 120 + this.#events.length * 16;
  }

  add(piece: SamplePiece): void {
    if (piece.part === 'fields') this.#openField = this.#append(piece, this.#fieldsFile, this.#openField);
    else this.#open = this.#append(piece, this.#transcript, this.#open);
  }

  /** What was added since is told to those who wait; whoever fills waits for the disk. */
  async settle(): Promise<void> {
    this.#tell();
    await this.#transcript.settle();
    await this.#fieldsFile.settle();
  }

  /** What the field holds, when it is short enough to be held. */
  async smallField(name: string): Promise<Json | undefined> {
    const field = this.#fields.get(name);
    if (!field || field.sizeBytes > SMALL_BYTES) return undefined;
    return this.form.parse(await this.#fieldsFile.read(field));
  }

  piecesRead(): void {
    this.#state = 'read';
    this.#tell();
  }

  /** Of a sample under way there may be more later. */
  end(): void {
    this.skeleton.end();
    this.progress = 1;
    this.#state = 'whole';
    this.#tell();
  }

  goOn(): void {
    this.#state = 'filling';
  }

  fail(error: unknown): void {
    this.#failure = error;
    this.#state = 'failed';
    this.#tell();
  }

  /** Whether something is so, now or within so many milliseconds. Throws what the sample could not be read for. */
  async until(isSo: () => boolean, { signal, ms }: Waiting): Promise<boolean> {
    if (this.#state !== 'failed' && isSo()) return true;
    let isLate = false;
    const wake = () => this.#tell();
    using _timer = this.#options.clock.after(ms, () => {
      isLate = true;
      wake();
    });
    signal.addEventListener('abort', wake);
    try {
      while (!isSo() && this.#isGoingOn && !isLate && !signal.aborted) await this.#changed.promise;
    } finally {
      signal.removeEventListener('abort', wake);
    }
    signal.throwIfAborted();
    if (this.#state === 'failed') throw this.#failure;
    return isSo();
  }

  untilRead(waiting: Waiting): Promise<boolean> {
    return this.until(() => this.isRead, waiting);
  }

  untilWhole(waiting: Waiting): Promise<boolean> {
    return this.until(() => this.isWhole, waiting);
  }

  /** Fields that come before the events in a sample: whatever else there is, these are known when one event is. */
  untilFirstFields(waiting: Waiting): Promise<boolean> {
    return this.until(() => this.eventCount > 0, waiting);
  }

  eventAt(index: number): Stretch | undefined {
    return this.#events.at(index);
  }

  field(name: string): Stretch | undefined {
    return this.#fields.get(name);
  }

  fieldNames(): readonly string[] {
    return [...this.#fields.keys()];
  }

  pooled(pool: Pool, position: number): Stretch | undefined {
    return this.#options.parent?.pooled(pool, position) ?? this.#pools[pool].at(position);
  }

  poolSize(pool: Pool): number {
    return this.#options.parent?.poolSize(pool) ?? this.#pools[pool].length;
  }

  attachment(hash: string): Stretch | undefined {
    const inParent = this.#options.parent?.attachment(hash);
    if (inParent) return inParent;
    const index = this.#attachments.get(hash);
    return index === undefined ? undefined : this.#attachmentStretches.at(index);
  }

  attachmentHashes(): Iterable<string> {
    return this.#options.parent?.attachmentHashes() ?? this.#attachments.keys();
  }

  /** What references refer to: that of the sample itself for an earlier attempt at it. */
  get owner(): Spool {
    return this.#options.parent ?? this;
  }

  /** See `SpoolFile.read`. */
  read(stretch: Stretch, buffer?: Buffer): Promise<Uint8Array> {
    return this.#transcript.read(stretch, buffer);
  }

  chunks(stretch: Stretch, chunkBytes?: number): AsyncIterable<Uint8Array> {
    return this.#transcript.chunks(stretch, chunkBytes);
  }

  /** JSON as it is, in pieces. */
  async *texts(stretch: Stretch): AsyncGenerator<string> {
    let rest: Uint8Array = new Uint8Array();
    for await (const chunk of this.chunks(stretch)) {
      const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      const whole = wholeLetters(bytes);
      yield utf8(bytes.subarray(0, whole));
      rest = bytes.subarray(whole);
    }
    if (rest.length > 0) yield utf8(rest);
  }

  readField(stretch: Stretch): Promise<Uint8Array> {
    return this.#fieldsFile.read(stretch);
  }

  fieldChunks(stretch: Stretch, chunkBytes?: number): AsyncIterable<Uint8Array> {
    return this.#fieldsFile.chunks(stretch, chunkBytes);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#transcript[Symbol.asyncDispose]();
    await this.#fieldsFile[Symbol.asyncDispose]();
  }

  get #isGoingOn(): boolean {
    return this.#state === 'filling' || this.#state === 'read';
  }

  #tell(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers<void>();
  }

  /** Gives the piece that goes on, if it does. */
  #append(piece: SamplePiece, file: SpoolFile, open: OpenPiece | undefined): OpenPiece | undefined {
    const start = file.append(piece.bytes);
    if (!open && !piece.isMore) {
      this.#keep(piece, { start, sizeBytes: piece.bytes.length }, piece.bytes);
      return undefined;
    }
    const going = open ?? { start, sizeBytes: 0, first: piece.bytes };
    going.sizeBytes += piece.bytes.length;
    if (piece.isMore) return going;
    this.#keep(piece, going, going.first);
    return undefined;
  }

  /** `first`: the beginning of its bytes, all of them unless it came in slices. */
  #keep({ part, key }: SamplePiece, { start, sizeBytes }: Stretch, first: Uint8Array): void {
    switch (part) {
      case 'fields':
        this.#fields.set(key, { start, sizeBytes });
        return;
      case 'events':
        this.#keepEvent({ start, sizeBytes }, first);
        return;
      case 'attachments':
        this.#attachments.set(key, this.#attachmentStretches.length);
        this.#attachmentStretches.push(start, sizeBytes);
        if (this.skeleton.isAwaited(key)) this.skeleton.attached(key, headIn(first));
        return;
      default:
        this.#pools[part].put(Number(key), start, sizeBytes);
    }
  }

  /** What is no object is no event: whoever counts events passes over it. */
  #keepEvent({ start, sizeBytes }: Stretch, first: Uint8Array): void {
    if (first[0] !== OPEN_BRACE) return;
    const index = this.#events.length;
    this.#events.push(start, sizeBytes);
    const isNext = this.skeleton.length === index && index < FIRST_ROWS;
    if (isNext && first.length === sizeBytes) this.addRow(this.quickParse(first), sizeBytes, AS_IT_IS);
  }

  addRow(value: Json, sizeBytes: number, headOf: HeadOf): void {
    this.skeleton.add(isJsonObject(value) ? value : { event: 'unknown' }, sizeBytes, headOf);
  }

  /** Big integers lose digits here, which no row shows. */
  quickParse(bytes: Uint8Array): Json {
    try {
      return JSON.parse(utf8(bytes)) as Json;
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      return this.form.parse(bytes);
    }
  }
}

export const AS_IT_IS: HeadOf = (text) => text;

export interface Waiting {
  readonly signal: AbortSignal;
  readonly ms: number;
}

interface OpenPiece {
  readonly start: number;
  sizeBytes: number;
  readonly first: Uint8Array;
}

/** Where pieces lie, by their number. */
class Stretches {
  readonly #starts = amountsColumn();
  readonly #sizes = amountsColumn();

  get length(): number {
    return this.#starts.length;
  }

  push(start: number, sizeBytes: number): void {
    this.#starts.push(start);
    this.#sizes.push(sizeBytes);
  }

  /** At a position; what lies between it and the last is not there. */
  put(position: number, start: number, sizeBytes: number): void {
    if (!Number.isSafeInteger(position) || position < 0 || position > this.length + GAP_MAX) return;
    while (this.length < position) this.push(0, -1);
    if (position === this.length) this.push(start, sizeBytes);
  }

  at(index: number): Stretch | undefined {
    const sizeBytes = this.#sizes.at(index);
    return index >= 0 && index < this.length && sizeBytes >= 0
      ? { start: this.#starts.at(index), sizeBytes }
      : undefined;
  }
}

const GAP_MAX = 1_000_000;

/** The beginning of the text of a string, from the first of its bytes. */
export function headIn(bytes: Uint8Array): string {
  const isWhole = bytes.length <= HEAD_BYTES;
  const inside = bytes.subarray(1, isWhole ? bytes.length - 1 : HEAD_BYTES);
  return decodeInside(inside.subarray(0, wholeBytes(inside)));
}
