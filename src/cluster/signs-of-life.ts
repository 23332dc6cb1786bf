import { type Clock, DamageError, definedOf, isoTime } from '../base/index.ts';
import { orDamage } from './damage.ts';
import { beatKey, beatPrefix, type SharedPlace } from './shared-keys.ts';
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
export const SILENCE_MS = 7_000;

/** A worker's own sign of life, and what it makes of those of others [SHR-6]. */
export class SignsOfLife {
  readonly #place: SharedPlace;
  readonly #options: SignsOptions;
  readonly #busy = new Map<string, Beat['busy'][number]>();
  readonly #refuses = new Map<string, { readonly reason: string; readonly round?: number }>();
  #etag: string | undefined;
  /** When the last sign was given that the bucket took, and since when each came in time. */
  #heard: { readonly lastMs: number; readonly sinceMs: number } | undefined;
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

  /** Says with every sign that it cannot work on a run, and in which round that was; without a reason it can again. */
  refuse(run: string, reason: string | undefined, round?: number): void {
    if (reason === undefined) this.#refuses.delete(run);
    else this.#refuses.set(run, { reason, ...definedOf({ round }) });
  }

  /**
   * [SHR-25] True when no worker that is there can work on a run in this round, as far as they have said so. A sign of one's own comes first: of
   * those who refuse at once, whoever looks last sees all others.
   */
  async isRefusedByAll({ run, round }: { readonly run: string; readonly round: number }): Promise<boolean> {
    const { bucket, prefix } = this.#place;
    await this.give();
    const own = await bucket.stat(beatKey(prefix, this.#options.worker));
    for await (const { key } of bucket.list(beatPrefix(prefix))) {
      const bytes = await bucket.read(key);
      if (!bytes) continue;
      const { isEnded, refuses = [] } = decodeShared('beat', bytes, key);
      if (isEnded || refuses.some((one) => one.run === run && one.round === round)) continue;
      const last = await bucket.stat(key);
      if (!own || !last || own.modifiedMs - last.modifiedMs <= this.#silenceMs) return false;
    }
    return true;
  }

  /** False when the bucket took no sign for so long that others may take this worker for lost. */
  get isHeard(): boolean {
    return this.#heard !== undefined && !this.#isLate(this.#heard.lastMs);
  }

  /**
   * True when the worker of a lease gave no sign for so long that it is lost. Times are those of the bucket alone: a sign of
   * one's own is given first, and the two are compared. Whoever was not heard itself waits as long before it tells: what kept its signs may have kept
   * those of all others.
   */
  async isSilent({ worker }: LeaseBegun, leaseKey: string): Promise<boolean> {
    const { bucket, prefix } = this.#place;
    const key = beatKey(prefix, worker);
    const bytes = await bucket.read(key);
    const beat = bytes && orDamage(() => decodeShared('beat', bytes, key));
    // One that cannot be read says nothing but how old it is [SHR-24].
    if (beat && !(beat instanceof DamageError) && beat.isEnded) return true;
    await this.give();
    if (this.#heard && !this.#isLate(this.#heard.sinceMs)) return false;
    const own = await bucket.stat(beatKey(prefix, this.#options.worker));
    // A worker gives its first sign before it takes anything; the lease stands for one that is gone.
    const last = (await bucket.stat(key)) ?? (await bucket.stat(leaseKey));
    if (!own || !last) return false;
    return own.modifiedMs - last.modifiedMs > this.#silenceMs;
  }

  async give(): Promise<void> {
    const givenMs = this.#options.clock.monotonicMs();
    await this.#give();
    // A worker that begins has missed nothing.
    const { lastMs, sinceMs } = this.#heard ?? { lastMs: givenMs, sinceMs: Number.NEGATIVE_INFINITY };
    const isUnbroken = givenMs - lastMs <= this.#silenceMs;
    this.#heard = { lastMs: Math.max(givenMs, lastMs), sinceMs: isUnbroken ? sinceMs : givenMs };
  }

  get #silenceMs(): number {
    return this.#options.silenceMs ?? SILENCE_MS;
  }

  #isLate(atMs: number): boolean {
    return this.#options.clock.monotonicMs() - atMs > this.#silenceMs;
  }

  async #give(): Promise<void> {
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
    const refuses = [...this.#refuses].map(([run, about]) => ({ run, ...about }));
    return {
      ...{ format: 'holdfast-beat', version: SHARED_VERSION, worker, slots, ...definedOf({ host }) },
      n: ++this.#n,
      at: isoTime(clock.nowMs()),
      busy: [...this.#busy.values()],
      ...definedOf({ refuses: refuses.length === 0 ? undefined : refuses }),
      isEnded: this.#isEnded,
    };
  }
}
