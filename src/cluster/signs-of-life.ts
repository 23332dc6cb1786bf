import { type Clock, definedOf, isoTime } from '../base/index.ts';
import { beatKey, type SharedPlace } from './shared-keys.ts';
import { type Beat, decodeShared, encodeShared, type LeaseBegun, SHARED_VERSION } from './shared-records.ts';

export interface SignsOptions {
  readonly worker: string;
  readonly clock: Clock;
  readonly slots: number;
  readonly host?: string | undefined;
  readonly intervalMs?: number | undefined;
  /** How much older than one's own a sign may be before its worker is silent. */
  readonly silenceMs?: number | undefined;
  readonly onProblem?: ((error: unknown) => void) | undefined;
}

const INTERVAL_MS = 2_000;
/** Three signs that did not come; S3 tells times by the second. */
const SILENCE_MS = 7_000;

/** A worker's own sign of life, and what it makes of those of others [SHR-6]. */
export class SignsOfLife {
  readonly #place: SharedPlace;
  readonly #options: SignsOptions;
  readonly #busy = new Map<string, Beat['busy'][number]>();
  #etag: string | undefined;
  #n = 0;
  #isEnded = false;
  #timer: Disposable | undefined;
  #underWay: Promise<void> | undefined;

  constructor(place: SharedPlace, options: SignsOptions) {
    this.#place = place;
    this.#options = options;
  }

  /** Resolves when the first sign is there: no job is taken before. */
  async start(): Promise<void> {
    await this.give();
    this.#timer = this.#options.clock.every(this.#options.intervalMs ?? INTERVAL_MS, () => {
      this.#underWay ??= this.#tryGive().finally(() => {
        this.#underWay = undefined;
      });
    });
  }

  /** The last sign says that nothing follows. */
  async stop(): Promise<void> {
    this.#timer?.[Symbol.dispose]();
    await this.#underWay;
    this.#isEnded = true;
    await this.#tryGive();
  }

  begin({ run, job, n, at }: LeaseBegun): void {
    this.#busy.set(`${run}/${job}`, { run, job, n, since: at });
  }

  finish({ run, job }: LeaseBegun): void {
    this.#busy.delete(`${run}/${job}`);
  }

  /**
   * True when the worker of a lease gave no sign for so long that it is lost. Times are those of the bucket alone: a sign of
   * one's own is given first, and the two are compared.
   */
  async isSilent({ worker }: LeaseBegun, leaseKey: string): Promise<boolean> {
    const { bucket, prefix } = this.#place;
    const key = beatKey(prefix, worker);
    const bytes = await bucket.read(key);
    if (bytes && decodeShared('beat', bytes, key).isEnded) return true;
    await this.give();
    const own = await bucket.stat(beatKey(prefix, this.#options.worker));
    // A worker gives its first sign before it takes anything; the lease stands for one that is gone.
    const last = (await bucket.stat(key)) ?? (await bucket.stat(leaseKey));
    if (!own || !last) return false;
    return own.modifiedMs - last.modifiedMs > (this.#options.silenceMs ?? SILENCE_MS);
  }

  async give(): Promise<void> {
    const { bucket, prefix } = this.#place;
    const key = beatKey(prefix, this.#options.worker);
    const bytes = encodeShared('beat', this.#next());
    if (this.#etag === undefined && (await bucket.create(key, bytes))) {
      this.#etag = (await bucket.readTagged(key))?.etag;
      return;
    }
    const etag = this.#etag ?? (await bucket.readTagged(key))?.etag;
    // Nobody else writes it: another etag means that an acknowledgement was lost.
    this.#etag = etag === undefined ? undefined : await bucket.replaceIf(key, { bytes, etag });
  }

  /** A sign that did not arrive is followed by the next. */
  async #tryGive(): Promise<void> {
    try {
      await this.give();
    } catch (error) {
      this.#options.onProblem?.(error);
    }
  }

  #next(): Beat {
    const { worker, clock, slots, host } = this.#options;
    return {
      ...{ format: 'holdfast-beat', version: SHARED_VERSION, worker, slots, ...definedOf({ host }) },
      n: ++this.#n,
      at: isoTime(clock.nowMs()),
      busy: [...this.#busy.values()],
      isEnded: this.#isEnded,
    };
  }
}
