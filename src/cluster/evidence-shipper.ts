import { type Clock, definedOf, isoTime, type SampleKey } from '../base/index.ts';
import type { Disk } from '../disk/index.ts';
import { EVIDENCE_LIMITS, EvidenceCollector, type EvidenceLimits } from './evidence-collector.ts';
import { partKey } from './evidence-keys.ts';
import { encodePart } from './evidence-part.ts';
import type { PrintStream } from './evidence-prints.ts';
import { tallyOf } from './evidence-tally.ts';
import type { Redact } from './evidence-text.ts';
import { settlesWithin } from './settles-within.ts';
import type { SharedPlace } from './shared-keys.ts';
import type { LeaseBegun, LeaseEnded } from './shared-records.ts';

export interface EvidenceOptions {
  readonly place: SharedPlace;
  readonly disk: Disk;
  readonly clock: Clock;
  readonly redact: Redact;
  readonly intervalMs?: number | undefined;
  /** How long a result may wait for what is left of its evidence. */
  readonly lastMs?: number | undefined;
  readonly limits?: EvidenceLimits | undefined;
}

const INTERVAL_MS = 5_000;
const LAST_MS = 3_000;

interface Part {
  readonly key: string;
  readonly bytes: Uint8Array;
  readonly isFull: boolean;
  readonly leftOut: number;
}

/**
 * Brings what one attempt leaves behind into the bucket while it runs: whoever kills this process leaves evidence up to the last
 * interval [EVI-3]. It fails nothing: what could not be stored is tried again at the next interval, and counted at the end.
 */
export class EvidenceShipper {
  readonly #options: EvidenceOptions;
  readonly #lease: LeaseBegun;
  readonly #sample: SampleKey | undefined;
  readonly #collector: EvidenceCollector;
  readonly #timer: Disposable;
  readonly #stop = new AbortController();
  #underWay: Promise<void> | undefined;
  /** Made, and not known to be stored: it is sent again as it is, since it may be there. */
  #unsent: Part | undefined;
  /** True when nothing is left that was not shipped. */
  #isWhole = false;
  #parts = 0;
  #bytes = 0;
  #leftOut = 0;

  constructor(
    options: EvidenceOptions,
    { lease, sample }: { readonly lease: LeaseBegun; readonly sample?: SampleKey | undefined },
  ) {
    const { disk, clock, redact, limits = EVIDENCE_LIMITS, intervalMs = INTERVAL_MS } = options;
    this.#options = options;
    this.#lease = lease;
    this.#sample = sample;
    this.#collector = new EvidenceCollector({ disk, redact, limits });
    this.#timer = clock.every(intervalMs, () => {
      this.#underWay ??= this.#tryShip({ isLast: false }).finally(() => {
        this.#underWay = undefined;
      });
    });
  }

  /** From now on what changes in the folder is evidence. */
  async watch(dir: string, label: string): Promise<void> {
    try {
      await this.#collector.watch({ dir, label });
    } catch {
      // A folder that cannot be looked at is no evidence; whoever works in it will say what is wrong with it.
    }
  }

  /** All that is in the folder is evidence. */
  follow(dir: string): void {
    this.#collector.follow({ dir, label: '' });
  }

  print(stream: PrintStream, bytes: Uint8Array): void {
    this.#collector.print(stream, bytes);
  }

  /** Ships what is left, for no longer than it may take; gives what the end of the lease says of it. Undefined when there is none. */
  async finish(): Promise<LeaseEnded['evidence']> {
    const { clock, lastMs = LAST_MS } = this.#options;
    this.#timer[Symbol.dispose]();
    const last = (async () => {
      await this.#underWay;
      await this.#tryShip({ isLast: true });
    })();
    await settlesWithin(last, lastMs, clock);
    this.#stop.abort(new Error('The result does not wait any longer'));
    const tally = await this.#tally();
    this.#collector.close();
    return tally;
  }

  async #tally(): Promise<LeaseEnded['evidence']> {
    const { cutBytes } = this.#collector;
    const unstoredBytes = (this.#unsent?.bytes.length ?? 0) + (await this.#countRest());
    return tallyOf({
      parts: this.#parts,
      bytes: this.#bytes,
      leftOut: this.#leftOut,
      cutBytes,
      unstoredBytes,
    });
  }

  async #countRest(): Promise<number> {
    if (this.#isWhole) return 0;
    try {
      return await this.#collector.countRest();
    } catch {
      return 0; // What cannot be looked at cannot be counted either; that something is missing is said.
    }
  }

  async #tryShip(about: { readonly isLast: boolean }): Promise<void> {
    try {
      await this.#ship(about);
    } catch {
      // The next interval tries again, and the end counts what was never stored: evidence fails nothing.
    }
  }

  async #ship({ isLast }: { readonly isLast: boolean }): Promise<void> {
    const { bucket } = this.#options.place;
    for (;;) {
      this.#unsent ??= await this.#next(isLast);
      const part = this.#unsent;
      if (!part) {
        this.#isWhole = isLast;
        return;
      }
      // False says that it is there: nobody else writes below our writer, so an answer was lost.
      await bucket.create(part.key, part.bytes, this.#stop.signal);
      this.#unsent = undefined;
      this.#parts++;
      this.#bytes += part.bytes.length;
      this.#leftOut += part.leftOut;
      if (!part.isFull && !isLast) return;
    }
  }

  async #next(isLast: boolean): Promise<Part | undefined> {
    const found = await this.#collector.collect({ isLast });
    if (!found) return undefined;
    const { place, clock } = this.#options;
    const { run, job, n, writer } = this.#lease;
    const of = { job, n, writer, part: this.#parts + 1 };
    const { pieces, leftOut, isFull } = found;
    const at = isoTime(clock.nowMs());
    const bytes = encodePart({
      ...{ run, ...of, at, pieces, leftOut, ...definedOf({ sample: this.#sample }) },
    });
    return { key: partKey(place, run, of), bytes, isFull, leftOut: leftOut.length };
  }
}
