import { ActionableError, DamageError, type Digest, digestOf, digestOfJson, toJson } from '../base/index.ts';
import type { Bucket } from '../bucket/index.ts';
import { fenceKey } from './fence.ts';
import type { JournalWriter } from './journal-writer.ts';
import { shipRecord } from './record-object.ts';
import {
  type Cursors,
  chainName,
  decodeSegment,
  encodeRow,
  encodeSegment,
  SEGMENT_FORMAT,
  SEGMENT_VERSION,
  type Segment,
  type SegmentHeader,
  segmentKey,
} from './segment.ts';
import { collectRows, NOTHING_SHIPPED, rowsUpTo } from './unshipped-rows.ts';
import { writerFenced } from './writer-guard.ts';

export interface ShipperOptions {
  readonly bucket: Bucket;
  /** Where in the bucket runs live; ends with `/` unless empty. */
  readonly prefix: string;
  /** Default 5 s. */
  readonly intervalMs?: number | undefined;
  /** Default 1 MiB of rows: a segment is due when this much is new. */
  readonly bytesMax?: number | undefined;
  /** Called when the bucket does not take a segment; the journal keeps it, and the next round tries again. */
  readonly onProblem?: ((error: unknown) => void) | undefined;
}

/** A journal as far as it is shipped: its writer's, or what one left that is dead. */
export type ShippedJournal = Pick<
  JournalWriter,
  'run' | 'record' | 'reader' | 'clock' | 'bytesWritten' | 'failure' | 'fail' | 'recordShipped'
>;

/** How far a chain has got. */
interface Chain {
  readonly name: string;
  readonly seq: number;
  readonly digest: Digest | null;
  readonly cursors: Cursors;
  readonly usd: number;
  /** Its last segment said that nothing follows. */
  readonly isEnded: boolean;
}

const TICK_MS = 250;
/** More chains than this were never needed: something else is wrong with the bucket. */
const CHAINS_MAX = 100;

/**
 * Copies what is new in a journal to the bucket, segment by segment.
 *
 * ### Ordering
 * A row is committed in the journal before it can be in a segment. A segment exists in the bucket before the journal
 * says that it was shipped, and the records before the first of them. One that is there already is taken for our own only when it decodes to the very rows that
 * this journal has there: then an acknowledgement was lost. Otherwise that chain is left alone, and all rows go into a new
 * one [SEG-3].
 */
export class SegmentShipper {
  readonly #journal: ShippedJournal;
  readonly #options: ShipperOptions;
  readonly #keys: string[] = [];
  #chain: Chain;
  #chains = 1;
  #isRecordThere = false;
  #isEnding = false;
  #underWay: Promise<boolean> | undefined;
  #again: Promise<boolean> | undefined;
  #timer: Disposable | undefined;
  #bytesAtLast = 0;

  constructor(journal: ShippedJournal, options: ShipperOptions) {
    this.#journal = journal;
    this.#options = options;
    this.#chain = newChain(journal.record.writer);
  }

  /** Ships at every interval, and sooner when enough is new. */
  start(): void {
    const { intervalMs = 5_000, bytesMax = BYTES_MAX } = this.#options;
    const tickMs = Math.min(TICK_MS, intervalMs);
    let waitedMs = 0;
    this.#timer = this.#journal.clock.every(tickMs, () => {
      waitedMs += tickMs;
      const isDue = waitedMs >= intervalMs || this.#journal.bytesWritten - this.#bytesAtLast >= bytesMax;
      if (!isDue || this.#underWay) return;
      waitedMs = 0;
      void this.ship();
    });
  }

  stop(): void {
    this.#timer?.[Symbol.dispose]();
  }

  /**
   * Resolves after a round that began after this call: all that was durable when it was called has been offered. True when
   * the bucket took all of it.
   */
  ship(): Promise<boolean> {
    if (!this.#underWay) {
      this.#underWay = this.#round().finally(() => {
        this.#underWay = undefined;
      });
      return this.#underWay;
    }
    this.#again ??= this.#underWay.then(() => {
      this.#again = undefined;
      return this.ship();
    });
    return this.#again;
  }

  /** Ships the rest and says that nothing follows [SEG-5]. A bucket that does not take it is a problem like any other. */
  finish(): Promise<boolean> {
    this.stop();
    this.#isEnding = true;
    return this.ship();
  }

  /** How many segments this process put into the bucket, in all chains. */
  get segments(): number {
    return this.#keys.length;
  }

  /** Their keys: whoever seals removes these and no others [SEG-9]. */
  get keys(): readonly string[] {
    return this.#keys;
  }

  async #round(): Promise<boolean> {
    this.#bytesAtLast = this.#journal.bytesWritten;
    try {
      while (await this.#shipOne());
      return this.#journal.failure === undefined;
    } catch (error) {
      // The bucket may be away for a while: the journal holds what is not shipped [SEG-6].
      this.#options.onProblem?.(error);
      return false;
    }
  }

  /**
   * Ships one segment; false when all that was there at its beginning is in the bucket. What came meanwhile waits for the next
   * round: a run that is quicker than its bucket would else ship a few rows at a time.
   */
  async #shipOne(): Promise<boolean> {
    const chain = this.#chain;
    if (this.#journal.failure !== undefined || chain.isEnded) return false;
    const found = collectRows(this.#journal.reader, chain.cursors, this.#options.bytesMax ?? BYTES_MAX);
    const last = this.#isEnding && found.isAll;
    if (found.rows.length === 0 && !last) return false;
    await this.#refuseIfFenced();
    await this.#shipRecord();
    const header = this.#headerAfter(chain, { cursors: found.cursors, last });
    const key = segmentKey(this.#options.prefix, header);
    const bytes = encodeSegment(header, found.rows);
    const isNew = await this.#options.bucket.create(key, bytes);
    const next = isNew ? chainAfter(header, bytes) : await this.#adopt(key, chain);
    if (!next) return this.#beginChain(key);
    this.#keys.push(key);
    const { seq, digest, cursors } = next;
    this.#journal.recordShipped(next.name, seq, JSON.stringify({ digest, cursors }));
    this.#chain = next;
    return !(isNew && found.isAll);
  }

  #headerAfter(chain: Chain, more: Pick<SegmentHeader, 'cursors' | 'last'>): SegmentHeader {
    return {
      format: SEGMENT_FORMAT,
      version: SEGMENT_VERSION,
      run: this.#journal.run.runId,
      writer: this.#journal.record.writer,
      chain: chain.name,
      seq: chain.seq + 1,
      previous: chain.digest,
      from: chain.cursors,
      usd: chain.usd + this.#costBetween(chain.cursors, more.cursors),
      ...more,
    };
  }

  #costBetween(from: Cursors, to: Cursors): number {
    const { rows } = this.#journal.reader;
    return rows.spentUsd('n > ? AND n <= ?', from.answers ?? 0, to.answers ?? 0);
  }

  /** Before the first segment, so that no later one needs it to be told apart [SEG-11]. */
  async #shipRecord(): Promise<void> {
    if (this.#isRecordThere) return;
    await shipRecord(this.#options, { run: this.#journal.run, writer: this.#journal.record });
    this.#isRecordThere = true;
  }

  /** Whoever sees only the bucket fences a writer there [SEG-10]. */
  async #refuseIfFenced(): Promise<void> {
    const where = { run: this.#journal.run.runId, writer: this.#journal.record.writer };
    const key = fenceKey({ prefix: this.#options.prefix, ...where });
    if ((await this.#options.bucket.stat(key)) === undefined) return;
    const error = writerFenced(`Writer ${where.writer} of run ${where.run}`);
    this.#journal.fail(error);
    throw error;
  }

  /** The segment was there already. Undefined when it is not what this journal would have put there. */
  async #adopt(key: string, chain: Chain): Promise<Chain | undefined> {
    const bytes = await this.#options.bucket.read(key);
    const segment = bytes && tryDecode(bytes, key);
    if (!bytes || !segment) return undefined;
    const { header, rows } = segment;
    const expected = this.#headerAfter(chain, { cursors: header.cursors, last: header.last });
    if (digestOfJson(toJson(header)) !== digestOfJson(toJson(expected))) return undefined;
    const own = rowsUpTo(this.#journal.reader, chain.cursors, header.cursors);
    const isSame = own.length === rows.length && rows.every((row, index) => own[index] === encodeRow(row));
    if (!isSame) return undefined;
    return chainAfter(header, bytes);
  }

  /** Nothing more goes into a chain that somebody else wrote to; all rows go into the next one. */
  #beginChain(key: string): boolean {
    if (this.#chains >= CHAINS_MAX) throw this.#conflict(key);
    this.#chains++;
    this.#chain = newChain(chainName(this.#journal.record.writer, this.#chains));
    this.#options.onProblem?.(this.#conflict(key));
    return true;
  }

  #conflict(key: string): ActionableError {
    return new ActionableError({
      code: 'E_SEGMENT_CONFLICT',
      message: `Segment ${key} in ${this.#options.bucket.url} holds something else than this run's journal.`,
      hint: `Nothing is lost: it was left as it is, and everything goes on in ${this.#chain.name}.`,
    });
  }
}

const BYTES_MAX = 1024 * 1024;

function newChain(name: string): Chain {
  return { name, seq: 0, digest: null, cursors: NOTHING_SHIPPED, usd: 0, isEnded: false };
}

function chainAfter({ chain, seq, cursors, usd = 0, last }: SegmentHeader, bytes: Uint8Array): Chain {
  return { name: chain, seq, digest: digestOf(bytes), cursors, usd, isEnded: last };
}

function tryDecode(bytes: Uint8Array, key: string): Segment | undefined {
  try {
    return decodeSegment(bytes, key);
  } catch (error) {
    if (error instanceof DamageError) return undefined;
    throw error;
  }
}
