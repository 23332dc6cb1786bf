import type { Clock, Random } from '../../base/index.ts';
import {
  findShared,
  type JobQueue,
  lostRuns,
  type RunStatus,
  type SeenWorkers,
  type SharedPlace,
  type SharedRun,
  seeWorkers,
  sharedRunIds,
  statusOf,
} from '../../cluster/index.ts';
import { Fresh } from '../fresh.ts';

export interface SharedOptions {
  /** The bucket, as commands name it. */
  readonly url: string;
  /** It is opened when something of it is asked for: a bucket that is away keeps nobody from the rest of the Studio. */
  readonly open: () => Promise<SharedPlace>;
  /** Absent where no queue is named. */
  readonly openQueue?: () => Promise<JobQueue>;
  readonly clock: Clock;
  readonly random: Random;
}

/** A shared run as it was seen a moment ago. */
export interface SeenRun {
  readonly shared: SharedRun;
  readonly status: RunStatus;
  readonly seen: SeenWorkers;
}

/** So many runs stay read; each keeps all its leases. */
const RUNS_KEPT = 24;

/**
 * The shared runs of a bucket. What was read of a run is kept and read on; nothing is looked at while nobody asks, and however many ask at a
 * time, it is looked at once.
 */
export class SharedRuns implements AsyncDisposable {
  readonly url: string;
  readonly #options: SharedOptions;
  readonly #workers: Fresh<SeenWorkers>;
  readonly #ids: Fresh<readonly string[]>;
  /** By id, the one that was found last at the end. */
  readonly #runs = new Map<string, Fresh<SeenRun>>();
  /** Those that are being read for the first time, by how they were named. */
  readonly #opening = new Map<string, Promise<Fresh<SeenRun>>>();
  readonly #known = new Set<string>();
  #place: Promise<SharedPlace> | undefined;
  #queue: Promise<JobQueue> | undefined;

  constructor(options: SharedOptions) {
    const { url, clock, random } = options;
    this.url = url;
    this.#options = options;
    this.#workers = new Fresh(clock, async () => seeWorkers(await this.#opened(), { random }));
    this.#ids = new Fresh(clock, () => this.#listed());
  }

  /** All of them, the latest first. */
  ids(): Promise<readonly string[]> {
    return this.#ids.get();
  }

  /** By its id, or a part of it that tells it from others; E_SHARED_UNKNOWN when there is none. */
  async run(named: string): Promise<SeenRun> {
    const known = this.#runs.get(named) ?? (await this.#find(named));
    return known.get();
  }

  /** Undefined where no queue is named. */
  async queue(): Promise<JobQueue | undefined> {
    const { openQueue } = this.#options;
    this.#queue ??= openQueue?.().catch((error: unknown) => {
      this.#queue = undefined;
      throw error;
    });
    return this.#queue;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      await (await this.#queue)?.close();
    } catch {
      // One that could not be opened was told to whoever asked for it.
    }
  }

  #opened(): Promise<SharedPlace> {
    this.#place ??= this.#options.open().catch((error: unknown) => {
      this.#place = undefined;
      throw error;
    });
    return this.#place;
  }

  async #listed(): Promise<readonly string[]> {
    const place = await this.#opened();
    const ids = await sharedRunIds(place, this.#known);
    for (const id of ids) this.#known.add(id);
    // Whoever opens one of these is told what is wrong with it.
    const lost = await lostRuns(place, this.#known);
    return [...ids, ...lost.map(({ run }) => run)].sort().reverse();
  }

  async #look(shared: SharedRun): Promise<SeenRun> {
    await shared.refresh();
    const seen = await this.#workers.get();
    return { shared, seen, status: statusOf(shared, seen) };
  }

  #find(named: string): Promise<Fresh<SeenRun>> {
    const opening =
      this.#opening.get(named) ??
      this.#open(named).finally(() => {
        this.#opening.delete(named);
      });
    this.#opening.set(named, opening);
    return opening;
  }

  async #open(named: string): Promise<Fresh<SeenRun>> {
    const shared = await findShared(await this.#opened(), named);
    const kept = this.#runs.get(shared.run) ?? new Fresh(this.#options.clock, () => this.#look(shared));
    this.#keep(shared.run, kept);
    return kept;
  }

  #keep(run: string, kept: Fresh<SeenRun>): void {
    this.#runs.delete(run);
    this.#runs.set(run, kept);
    for (const [oldest] of this.#runs) {
      if (this.#runs.size <= RUNS_KEPT) break;
      this.#runs.delete(oldest);
    }
  }
}
