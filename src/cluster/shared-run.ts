import { DamageError, definedOf, inOrder } from '../base/index.ts';
import { endOfJob, type Lease } from './lease-book.ts';
import { parseRanges, positionsIn } from './ranges.ts';
import {
  buildJob,
  type JobId,
  parseJob,
  parseLeaseKey,
  parseNumberedKey,
  SharedKeys,
  type SharedPlace,
  sampleJob,
} from './shared-keys.ts';
import {
  decodeShared,
  type LeaseBegun,
  type LeaseEnded,
  type Round,
  type Submission,
} from './shared-records.ts';

const READS_AT_A_TIME = 64;

/** What is known of a shared run: read from the bucket, and read on when it is refreshed. Nothing that was read can change. */
export class SharedRun {
  readonly submission: Submission;
  readonly keys: SharedKeys;
  readonly #place: SharedPlace;
  readonly #leases = new Map<JobId, Map<number, Partial<Lease>>>();
  readonly #needs: ReadonlyMap<number, readonly JobId[]>;
  readonly #lent: ReadonlySet<number>;
  readonly #rounds = new Map<number, Round>();
  readonly #cancelled = new Set<number>();

  private constructor(place: SharedPlace, submission: Submission) {
    this.#place = place;
    this.submission = submission;
    this.keys = new SharedKeys(place.prefix, submission.run);
    this.#needs = needsOf(submission);
    this.#lent = new Set(positionsIn(parseRanges(submission.lent) ?? []));
  }

  /** Undefined when no such run was submitted to this bucket. */
  static async open(place: SharedPlace, run: string): Promise<SharedRun | undefined> {
    const key = new SharedKeys(place.prefix, run).submission;
    const bytes = await place.bucket.read(key);
    if (!bytes) return undefined;
    const shared = new SharedRun(place, decodeShared('submission', bytes, key));
    await shared.refresh();
    return shared;
  }

  get run(): string {
    return this.submission.run;
  }

  /** The latest; 0 when the submission stopped before its first. */
  get round(): number {
    return Math.max(0, ...this.#rounds.keys());
  }

  get isCancelled(): boolean {
    return this.#cancelled.has(this.round);
  }

  /** Reads what came since. */
  async refresh(): Promise<void> {
    await this.#readRounds();
    const wanted: {
      readonly key: string;
      readonly job: JobId;
      readonly n: number;
      readonly part: 'begun' | 'ended';
    }[] = [];
    for await (const { key } of this.#place.bucket.list(this.keys.leases)) {
      const named = parseLeaseKey(key);
      if (named && !this.#leases.get(named.job)?.get(named.n)?.[named.part]) wanted.push({ key, ...named });
    }
    const read = inOrder(wanted, {
      atATime: READS_AT_A_TIME,
      work: async (named) => ({ named, bytes: await this.#place.bucket.read(named.key) }),
    });
    for await (const { named, bytes } of read) if (bytes) this.#keep(named, bytes);
  }

  /** All jobs of the run, builds first. */
  *jobs(): Iterable<JobId> {
    for (const { job } of this.submission.builds) yield job;
    for (let position = 0; position < this.submission.samples; position++)
      if (!this.#lent.has(position)) yield sampleJob(position);
  }

  leasesOf(job: JobId): readonly Lease[] {
    const all = [...(this.#leases.get(job) ?? [])].sort(([a], [b]) => a - b);
    return all.flatMap(([, { begun, ended }]) => (begun ? { begun, ...definedOf({ ended }) } : []));
  }

  endOf(job: JobId): LeaseEnded | undefined {
    return endOfJob(this.leasesOf(job), this.round);
  }

  /** The lease under which somebody works on it, or did when last heard of. */
  heldBy(job: JobId): LeaseBegun | undefined {
    const last = this.leasesOf(job).at(-1);
    return last && !last.ended ? last.begun : undefined;
  }

  /** What nobody has, and whose builds are over: what can be handed out now. */
  *due(): Iterable<JobId> {
    for (const job of this.jobs()) if (this.isDue(job)) yield job;
  }

  isDue(job: JobId): boolean {
    return !this.endOf(job) && this.needsOf(job).every((build) => this.endOf(build) !== undefined);
  }

  /** The builds that a job needs first. */
  needsOf(job: JobId): readonly JobId[] {
    const parsed = parseJob(job);
    return parsed?.kind === 'sample' ? (this.#needs.get(parsed.position) ?? []) : [];
  }

  /** [SHR-9] */
  get isComplete(): boolean {
    if (this.round === 0) return false;
    for (const job of this.jobs()) if (!this.endOf(job)) return false;
    return true;
  }

  async #readRounds(): Promise<void> {
    const { bucket } = this.#place;
    for await (const { key } of bucket.list(this.keys.rounds)) {
      const n = parseNumberedKey(key);
      if (n === undefined || this.#rounds.has(n)) continue;
      const bytes = await bucket.read(key);
      if (bytes) this.#rounds.set(n, decodeShared('round', bytes, key));
    }
    for (const n of this.#rounds.keys())
      if (!this.#cancelled.has(n) && (await bucket.stat(this.keys.cancelled(n)))) this.#cancelled.add(n);
  }

  #keep(
    named: {
      readonly key: string;
      readonly job: JobId;
      readonly n: number;
      readonly part: 'begun' | 'ended';
    },
    bytes: Uint8Array,
  ): void {
    const record = decodeShared(named.part, bytes, named.key);
    if (record.run !== this.run || record.job !== named.job || record.n !== named.n)
      throw misplaced(named.key);
    const leases = this.#leases.get(named.job) ?? new Map<number, Partial<Lease>>();
    this.#leases.set(named.job, leases.set(named.n, { ...leases.get(named.n), [named.part]: record }));
  }
}

function needsOf({ builds }: Submission): ReadonlyMap<number, readonly JobId[]> {
  const needs = new Map<number, JobId[]>();
  for (const { recipe, samples } of builds)
    for (const position of positionsIn(parseRanges(samples) ?? [])) {
      const known = needs.get(position);
      if (known) known.push(buildJob(recipe));
      else needs.set(position, [buildJob(recipe)]);
    }
  return needs;
}

function misplaced(key: string): DamageError {
  return new DamageError({
    code: 'E_SHARED_DAMAGED',
    message: `${key} in the bucket is of another run, job or lease.`,
    hint: 'It was left as it is. Restore it from a copy or an earlier version of the object, if the bucket keeps them.',
  });
}
