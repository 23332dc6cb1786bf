import { definedOf, inOrder } from '../base/index.ts';
import { endOfJob, type Lease } from './lease-book.ts';
import { type KnownRounds, laterOf, type SaidBudget, saidByOthers, saidIn } from './purse-budget.ts';
import { parseRanges, positionsIn } from './ranges.ts';
import { SameTexts } from './same-texts.ts';
import {
  type JobId,
  parseJob,
  parseLeaseKey,
  parseNumberedKey,
  SharedKeys,
  type SharedPlace,
  sampleJob,
} from './shared-keys.ts';
import {
  type Cancelled,
  checkPlace,
  decodeShared,
  type LeaseBegun,
  type LeaseEnded,
  type Round,
  type Submission,
} from './shared-records.ts';

const READS_AT_A_TIME = 64;
/** As many keys as a bucket lists at a time: what is to be read is not all held before the first is. */
const BATCH = 1_000;
/** Up to so many samples the names of their groups have four digits, and are listed in the order of their numbers. */
const SORTED_SAMPLES_MAX = 10_000_000;

interface LeaseKey {
  readonly key: string;
  readonly job: JobId;
  readonly n: number;
  readonly part: 'begun' | 'ended';
}

/** What was submitted, and nothing of what became of it; undefined when there is no such run. */
export async function readSubmission(
  { bucket, prefix }: SharedPlace,
  run: string,
): Promise<Submission | undefined> {
  const key = new SharedKeys(prefix, run).submission;
  const bytes = await bucket.read(key);
  return bytes && decodeShared('submission', bytes, key);
}

/** What is known of a shared run: read from the bucket, and read on when it is refreshed. Nothing that was read can change. */
export class SharedRun {
  readonly submission: Submission;
  readonly keys: SharedKeys;
  readonly #place: SharedPlace;
  /** Of each job the first lease first; a place is empty when that lease was not seen. */
  readonly #leases = new Map<JobId, Partial<Lease>[]>();
  readonly #texts = new SameTexts();
  /** The builds that a job needs first [SHR-11]. */
  readonly needsOf: (job: JobId) => readonly JobId[];
  readonly #lent: ReadonlySet<number>;
  readonly #rounds = new Map<number, Round>();
  readonly #roundsOfOthers: KnownRounds = new Map();
  #saidByOthers: SaidBudget | undefined;
  readonly #cancelled = new Map<number, Cancelled>();
  #open = 0;

  private constructor(place: SharedPlace, submission: Submission) {
    this.#place = place;
    this.submission = submission;
    this.keys = new SharedKeys(place.prefix, submission.run);
    this.needsOf = needsOf(submission);
    this.#lent = new Set(positionsIn(parseRanges(submission.lent) ?? []));
  }

  /** Undefined when no such run was submitted to this bucket. */
  static async open(place: SharedPlace, run: string): Promise<SharedRun | undefined> {
    const submission = await readSubmission(place, run);
    if (!submission) return undefined;
    const shared = new SharedRun(place, submission);
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

  /** The first one first, each with the word that it was cancelled, if it was. */
  get rounds(): readonly { readonly begun: Round; readonly cancelled?: Cancelled }[] {
    const all = [...this.#rounds].sort(([a], [b]) => a - b);
    return all.map(([n, begun]) => ({ begun, ...definedOf({ cancelled: this.#cancelled.get(n) }) }));
  }

  /** What the run may cost, in all its rounds [SHR-19]; of a purse what was said last for any of its runs [SHR-23]. */
  get budgetUsd(): number | undefined {
    const said = laterOf(saidIn(this.#rounds), this.#saidByOthers);
    return said?.budgetUsd ?? this.submission.work.budgetUsd;
  }

  /** Why and by whom the latest round was cancelled. */
  get cancelled(): Cancelled | undefined {
    return this.#cancelled.get(this.round);
  }

  /** How many samples logs of earlier runs lend. */
  get lentCount(): number {
    return this.#lent.size;
  }

  /** True when a job of the latest round was begun. */
  get isBegun(): boolean {
    const { round } = this;
    for (const leases of this.#leases.values())
      if (leases.some(({ begun }) => begun?.round === round)) return true;
    return false;
  }

  /** Reads what came since. Groups of samples that all have their results are not even listed again. */
  async refresh(): Promise<void> {
    await this.#readRounds();
    let wanted: LeaseKey[] = [];
    const startAfter = this.keys.leasesOf(sampleJob(this.#firstOpen())).folder;
    for await (const { key } of this.#place.bucket.list(this.keys.leases, { startAfter })) {
      const named = parseLeaseKey(key);
      if (named && !this.#leases.get(named.job)?.[named.n - 1]?.[named.part]) wanted.push({ key, ...named });
      if (wanted.length < BATCH) continue;
      await this.#readLeases(wanted);
      wanted = [];
    }
    await this.#readLeases(wanted);
  }

  /** All jobs of the run, builds first. */
  *jobs(): Iterable<JobId> {
    for (const { job } of this.submission.builds) yield job;
    for (let position = 0; position < this.submission.samples; position++)
      if (!this.#lent.has(position)) yield sampleJob(position);
  }

  leasesOf(job: JobId): readonly Lease[] {
    return this.#leases.get(job)?.filter(isBegun) ?? [];
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

  /** [SHR-9] */
  get isComplete(): boolean {
    if (this.round === 0) return false;
    for (const job of this.jobs()) if (!this.endOf(job)) return false;
    return true;
  }

  /** The position of the first sample of which there may be news: that it completed stays so, and nothing of it is begun again [SHR-7]. */
  #firstOpen(): number {
    const { samples } = this.submission;
    if (samples > SORTED_SAMPLES_MAX) return 0;
    while (this.#open < samples && (this.#lent.has(this.#open) || this.#isSettled(sampleJob(this.#open))))
      this.#open++;
    return this.#open;
  }

  /** Also what came before its result is known: a list that is made in parts may have missed the end of an earlier lease. */
  #isSettled(job: JobId): boolean {
    const leases = this.#leases.get(job);
    if (!leases?.some(({ ended }) => ended?.status === 'completed')) return false;
    return Array.from(leases).every((lease) => lease?.begun && lease.ended);
  }

  async #readRounds(): Promise<void> {
    const { bucket } = this.#place;
    for await (const { key } of bucket.list(this.keys.rounds)) {
      const n = parseNumberedKey(key);
      if (n === undefined || this.#rounds.has(n)) continue;
      const bytes = await bucket.read(key);
      if (bytes) this.#rounds.set(n, decodeShared('round', bytes, key));
    }
    this.#saidByOthers = await saidByOthers(this.#place, this.submission, this.#roundsOfOthers);
    for (const n of this.#rounds.keys()) {
      const key = this.keys.cancelled(n);
      const bytes = this.#cancelled.has(n) ? undefined : await bucket.read(key);
      if (bytes) this.#cancelled.set(n, decodeShared('cancelled', bytes, key));
    }
  }

  async #readLeases(wanted: readonly LeaseKey[]): Promise<void> {
    const read = inOrder(wanted, {
      atATime: READS_AT_A_TIME,
      work: async (named) => ({ named, bytes: await this.#place.bucket.read(named.key) }),
    });
    for await (const { named, bytes } of read) if (bytes) this.#keep(named, bytes);
  }

  #keep({ key, job, n, part }: LeaseKey, bytes: Uint8Array): void {
    const { run } = this;
    const place = { run, job, n };
    const leases = this.#leases.get(job);
    let lease = leases?.[n - 1] ?? {};
    if (part === 'begun') {
      const begun = checkPlace(decodeShared('begun', bytes, key), place, key);
      const [worker, writer] = [this.#texts.of(begun.worker), this.#texts.of(begun.writer)];
      lease = { ...lease, begun: { ...begun, run, job, worker, writer } };
    } else {
      const ended = checkPlace(decodeShared('ended', bytes, key), place, key);
      lease = { ...lease, ended: { ...ended, run, job, by: this.#texts.of(ended.by) } };
    }
    if (leases) leases[n - 1] = lease;
    else this.#leases.set(job, placed(lease, n));
  }
}

/** Nearly all jobs have one lease; an array that grows has room for many. */
function placed(lease: Partial<Lease>, n: number): Partial<Lease>[] {
  if (n === 1) return [lease];
  const leases: Partial<Lease>[] = [];
  leases[n - 1] = lease;
  return leases;
}

function isBegun(lease: Partial<Lease>): lease is Lease {
  return lease.begun !== undefined;
}

/** Which builds must be over before a job is due: those that a sample reads, and those of what a build is made of [SHR-11]. */
export function needsOf({ builds }: Pick<Submission, 'builds'>): SharedRun['needsOf'] {
  const ofBuilds = new Map(builds.map(({ job, needs }) => [job, needs]));
  const ofSamples = new Map<number, JobId[]>();
  for (const { job, samples } of builds)
    for (const position of positionsIn(parseRanges(samples) ?? [])) {
      const known = ofSamples.get(position);
      if (known) known.push(job);
      else ofSamples.set(position, [job]);
    }
  return (job) => {
    const parsed = parseJob(job);
    return (parsed?.kind === 'sample' ? ofSamples.get(parsed.position) : ofBuilds.get(job)) ?? [];
  };
}
