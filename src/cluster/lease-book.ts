import { assert, type Clock, definedOf, isoTime } from '../base/index.ts';
import { type JobId, parseLeaseKey, SharedKeys, type SharedPlace } from './shared-keys.ts';
import {
  checkPlace,
  decodeShared,
  encodeShared,
  type LeaseBegun,
  type LeaseEnded,
  SHARED_VERSION,
} from './shared-records.ts';

/** A lease as the bucket has it; without `ended` it is open. */
export interface Lease {
  readonly begun: LeaseBegun;
  readonly ended?: LeaseEnded | undefined;
}

export type Taken =
  /** The caller's own now, and those before it. */
  | { readonly kind: 'taken'; readonly lease: LeaseBegun; readonly earlier: readonly Lease[] }
  /** Somebody has it. */
  | { readonly kind: 'held'; readonly by: LeaseBegun }
  /** The caller does not want it now, after what became of others with it. */
  | { readonly kind: 'declined'; readonly earlier: readonly Lease[] }
  /** Nothing is left to do for it in this round. */
  | { readonly kind: 'over'; readonly end: LeaseEnded };

export interface Taker {
  readonly round: number;
  readonly worker: string;
  readonly writer: string;
}

export type EndWords = Pick<LeaseEnded, 'status' | 'by' | EndAbout>;
/** What an end may say beside how it ended. */
export type EndAbout = 'origin' | 'pin' | 'reason' | 'usd' | 'evidence' | 'scorersFailed';

/** The leases of one shared run: who works on which job, and how that ended [SHR-1] [SHR-2] [SHR-3]. */
export class LeaseBook {
  readonly run: string;
  readonly keys: SharedKeys;
  readonly #place: SharedPlace;
  readonly #clock: Clock;

  constructor(place: SharedPlace, { run, clock }: { readonly run: string; readonly clock: Clock }) {
    this.run = run;
    this.keys = new SharedKeys(place.prefix, run);
    this.#place = place;
    this.#clock = clock;
  }

  /**
   * Takes a job, unless it is over or somebody has it. Nearly always nobody ever had it, so that is tried first, with one request.
   */
  async take(
    job: JobId,
    taker: Taker,
    isWanted: (earlier: readonly Lease[]) => boolean = () => true,
  ): Promise<Taken> {
    for (let earlier: readonly Lease[] = []; ; earlier = await this.ofJob(job)) {
      const end = endOfJob(earlier, taker.round);
      if (end) return { kind: 'over', end };
      const last = earlier.at(-1);
      if (last && !last.ended) {
        if (isSameTaker(last.begun, taker))
          return { kind: 'taken', lease: last.begun, earlier: earlier.slice(0, -1) };
        return { kind: 'held', by: last.begun };
      }
      if (!isWanted(earlier)) return { kind: 'declined', earlier };
      const lease = this.#begunBy(taker, { job, n: 1 + (last?.begun.n ?? 0) });
      if (await this.#place.bucket.create(this.keys.begun(job, lease.n), encodeShared('begun', lease)))
        return { kind: 'taken', lease, earlier };
    }
  }

  /**
   * False when there is no such run any more [SHR-26]. Asked after a lease was taken: leases go after the submission, so that a job which seemed
   * to be due because they were gone is found out.
   */
  async isRunThere(): Promise<boolean> {
    return (await this.#place.bucket.stat(this.keys.submission)) !== undefined;
  }

  /** Takes back a lease of a run that is gone: nothing of it stays behind. */
  async withdraw({ job, n }: LeaseBegun): Promise<void> {
    await this.#place.bucket.remove(this.keys.begun(job, n));
  }

  /** Ends a lease, and gives how it ended: that is another's word when somebody was quicker [SHR-2]. */
  async end({ job, n, round }: LeaseBegun, words: EndWords): Promise<LeaseEnded> {
    const { status, by, origin, pin, reason, usd, evidence, scorersFailed } = words;
    const at = isoTime(this.#clock.nowMs());
    const about = { format: 'holdfast-lease-end', version: SHARED_VERSION, run: this.run } as const;
    const more = definedOf({ origin, pin, reason, usd, evidence, scorersFailed });
    const end = { ...about, job, n, round, status, by, at, ...more };
    const key = this.keys.ended(job, n);
    if (await this.#place.bucket.create(key, encodeShared('ended', end))) return end;
    const there = await this.readEnd(job, n);
    assert(there, `${key} was there when it was created, and is not there now`);
    return there;
  }

  async readEnd(job: JobId, n: number): Promise<LeaseEnded | undefined> {
    const key = this.keys.ended(job, n);
    const bytes = await this.#place.bucket.read(key);
    return bytes && checkPlace(decodeShared('ended', bytes, key), { run: this.run, job, n }, key);
  }

  /** All leases of a job, the first one first. */
  async ofJob(job: JobId): Promise<readonly Lease[]> {
    const { folder, start } = this.keys.leasesOf(job);
    const numbers: number[] = [];
    for await (const { key } of this.#place.bucket.list(folder, { startAfter: start })) {
      if (!key.startsWith(start)) break;
      const named = parseLeaseKey(key);
      if (named?.part === 'begun') numbers.push(named.n);
    }
    const leases: Lease[] = [];
    for (const n of numbers.sort((a, b) => a - b)) leases.push(await this.#read(job, n));
    return leases;
  }

  async #read(job: JobId, n: number): Promise<Lease> {
    const key = this.keys.begun(job, n);
    const bytes = await this.#place.bucket.read(key);
    assert(bytes, `${key} was listed, and is not there`);
    return {
      begun: checkPlace(decodeShared('begun', bytes, key), { run: this.run, job, n }, key),
      ...definedOf({ ended: await this.readEnd(job, n) }),
    };
  }

  #begunBy(
    { round, worker, writer }: Taker,
    { job, n }: { readonly job: JobId; readonly n: number },
  ): LeaseBegun {
    const at = isoTime(this.#clock.nowMs());
    const about = { format: 'holdfast-lease', version: SHARED_VERSION, run: this.run } as const;
    return { ...about, job, n, round, worker, writer, at };
  }
}

/** By which end a job is over in a round; undefined when it is due [SHR-7]. */
export function endOfJob(leases: readonly Lease[], round: number): LeaseEnded | undefined {
  const ends = leases.flatMap(({ ended }) => ended ?? []);
  return (
    ends.find(({ status }) => status === 'completed') ??
    ends.findLast((end) => end.round === round && (end.status === 'errored' || end.status === 'aside'))
  );
}

/** Its own acknowledgement was lost: a worker that asks again for what it has, has it. */
function isSameTaker(begun: LeaseBegun, { worker, writer, round }: Taker): boolean {
  return begun.worker === worker && begun.writer === writer && begun.round === round;
}
