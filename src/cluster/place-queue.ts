import { ActionableError, type Clock, type Random, systemClock, systemRandom } from '../base/index.ts';
import type { JobQueue, QueuedJob, ServeOptions } from './job-queue.ts';
import { openQueue, probeQueue } from './open-queue.ts';
import { patiently } from './patiently.ts';
import { findPlaceId, makePlaceId } from './place-id.ts';
import type { SharedPlace } from './shared-keys.ts';

export interface PlaceQueueOptions {
  readonly clock?: Clock;
  readonly random?: Random;
  readonly onProblem?: ((error: unknown) => void) | undefined;
  /** It is opened when it is next asked for, should it not answer now: for whoever can do without it. */
  readonly mayBeAway?: boolean;
}

/**
 * The queue of the runs of one place. Others may use the same Redis: nobody is handed jobs of runs that are not in its bucket. Nothing is
 * written to a bucket before something is put into the queue or taken from it: whoever is refused has left nothing.
 */
export async function openQueueOf(
  place: SharedPlace,
  url: string,
  options: PlaceQueueOptions = {},
): Promise<JobQueue> {
  const { clock = systemClock, random = systemRandom, onProblem, mayBeAway = false } = options;
  const open = (within: string) => openQueue(url, { clock, onProblem, within });
  const known = await idIfThere(place);
  try {
    if (known !== undefined) return await open(known);
    await probeQueue(url);
  } catch (error) {
    if (!mayBeAway || !isTransient(error)) throw error;
  }
  return new UnnamedQueue({
    clock,
    find: async () => {
      const id = await findPlaceId(place);
      return id === undefined ? undefined : open(id);
    },
    make: async () => open(await makePlaceId(place, { random })),
  });
}

/** A worker may be started while the bucket is away: it waits until that is back. */
async function idIfThere(place: SharedPlace): Promise<string | undefined> {
  try {
    return await findPlaceId(place);
  } catch (error) {
    if (isTransient(error)) return undefined;
    throw error;
  }
}

function isTransient(error: unknown): boolean {
  return error instanceof ActionableError && error.retryable;
}

interface Naming {
  readonly clock: Clock;
  /** Undefined as long as the place has no id. */
  readonly find: () => Promise<JobQueue | undefined>;
  readonly make: () => Promise<JobQueue>;
}

/** That of a place without an id, or of one that is away, or one that is away itself: it is found or made when it is needed. */
class UnnamedQueue implements JobQueue {
  readonly #naming: Naming;
  #named: Promise<JobQueue | undefined> | undefined;

  constructor(naming: Naming) {
    this.#naming = naming;
  }

  async add(jobs: readonly QueuedJob[]): Promise<void> {
    await (await this.#make()).add(jobs);
  }

  /** Who only looks names nothing. */
  async count(run: string): Promise<number> {
    return (await (await this.#open(this.#naming.find))?.count(run)) ?? 0;
  }

  async serve(options: ServeOptions): Promise<void> {
    const { signal } = options;
    if (signal.aborted) return;
    const queue = await patiently(() => this.#make(), { clock: this.#naming.clock, signal });
    await queue.serve(options);
  }

  async close(): Promise<void> {
    const [named] = await Promise.allSettled([this.#named]);
    if (named.status === 'fulfilled') await named.value?.close();
  }

  async #make(): Promise<JobQueue> {
    const queue = await this.#open(this.#naming.make);
    // Whoever only looked may have been asked first, and found nothing.
    return queue ?? this.#make();
  }

  /** One at a time, and only until there is one. */
  #open(how: () => Promise<JobQueue | undefined>): Promise<JobQueue | undefined> {
    this.#named ??= how().then(
      (queue) => {
        if (!queue) this.#named = undefined;
        return queue;
      },
      (error: unknown) => {
        this.#named = undefined;
        throw error;
      },
    );
    return this.#named;
  }
}
