import { assert, type Clock, DamageError, definedOf, isoTime } from '../base/index.ts';
import { type DamagedObject, orDamage } from './damage.ts';
import { earlierLease, knownLease, type Lease, type LeaseParts, standingOf } from './lease-standing.ts';
import { readGoesPast } from './rounds.ts';
import { type JobId, parseLeaseKey, SharedKeys, type SharedPlace } from './shared-keys.ts';
import {
  checkPlace,
  decodeShared,
  encodeShared,
  type LeaseBegun,
  type LeaseEnded,
  SHARED_VERSION,
} from './shared-records.ts';

export type Taken =
  /** The caller's own now, and those before it. */
  | { readonly kind: 'taken'; readonly lease: LeaseBegun; readonly earlier: readonly Lease[] }
  /** Somebody has it. */
  | { readonly kind: 'held'; readonly by: LeaseBegun }
  /** The caller does not want it now, after what became of others with it. */
  | { readonly kind: 'declined'; readonly earlier: readonly Lease[] }
  /** Nobody can tell what became of it: it is not to be had in this round [SHR-24]. */
  | { readonly kind: 'damaged'; readonly damaged: readonly DamagedObject[] }
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
    for (let leases: readonly LeaseParts[] = []; ; leases = await this.#partsOf(job)) {
      const standing = standingOf(leases, taker.round, await this.#pastOf(leases, taker.round));
      if (standing.kind === 'over' || standing.kind === 'damaged') return standing;
      const earlier = leases.map((parts, at) =>
        earlierLease(parts, { version: SHARED_VERSION, run: this.run, job, n: at + 1, round: taker.round }),
      );
      if (standing.kind === 'held') {
        if (isSameTaker(standing.by, taker))
          return { kind: 'taken', lease: standing.by, earlier: earlier.slice(0, -1) };
        return standing;
      }
      if (!isWanted(earlier)) return { kind: 'declined', earlier };
      const { after: n, isOpen } = standing;
      if (isOpen) {
        // Whoever has it may live: it finds its lease ended, or has ended it by now [SHR-3].
        const reason = `round ${taker.round} goes past it: its beginning cannot be read`;
        await this.end({ job, n, round: taker.round }, { status: 'returned', by: taker.worker, reason });
        continue;
      }
      const lease = this.#begunBy(taker, { job, n: n + 1 });
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

  /**
   * Ends a lease, and gives how it ended: that is another's word when somebody was quicker [SHR-2], and damage when that word cannot be read.
   */
  async end(
    { job, n, round }: Pick<LeaseBegun, 'job' | 'n' | 'round'>,
    words: EndWords,
  ): Promise<LeaseEnded | DamageError> {
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

  /** Undefined when it has not ended. */
  async readEnd(job: JobId, n: number): Promise<LeaseEnded | DamageError | undefined> {
    const key = this.keys.ended(job, n);
    const bytes = await this.#place.bucket.read(key);
    const place = { run: this.run, job, n };
    return bytes && orDamage(() => checkPlace(decodeShared('ended', bytes, key), place, key));
  }

  /** All leases of a job of which anything is known, the first one first. */
  async ofJob(job: JobId): Promise<readonly Lease[]> {
    return (await this.#partsOf(job)).flatMap((parts) => knownLease(parts) ?? []);
  }

  /** Why nobody can tell what became of a job in a round; undefined when it can be told. */
  async damageOf(job: JobId, round: number): Promise<readonly DamagedObject[] | undefined> {
    const leases = await this.#partsOf(job);
    const standing = standingOf(leases, round, await this.#pastOf(leases, round));
    return standing.kind === 'damaged' ? standing.damaged : undefined;
  }

  async #partsOf(job: JobId): Promise<readonly LeaseParts[]> {
    const { folder, start } = this.keys.leasesOf(job);
    const numbers: number[] = [];
    for await (const { key } of this.#place.bucket.list(folder, { startAfter: start })) {
      if (!key.startsWith(start)) break;
      const named = parseLeaseKey(key);
      if (named?.part === 'begun') numbers.push(named.n);
    }
    const leases: LeaseParts[] = [];
    for (const n of numbers) leases[n - 1] = await this.#read(job, n);
    // One that is gone is not there: those after it have their own numbers.
    return Array.from(leases, (parts) => parts ?? {});
  }

  async #read(job: JobId, n: number): Promise<LeaseParts> {
    const key = this.keys.begun(job, n);
    const bytes = await this.#place.bucket.read(key);
    // Its run is being removed: whoever takes the job finds that out.
    if (!bytes) return {};
    const begun = orDamage(() =>
      checkPlace(decodeShared('begun', bytes, key), { run: this.run, job, n }, key),
    );
    const ended = await this.readEnd(job, n);
    return partsOf([
      { key, job, part: 'begun', record: begun },
      { key: this.keys.ended(job, n), job, part: 'ended', record: ended },
    ]);
  }

  /** Rounds are read only where something is damaged: nearly always nothing is. */
  async #pastOf(leases: readonly LeaseParts[], round: number): Promise<(key: string) => boolean> {
    if (!leases.at(-1)?.damaged) return () => false;
    const past = await readGoesPast(this.#place, this.keys, round);
    return (key) => past.has(key);
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

interface ReadPart {
  readonly key: string;
  readonly job: JobId;
  readonly part: 'begun' | 'ended';
  readonly record: LeaseBegun | LeaseEnded | DamageError | undefined;
}

/** What is whole of a lease, and what is damaged. */
function partsOf(read: readonly ReadPart[]): LeaseParts {
  const whole = read.filter(({ record }) => record && !(record instanceof DamageError));
  const damaged = read.flatMap(({ key, job, record }) =>
    record instanceof DamageError ? { key, job, problem: record.message } : [],
  );
  const parts: LeaseParts = Object.fromEntries(whole.map(({ part, record }) => [part, record]));
  return damaged.length > 0 ? { ...parts, damaged } : parts;
}

/** Its own acknowledgement was lost: a worker that asks again for what it has, has it. */
function isSameTaker(begun: LeaseBegun, { worker, writer, round }: Taker): boolean {
  return begun.worker === worker && begun.writer === writer && begun.round === round;
}
