import type { SharedPlace } from './shared-keys.ts';
import { SharedRun } from './shared-run.ts';

interface Known {
  shared: SharedRun | undefined;
  /** Resolves when the last look that was asked for is over, however it ended. */
  looking: Promise<unknown>;
}

/** Shared runs that one process looks at again and again: each is read once, and from then on only what is new of it. */
export class KnownRuns {
  readonly #place: SharedPlace;
  readonly #runs = new Map<string, Known>();

  constructor(place: SharedPlace) {
    this.#place = place;
  }

  /** As the bucket has it when this is called; undefined when there is no such run. */
  look(run: string): Promise<SharedRun | undefined> {
    const known = this.#runs.get(run) ?? { shared: undefined, looking: Promise.resolve() };
    this.#runs.set(run, known);
    // One look at a time: two of them would read the same.
    const look = known.looking.then(() => this.#read(run, known));
    known.looking = look.catch(() => undefined); // Told to whoever asked for it.
    return look;
  }

  /** Forgets all but these: a run that is over has no more news, and its leases take room. */
  keepOnly(runs: ReadonlySet<string>): void {
    for (const run of this.#runs.keys()) if (!runs.has(run)) this.#runs.delete(run);
  }

  async #read(run: string, known: Known): Promise<SharedRun | undefined> {
    const { shared } = known;
    if (!shared) known.shared = await SharedRun.open(this.#place, run);
    else {
      await shared.refresh();
      // Of a run that is being removed leases are missing: what they held is not due. One that is complete stays so.
      if (!shared.isComplete && !(await shared.isThere())) known.shared = undefined;
    }
    return known.shared;
  }
}
