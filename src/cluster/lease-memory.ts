import { DamageError } from '../base/index.ts';
import { type DamagedObject, orDamage } from './damage.ts';
import type { LeaseParts } from './lease-standing.ts';
import { SameTexts } from './same-texts.ts';
import { type JobId, parseLeaseKey, type SharedKeys } from './shared-keys.ts';
import { checkPlace, decodeShared } from './shared-records.ts';

export interface LeaseKey {
  readonly key: string;
  readonly job: JobId;
  readonly n: number;
  readonly part: 'begun' | 'ended';
}

/** What was read and may be otherwise by now is read again, so much of it with every look. */
const AGAIN_AT_A_TIME = 16;

/** The leases of a run as they were read, and which of their records cannot be [SHR-24]. */
export class LeaseMemory {
  readonly #run: string;
  readonly #keys: SharedKeys;
  /** Of each job the first lease first; a place is empty when that lease was not seen. */
  readonly #leases = new Map<JobId, LeaseParts[]>();
  readonly #damaged = new Map<string, DamagedObject>();
  readonly #texts = new SameTexts();
  /** How many were read again. */
  #again = 0;

  constructor(run: string, keys: SharedKeys) {
    this.#run = run;
    this.#keys = keys;
  }

  ofJob(job: JobId): readonly LeaseParts[] {
    return this.#leases.get(job) ?? [];
  }

  all(): Iterable<readonly LeaseParts[]> {
    return this.#leases.values();
  }

  damaged(): Iterable<DamagedObject> {
    return this.#damaged.values();
  }

  isKnown({ key, job, n, part }: LeaseKey): boolean {
    return this.#leases.get(job)?.[n - 1]?.[part] !== undefined || this.#damaged.has(key);
  }

  /** What is to be read again with this look: damaged objects, and what decides of jobs that are not over. In turn, so that each comes. */
  takeAgain(isOver: (job: JobId) => boolean): LeaseKey[] {
    const all = [...this.#damaged.keys(), ...this.#deciding(isOver)];
    const first = this.#again % Math.max(1, all.length);
    const taken = [...all.slice(first), ...all.slice(0, first)].slice(0, AGAIN_AT_A_TIME);
    this.#again += taken.length;
    return taken.flatMap((key) => {
      const named = parseLeaseKey(key);
      return named ? { key, ...named } : [];
    });
  }

  /** Undefined for what is not there: of what was damaged it says nothing any more. */
  keep(named: LeaseKey, bytes: Uint8Array | undefined): void {
    if (bytes) this.#keep(named, this.#decode(named, bytes));
    else if (this.#damaged.has(named.key)) this.#keep(named, {});
  }

  *#deciding(isOver: (job: JobId) => boolean): Iterable<string> {
    for (const [job, leases] of this.#leases) {
      const last = leases.at(-1);
      if (!last || last.damaged || isOver(job)) continue;
      yield last.ended ? this.#keys.ended(job, leases.length) : this.#keys.begun(job, leases.length);
    }
  }

  #decode({ key, job, n, part }: LeaseKey, bytes: Uint8Array): LeaseParts | DamageError {
    const run = this.#run;
    return orDamage(() => {
      if (part === 'begun') {
        const begun = checkPlace(decodeShared('begun', bytes, key), { run, job, n }, key);
        const [worker, writer] = [this.#texts.of(begun.worker), this.#texts.of(begun.writer)];
        return { begun: { ...begun, run, job, worker, writer } };
      }
      const ended = checkPlace(decodeShared('ended', bytes, key), { run, job, n }, key);
      return { ended: { ...ended, run, job, by: this.#texts.of(ended.by) } };
    });
  }

  #keep({ key, job, n, part }: LeaseKey, record: LeaseParts | DamageError): void {
    const leases = this.#leases.get(job);
    const { damaged: before = [], [part]: _, ...rest } = leases?.[n - 1] ?? {};
    const others = before.filter((one) => one.key !== key);
    if (!(record instanceof DamageError)) {
      this.#damaged.delete(key);
      this.#put(job, n, { ...rest, ...record, ...(others.length > 0 ? { damaged: others } : {}) });
      return;
    }
    const own: DamagedObject = { key, job, problem: record.message };
    this.#damaged.set(key, own);
    this.#put(job, n, { ...rest, damaged: [...others, own] });
  }

  #put(job: JobId, n: number, lease: LeaseParts): void {
    const leases = this.#leases.get(job);
    if (leases) leases[n - 1] = lease;
    else this.#leases.set(job, placed(lease, n));
  }
}

/** Nearly all jobs have one lease; an array that grows has room for many. */
function placed(lease: LeaseParts, n: number): LeaseParts[] {
  if (n === 1) return [lease];
  const leases: LeaseParts[] = [];
  leases[n - 1] = lease;
  return leases;
}
