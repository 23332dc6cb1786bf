import { type Clock, didYouMean, systemClock, systemRandom, UsageError } from '../../base/index.ts';
import {
  eventName,
  eventsOf,
  idsIn,
  isSettled,
  type JobId,
  jobsNamed,
  type OutputPiece,
  OutputReader,
  parseJob,
  type RunEvent,
  type RunStatus,
  type SeenWorkers,
  type SharedRun,
  sampleJob,
  seeWorkers,
  statusOf,
  WorkersWatch,
} from '../../cluster/index.ts';
import { AskedAgain, DOUBT_MS } from './asked-again.ts';
import type { OpenedPlace } from './shared-place.ts';

/** What happened since somebody last looked. */
export interface RunNews {
  readonly events: readonly RunEvent[];
  /** What attempts at the sample wrote. */
  readonly output: readonly OutputPiece[];
  readonly status: RunStatus;
}

export interface NewsAbout {
  /** A position in the plan, a job, the id of a sample, or the unit of a build. */
  readonly sample?: string | undefined;
  readonly worker?: string | undefined;
}

/** Why somebody stopped following: `unknown` when nobody can tell any more whether something is still to come. */
export type FollowEnd = 'over' | 'stopped' | 'unknown';

export interface FollowOptions {
  readonly tell: (news: RunNews) => void;
  readonly note: (text: string) => void;
  /** Whoever follows it has seen enough. */
  readonly signal: AbortSignal;
  readonly clock?: Clock;
}

const LOOK_MS = 1_000;
const SHOWN_MAX = 10;

/** Reads what happens to a run: all of it at first, and then what is new. */
export class RunNewsReader {
  readonly #shared: SharedRun;
  readonly #workers: WorkersWatch;
  readonly #worker: string | undefined;
  readonly #jobs: readonly JobId[] | undefined;
  readonly #outputs: readonly OutputReader[];
  readonly #told = new Set<string>();
  /** What was read by a look that failed later: the next one tells it. */
  #untold: OutputPiece[] = [];

  private constructor(
    shared: SharedRun,
    {
      place,
      worker,
      jobs,
    }: { place: OpenedPlace; worker: string | undefined; jobs: readonly JobId[] | undefined },
  ) {
    this.#shared = shared;
    this.#workers = new WorkersWatch(place, { random: systemRandom });
    this.#worker = worker;
    this.#jobs = jobs;
    this.#outputs = (jobs ?? []).map((job) => new OutputReader(place, { run: shared.run, job }));
  }

  static async open(shared: SharedRun, place: OpenedPlace, about: NewsAbout): Promise<RunNewsReader> {
    const { sample, worker } = about;
    const jobs = sample === undefined ? undefined : jobsOf(sample, shared);
    if (worker !== undefined)
      refuseUnknownWorker(worker, shared, await seeWorkers(place, { random: systemRandom }));
    return new RunNewsReader(shared, { place, worker, jobs });
  }

  async next(): Promise<RunNews> {
    await this.#shared.refresh();
    const status = statusOf(this.#shared, await this.#workers.look());
    const output = this.#untold;
    for (const reader of this.#outputs) output.push(...(await reader.next()));
    this.#untold = [];
    const writers = this.#writers();
    return {
      events: this.#events().filter((event) => this.#isNew(event)),
      output: output.filter(({ writer }) => !writers || writers.has(writer)),
      status,
    };
  }

  /**
   * Resolves with how it stands with the run when that is over, or whoever follows it has seen enough. What was cancelled is over when what is
   * under way of it has ended. A bucket that is away for a minute ends it with its error.
   */
  async follow(options: FollowOptions): Promise<{ readonly end: FollowEnd; readonly status: RunStatus }> {
    const { tell, note, signal, clock = systemClock } = options;
    const bucket = new AskedAgain({ what: 'bucket', note, clock, patienceMs: DOUBT_MS });
    let status = statusOf(this.#shared, { workers: [], nowMs: undefined });
    for (let doubtMs: number | undefined; ; ) {
      const news = await bucket.ask(() => this.next());
      if (news) {
        tell(news);
        status = news.status;
        if (isOver(status)) return { end: 'over', status };
      }
      if (signal.aborted) return { end: 'stopped', status };
      doubtMs = isDoubtful(status) ? (doubtMs ?? clock.monotonicMs()) : undefined;
      if (doubtMs !== undefined && clock.monotonicMs() - doubtMs >= DOUBT_MS)
        return { end: 'unknown', status };
      await clock.sleep(LOOK_MS, signal).catch(() => undefined); // Aborted: one more look, and it ends.
    }
  }

  #events(): readonly RunEvent[] {
    const worker = this.#worker;
    if (!this.#jobs) return eventsOf(this.#shared, { worker });
    const all = this.#jobs.flatMap((job) => eventsOf(this.#shared, { job, worker }));
    return all.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
  }

  #writers(): ReadonlySet<string> | undefined {
    if (this.#worker === undefined) return undefined;
    return new Set(this.#events().flatMap((event) => (event.kind === 'begun' ? event.writer : [])));
  }

  #isNew(event: RunEvent): boolean {
    const name = eventName(event);
    if (this.#told.has(name)) return false;
    this.#told.add(name);
    return true;
  }
}

function isOver(status: RunStatus): boolean {
  return status.state === 'complete' || isSettled(status);
}

/** It was cancelled, and nobody who is known to live has anything of it: who may not write to the bucket is never told that they are gone. */
function isDoubtful({ state, inFlight }: RunStatus): boolean {
  return state === 'cancelled' && !inFlight.some(({ state: of }) => of === 'live');
}

function jobsOf(sample: string, { run, submission }: SharedRun): readonly JobId[] {
  const { samples, builds, record } = submission;
  const named = /^\d+$/.test(sample) ? `s${sample}` : sample;
  const parsed = parseJob(named);
  if (parsed?.kind === 'sample' && parsed.position < samples) return [sampleJob(parsed.position)];
  const build = builds.find(({ job, unit }) => job === named || unit === named);
  if (build) return [build.job];
  const jobs = jobsNamed(submission, sample);
  if (jobs.length > 0) return jobs;
  const ids = [...idsIn(record).map(String), ...builds.map(({ unit }) => unit)];
  throw new UsageError({
    code: 'E_SHARED_SAMPLE',
    message: noneOf(`Run ${run} has no sample ${JSON.stringify(sample)}`, sample, ids),
    hint: `It has ${someOf(ids)}. A number is a position in the plan, from 0 to ${samples - 1}.`,
  });
}

/** Those that had a job of it, and those that are there: one of them may have the next. */
function refuseUnknownWorker(worker: string, shared: SharedRun, { workers }: SeenWorkers): void {
  const known = new Set(workers.map((one) => one.worker));
  for (const job of shared.jobs()) for (const { begun } of shared.leasesOf(job)) known.add(begun.worker);
  if (known.has(worker)) return;
  const names = [...known].sort();
  const there = names.length === 0 ? 'No worker had anything of it yet' : `There are ${someOf(names)}`;
  throw new UsageError({
    code: 'E_SHARED_WORKER',
    message: noneOf(`Run ${shared.run} knows no worker ${JSON.stringify(worker)}`, worker, names),
    hint: `${there}: "holdfast runs status" names those that live.`,
  });
}

function noneOf(sentence: string, word: string, known: readonly string[]): string {
  return `${sentence}${didYouMean(word, known)}`.replace(/([^?])$/, '$1.');
}

function someOf(names: readonly string[]): string {
  const shown = names.slice(0, SHOWN_MAX).join(', ');
  return names.length > SHOWN_MAX ? `${shown} and ${names.length - SHOWN_MAX} more` : shown;
}
