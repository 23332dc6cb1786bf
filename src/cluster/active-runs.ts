import { type Clock, DamageError } from '../base/index.ts';
import type { JobQueue } from './job-queue.ts';
import type { KnownRuns } from './known-runs.ts';
import { enqueueDue } from './reconcile.ts';
import { type ActiveHint, activePrefix, parseActiveKey, type SharedPlace } from './shared-keys.ts';

export interface ActiveRunsOptions {
  readonly place: SharedPlace;
  readonly queue: JobQueue;
  readonly clock: Clock;
  readonly onProblem?: ((error: unknown) => void) | undefined;
}

/** Of a large run that takes a while: it is not looked at for more than a tenth of the time. */
const LOOK_SHARE = 10;

/** The runs that may have something due, as a worker with nothing to do looks at them: what the queue has lost of them is put into it. */
export class ActiveRuns {
  readonly #options: ActiveRunsOptions;
  readonly #runs: KnownRuns;
  #isLooking = false;
  #lookAgainMs = Number.NEGATIVE_INFINITY;

  constructor(options: ActiveRunsOptions, runs: KnownRuns) {
    this.#options = options;
    this.#runs = runs;
  }

  /** Looks, unless somebody does, or it took long the last time. */
  look(): void {
    const { clock, onProblem } = this.#options;
    const startedMs = clock.monotonicMs();
    if (this.#isLooking || startedMs < this.#lookAgainMs) return;
    this.#isLooking = true;
    this.#lookAtAll()
      .catch((error: unknown) => onProblem?.(error))
      .finally(() => {
        this.#isLooking = false;
        this.#lookAgainMs = startedMs + LOOK_SHARE * (clock.monotonicMs() - startedMs);
      });
  }

  async #lookAtAll(): Promise<void> {
    const { place, onProblem } = this.#options;
    const folder = activePrefix(place.prefix);
    const active = new Set<string>();
    for await (const { key } of place.bucket.list(folder)) {
      const hint = parseActiveKey(key);
      if (!hint) continue;
      try {
        if (await this.#isActive(hint)) active.add(hint.run);
        else await place.bucket.remove(key);
      } catch (error) {
        // One that is damaged does not keep the others from being found.
        if (!(error instanceof DamageError)) throw error;
        onProblem?.(error);
      }
    }
    this.#runs.keepOnly(active);
  }

  /** Puts into the queue what is due of it; false when the round is over, and the hint tells nothing any more. */
  async #isActive({ run, round }: ActiveHint): Promise<boolean> {
    const shared = await this.#runs.look(run);
    // Somebody may be about to submit it.
    if (!shared) return true;
    // The hint of a round comes before the round: it is not past because the one before is.
    // What is damaged may be restored [SHR-24]: then somebody must see that it is due.
    const isOver = shared.round === round && (shared.isSettled || shared.isCancelled);
    if (isOver || shared.round > round) return false;
    await enqueueDue(shared, this.#options.queue);
    return true;
  }
}
