import { basename } from 'node:path';
import { type Clock, definedOf } from '../base/index.ts';
import { bucketErrors } from '../bucket/index.ts';
import { listWriters } from '../journal/index.ts';
import type { SharedEval } from '../runner/index.ts';
import { UNKNOWN } from './damage.ts';
import type { Prints } from './evidence-prints.ts';
import { type EvidenceOptions, EvidenceShipper } from './evidence-shipper.ts';
import { LeaseBook } from './lease-book.ts';
import { endOfJob } from './lease-standing.ts';
import { patiently } from './patiently.ts';
import { type JobId, parseJob, type SharedPlace } from './shared-keys.ts';
import type { LeaseBegun, LeaseEnded, Submission } from './shared-records.ts';
import { needsOf } from './shared-run.ts';
import type { JobResult, WorkAbout } from './work-on-job.ts';
import type { RunSession } from './worker.ts';

export interface EvalSessionOptions {
  readonly place: SharedPlace;
  readonly clock: Clock;
  readonly submission: Submission;
  readonly shared: SharedEval;
  /** How evidence is brought into the bucket; undefined: not at all. */
  readonly evidence?: EvidenceSettings | undefined;
}

export interface EvidenceSettings extends Omit<EvidenceOptions, 'place' | 'clock' | 'redact'> {
  /** What jobs print, where that is heard. */
  readonly prints?: Prints | undefined;
  /** In a process that does one job: the folder of what it prints on its descriptors [EVI-9]. */
  readonly outputsDir?: string | undefined;
}

/** A run that a worker has opened: its jobs are done by the runner, and their results are in the bucket before their leases end. */
export function evalSession(options: EvalSessionOptions): RunSession {
  const { place, clock, submission, shared } = options;
  const { run, lostMax, failOnError } = submission;
  const book = new LeaseBook(place, { run, clock });
  const jobs = new EvalJobs(options, book);
  const work: RunSession['work'] = (lease, about) => jobs.work(lease, about);
  return {
    ...{ book, writer: shared.writer, lostMax, failOnError, work },
    get gaveUp() {
      return shared.hopeless.aborted ? shared.hopeless.reason : undefined;
    },
  };
}

const LAST_SHIP_MS = 3_000;
/** For people; the whole error is in the journal. */
const REASON_MAX = 500;

type Build = Submission['builds'][number];

interface HeldJob extends WorkAbout {
  readonly lease: LeaseBegun;
  readonly evidence?: EvidenceShipper;
}

/** How a build ended, or that nobody can tell: then it failed for whoever needs it in this round [SHR-24]. */
type BuildEnd = Pick<LeaseEnded, 'status' | 'reason' | 'pin'>;

type OnFolder = (dir: string) => Promise<void>;

class EvalJobs {
  readonly #options: EvalSessionOptions;
  readonly #book: LeaseBook;
  readonly #builds: ReadonlyMap<JobId, Build>;
  readonly #needsOf: (job: JobId) => readonly JobId[];
  /** How builds ended: once that is said in a round, it stays so in that round [SHR-7]. */
  readonly #ends = new Map<string, BuildEnd>();
  #round = 0;

  constructor(options: EvalSessionOptions, book: LeaseBook) {
    this.#options = options;
    this.#book = book;
    this.#builds = new Map(options.submission.builds.map((build) => [build.job, build]));
    this.#needsOf = needsOf(options.submission);
  }

  async work(lease: LeaseBegun, about: WorkAbout): Promise<JobResult> {
    const { job, round } = lease;
    if (round > this.#round) this.#options.shared.tryAgain();
    this.#round = Math.max(round, this.#round);
    const evidence = this.#evidenceOf(lease);
    if (!evidence) return this.#do(job, { lease, ...about });
    const work = () => this.#do(job, { lease, evidence, ...about });
    const { prints, outputsDir } = this.#options.evidence ?? {};
    if (outputsDir !== undefined) evidence.follow(outputsDir);
    try {
      const result = await (prints?.within((...printed) => evidence.print(...printed), work) ?? work());
      return { ...result, ...definedOf({ evidence: await evidence.finish() }) };
    } catch (error) {
      await evidence.finish();
      throw error;
    }
  }

  #do(job: JobId, held: HeldJob): Promise<JobResult> {
    const parsed = parseJob(job);
    if (parsed?.kind === 'sample') return this.#runSample(parsed.position, held);
    return this.#build(this.#buildOf(job), held);
  }

  #evidenceOf(lease: LeaseBegun): EvidenceShipper | undefined {
    const { place, clock, shared, evidence } = this.#options;
    if (!evidence) return undefined;
    const parsed = parseJob(lease.job);
    const sample = parsed?.kind === 'sample' ? shared.sampleAt(parsed.position) : undefined;
    const redact = (text: string) => shared.redact(text);
    return new EvidenceShipper({ ...evidence, place, clock, redact }, { lease, sample });
  }

  async #runSample(position: number, held: HeldJob): Promise<JobResult> {
    const { clock, shared } = this.#options;
    const { earlier, signal, evidence } = held;
    const { job, round } = held.lease;
    for (const need of this.#needsOf(job)) await this.#tellBuild(this.#buildOf(need), round, signal);
    await patiently(() => shared.ready(position), { clock, signal });
    const onFolder: OnFolder | undefined = evidence && ((dir) => evidence.watch(dir, basename(dir)));
    // What is under way when nothing answers here is given back: it may be answered elsewhere.
    const wanted = AbortSignal.any([signal, shared.hopeless]);
    const writers = await this.#writersOf(earlier, signal);
    const asked = { position, earlier: writers, signal: wanted, onFolder };
    const { outcome, origin, counted, scorersFailed, ...ended } = await shared.runSample(asked);
    const reason = ended.reason ?? outcome.fields?.error?.message.slice(0, REASON_MAX);
    const status = outcome.status === 'interrupted' ? 'returned' : outcome.status;
    // Of all tries at it, not only of the last.
    const { spent: usd } = counted.usd.known;
    // [SHR-4] Not even a worker that must go says that something is there before it is.
    if (status !== 'returned') await patiently(() => shipped(shared), { clock, signal });
    // Whoever has it next replays what it finds there; it is not waited for longer than somebody who must go has time.
    else await Promise.race([shared.ship().catch(() => false), clock.sleep(LAST_SHIP_MS)]);
    const failed = scorersFailed.length > 0 ? [...scorersFailed] : undefined;
    return { status, usd, ...definedOf({ origin, reason, scorersFailed: failed }) };
  }

  /** What it is made of comes first, and what of that failed is the reason why it cannot be built. */
  async #build(build: Build, { lease: { round }, earlier, signal, evidence }: HeldJob): Promise<JobResult> {
    const { clock, shared } = this.#options;
    for (const job of build.needs) {
      const need = this.#buildOf(job);
      const { pin } = await this.#tellBuild(need, round, signal);
      if (!pin) return { status: 'errored', reason: `${need.unit}, which it is made of, could not be built` };
    }
    const onFolder: OnFolder | undefined = evidence && ((dir) => evidence.watch(dir, 'build'));
    const asked = { earlier: await this.#writersOf(earlier, signal), signal, onFolder };
    const built = await patiently(() => shared.build(build.recipe, asked), { clock, signal });
    // What those before it paid is in what they said at their ends, or in the journal that this one went on with.
    const usd = built.usd + Math.max(built.earlierUsd, ...earlier.map(({ ended }) => ended?.usd ?? 0));
    if (built.status === 'completed') return { status: 'completed', pin: built.pin, usd };
    return { status: built.status === 'interrupted' ? 'returned' : 'errored', reason: built.reason, usd };
  }

  /** Tells the runner what came of a build that is over: a generation, which then is ready here, or why there is none. */
  async #tellBuild(build: Build, round: number, signal: AbortSignal): Promise<BuildEnd> {
    const { clock, shared } = this.#options;
    const end = await this.#endOf(build.job, round, signal);
    const { pin } = end;
    if (pin) await patiently(() => shared.pin(pin), { clock, signal });
    else shared.refuse(build.recipe, await this.#failureOf(build, round, signal));
    return end;
  }

  /** The first that failed of all that it is made of, or it itself. */
  async #failureOf(
    build: Build,
    round: number,
    signal: AbortSignal,
  ): Promise<{ readonly recipe: string; readonly reason: string }> {
    for (const job of build.needs)
      if (!(await this.#endOf(job, round, signal)).pin)
        return this.#failureOf(this.#buildOf(job), round, signal);
    const { status, reason = status } = await this.#endOf(build.job, round, signal);
    return { recipe: build.recipe, reason };
  }

  async #endOf(job: JobId, round: number, signal: AbortSignal): Promise<BuildEnd> {
    const { clock } = this.#options;
    const name = `${job}.${round}`;
    const known = this.#ends.get(name);
    const leases = known ? [] : await patiently(() => this.#book.ofJob(job), { clock, signal });
    const end = known ?? endOfJob(leases, round);
    if (!end) return await this.#damagedEnd(job, round, signal);
    this.#ends.set(name, end);
    return end;
  }

  /** Not kept: what is damaged may be restored. */
  async #damagedEnd(job: JobId, round: number, signal: AbortSignal): Promise<BuildEnd> {
    const { clock } = this.#options;
    const [damage] = (await patiently(() => this.#book.damageOf(job, round), { clock, signal })) ?? [];
    // [SHR-11] Whoever handed it out had seen the end.
    if (!damage) throw new Error(`what needs ${job} was handed out before ${job} was over`);
    return { status: 'errored', reason: damage.problem };
  }

  /** Whose journals may hold answers for it. Where that cannot be read it may be anybody's. */
  async #writersOf(earlier: WorkAbout['earlier'], signal: AbortSignal): Promise<readonly string[]> {
    const { place, submission, clock } = this.#options;
    const writers = earlier.map(({ begun }) => begun.writer);
    if (!writers.includes(UNKNOWN)) return writers;
    const all = () => listWriters(place.bucket, place.prefix, submission.run);
    return await patiently(all, { clock, signal });
  }

  #buildOf(job: JobId): Build {
    const build = this.#builds.get(job);
    if (!build) throw new Error(`${job} is no job of run ${this.#options.submission.run}`);
    return build;
  }
}

async function shipped(shared: SharedEval): Promise<void> {
  // A journal that failed ships nothing more: waiting for it would be for ever.
  if (shared.failure !== undefined) throw shared.failure;
  if (!(await shared.ship()))
    throw bucketErrors.away('the bucket', new Error('it did not take the segments'));
}
