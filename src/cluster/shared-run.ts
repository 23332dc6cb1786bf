import { DamageError, definedOf, inOrder } from '../base/index.ts';
import { type DamagedObject, orDamage, UNKNOWN } from './damage.ts';
import { type LeaseKey, LeaseMemory } from './lease-memory.ts';
import { knownLease, type Lease, type Standing, standingOf } from './lease-standing.ts';
import { budgetWithOthers, type KnownRounds, type SaidByOthers, saidByOthers } from './purse-budget.ts';
import { parseRanges, positionsIn } from './ranges.ts';
import { budgetSaid, goesPastOf } from './rounds.ts';
import {
  type JobId,
  parseJob,
  parseLeaseKey,
  parseNumberedKey,
  parseRemovingKey,
  SharedKeys,
  type SharedPlace,
  sampleJob,
} from './shared-keys.ts';
import {
  type Cancelled,
  decodeShared,
  type LeaseBegun,
  type LeaseEnded,
  type Round,
  SHARED_VERSION,
  type Submission,
} from './shared-records.ts';

const READS_AT_A_TIME = 64;
/** As many keys as a bucket lists at a time: what is to be read is not all held before the first is. */
const BATCH = 1_000;
/** Up to so many samples the names of their groups have four digits, and are listed in the order of their numbers. */
const SORTED_SAMPLES_MAX = 10_000_000;

/** What was submitted, and nothing of what became of it; undefined when there is no such run. */
export async function readSubmission(
  { bucket, prefix }: SharedPlace,
  run: string,
): Promise<Submission | undefined> {
  const key = new SharedKeys(prefix, run).submission;
  const bytes = await bucket.read(key);
  return bytes && decodeShared('submission', bytes, key);
}

/**
 * What is known of a shared run: read from the bucket, and read on when it is refreshed. Nothing that was read changes, but what is stored may
 * be damaged, or be whole again: what is damaged costs the job that it is of, and nothing else [SHR-24].
 */
export class SharedRun {
  readonly submission: Submission;
  readonly keys: SharedKeys;
  readonly #place: SharedPlace;
  readonly #leases: LeaseMemory;
  /** The builds that a job needs first [SHR-11]. */
  readonly needsOf: (job: JobId) => readonly JobId[];
  readonly #lent: ReadonlySet<number>;
  readonly #rounds = new Map<number, Round | DamageError>();
  readonly #roundsOfOthers: KnownRounds = new Map();
  #saidByOthers: SaidByOthers = { isUnread: false };
  readonly #cancelled = new Map<number, Cancelled | DamageError>();
  /** By key, what is of no lease and cannot be read. */
  readonly #damaged = new Map<string, DamagedObject>();
  /** Keys of damaged objects that a round goes past. */
  #past: ReadonlySet<string> = new Set();
  readonly #removing = new Set<number>();
  #open = 0;

  private constructor(place: SharedPlace, submission: Submission) {
    this.#place = place;
    this.submission = submission;
    this.keys = new SharedKeys(place.prefix, submission.run);
    this.#leases = new LeaseMemory(submission.run, this.keys);
    this.needsOf = needsOf(submission);
    this.#lent = new Set(positionsIn(parseRanges(submission.lent) ?? []));
  }

  /** Undefined when no such run was submitted to this bucket, or it is being removed. */
  static async open(place: SharedPlace, run: string): Promise<SharedRun | undefined> {
    const submission = await readSubmission(place, run);
    if (!submission) return undefined;
    const shared = new SharedRun(place, submission);
    await shared.refresh();
    return (await shared.isThere()) ? shared : undefined;
  }

  /**
   * False when the run was removed, or is being removed [SHR-26]. Asked after something was read of it: what goes goes after the submission, so
   * as long as that is there all that was read before was whole.
   */
  async isThere(): Promise<boolean> {
    if (this.#removing.has(this.round)) return false;
    return (await this.#place.bucket.stat(this.keys.submission)) !== undefined;
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

  /** The first one first, each with the word that it was cancelled, if it was. Those that cannot be read are not among them. */
  get rounds(): readonly { readonly begun: Round; readonly cancelled?: Cancelled }[] {
    const all = [...this.#rounds].sort(([a], [b]) => a - b);
    return all.flatMap(([n, begun]) => {
      if (begun instanceof DamageError) return [];
      const cancelled = this.#cancelled.get(n);
      return { begun, ...(cancelled instanceof DamageError ? {} : definedOf({ cancelled })) };
    });
  }

  /** What the run may cost, in all its rounds [SHR-19]; of a purse what was said last for any of its runs [SHR-23]. */
  get budgetUsd(): number | undefined {
    const latestFirst = [...this.#rounds].sort(([a], [b]) => b - a).map(([, round]) => round);
    const own = budgetSaid(latestFirst, this.submission.work.budgetUsd);
    return budgetWithOthers(own, latestFirst, this.#saidByOthers);
  }

  /** Why and by whom the latest round was cancelled, as far as that can be read. */
  get cancelled(): Cancelled | undefined {
    const { run, round } = this;
    const said = this.#cancelled.get(round);
    if (!(said instanceof DamageError)) return said;
    const about = { format: 'holdfast-cancelled', version: SHARED_VERSION, run, round } as const;
    return { ...about, by: UNKNOWN, at: '', reason: 'why cannot be read' };
  }

  get isCancelUnread(): boolean {
    return this.#cancelled.get(this.round) instanceof DamageError;
  }

  /** What of the run is there and cannot be read, by key; without what a round goes past [SHR-24]. */
  get damaged(): readonly DamagedObject[] {
    const all = [...this.#damaged.values(), ...this.#leases.damaged()];
    const found = all.filter(({ key }) => !this.#past.has(key));
    return found.sort((a, b) => (a.key < b.key ? -1 : 1));
  }

  /** How many samples logs of earlier runs lend. */
  get lentCount(): number {
    return this.#lent.size;
  }

  /** True when a job of the latest round was begun. */
  get isBegun(): boolean {
    const { round } = this;
    for (const leases of this.#leases.all())
      if (leases.some(({ begun, ended }) => (begun ?? ended)?.round === round)) return true;
    return false;
  }

  /**
   * Reads what came since. Groups of samples that all have their results are not even listed again. Of what may be otherwise by now a little is
   * read again: damaged objects may have been restored, and the leases of what is not over may have been damaged.
   */
  async refresh(): Promise<void> {
    await this.#readRounds();
    let wanted = this.#leases.takeAgain((job) => this.endOf(job) !== undefined);
    const startAfter = this.keys.leasesOf(sampleJob(this.#firstOpen())).folder;
    for await (const { key } of this.#place.bucket.list(this.keys.leases, { startAfter })) {
      const named = parseLeaseKey(key);
      if (named && !this.#leases.isKnown({ key, ...named })) wanted.push({ key, ...named });
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

  /** Those of which it is known whose they were, the first one first. */
  leasesOf(job: JobId): readonly Lease[] {
    return this.#leases.ofJob(job).flatMap((parts) => knownLease(parts) ?? []);
  }

  endOf(job: JobId): LeaseEnded | undefined {
    const standing = this.#standing(job);
    return standing.kind === 'over' ? standing.end : undefined;
  }

  /** The lease under which somebody works on it, or did when last heard of. */
  heldBy(job: JobId): LeaseBegun | undefined {
    const standing = this.#standing(job);
    return standing.kind === 'held' ? standing.by : undefined;
  }

  /** True when nobody can tell what became of it in this round: it is neither over nor due [SHR-24]. */
  isDamaged(job: JobId): boolean {
    return this.#standing(job).kind === 'damaged';
  }

  /** What nobody has, and whose builds are over: what can be handed out now. */
  *due(): Iterable<JobId> {
    for (const job of this.jobs()) if (this.isDue(job)) yield job;
  }

  isDue(job: JobId): boolean {
    return !this.#isLeft(job) && this.needsOf(job).every((build) => this.#isLeft(build));
  }

  /** [SHR-9] Of what is damaged nothing more is to be expected in this round [SHR-24]. */
  get isComplete(): boolean {
    if (this.round === 0) return false;
    for (const job of this.jobs()) if (!this.#isLeft(job)) return false;
    return true;
  }

  /** Complete, and nothing of it is damaged: there is no more news of this round. */
  get isSettled(): boolean {
    return this.isComplete && this.damaged.length === 0;
  }

  #standing(job: JobId): Standing {
    return standingOf(this.#leases.ofJob(job), this.round, (key) => this.#past.has(key));
  }

  /** Nothing more is done for it in this round. */
  #isLeft(job: JobId): boolean {
    const { kind } = this.#standing(job);
    return kind === 'over' || kind === 'damaged';
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
    const leases = this.#leases.ofJob(job);
    if (!leases.some(({ ended }) => ended?.status === 'completed')) return false;
    return Array.from(leases).every((lease) => lease?.begun && lease.ended);
  }

  async #readRounds(): Promise<void> {
    for await (const { key } of this.#place.bucket.list(this.keys.rounds)) {
      const n = parseNumberedKey(key);
      const removing = parseRemovingKey(key);
      if (removing !== undefined) this.#removing.add(removing);
      if (n === undefined || isWhole(this.#rounds.get(n))) continue;
      const round = await this.#readWhole(key, (bytes) => decodeShared('round', bytes, key));
      if (round) this.#rounds.set(n, round);
    }
    this.#saidByOthers = await saidByOthers(this.#place, this.submission, this.#roundsOfOthers);
    this.#past = goesPastOf(this.#rounds.values(), this.keys);
    for (const n of this.#rounds.keys()) {
      if (isWhole(this.#cancelled.get(n))) continue;
      const key = this.keys.cancelled(n);
      const cancelled = await this.#readWhole(key, (bytes) => decodeShared('cancelled', bytes, key));
      if (cancelled) this.#cancelled.set(n, cancelled);
    }
  }

  async #readWhole<T>(key: string, decode: (bytes: Uint8Array) => T): Promise<T | DamageError | undefined> {
    const bytes = await this.#place.bucket.read(key);
    const record = bytes && orDamage(() => decode(bytes));
    if (record instanceof DamageError) this.#damaged.set(key, { key, problem: record.message });
    else this.#damaged.delete(key);
    return record;
  }

  async #readLeases(wanted: readonly LeaseKey[]): Promise<void> {
    const read = inOrder(wanted, {
      atATime: READS_AT_A_TIME,
      work: async (named) => ({ named, bytes: await this.#place.bucket.read(named.key) }),
    });
    for await (const { named, bytes } of read) this.#leases.keep(named, bytes);
  }
}

function isWhole(record: object | undefined): boolean {
  return record !== undefined && !(record instanceof DamageError);
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
