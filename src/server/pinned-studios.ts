import type { Studio, StudioLease } from './studio.ts';

/** Each holds a list of runs and a git process. */
const KEPT_MAX = 3;

export interface PinnedStudiosOptions {
  readonly open: (commit: string) => Promise<Studio>;
  /** Told what fails when nobody waits for it. */
  readonly onBug: (error: unknown) => void;
}

interface Kept {
  readonly opening: Promise<Studio>;
  users: number;
}

/** The Studios of commits that were asked for last. One that is used is never closed; more than a few that nobody uses are not kept. */
export class PinnedStudios implements AsyncDisposable {
  readonly #options: PinnedStudiosOptions;
  /** In order of use. */
  readonly #kept = new Map<string, Kept>();
  readonly #closing = new Set<Promise<void>>();

  constructor(options: PinnedStudiosOptions) {
    this.#options = options;
  }

  /** Those who ask at the same time get the same. What could not be opened is tried anew by the next. */
  async lease(commit: string): Promise<StudioLease> {
    const kept = this.#kept.get(commit) ?? { opening: this.#options.open(commit), users: 0 };
    // Moved to the end: the map is in order of use.
    this.#kept.delete(commit);
    this.#kept.set(commit, kept);
    kept.users++;
    this.#makeRoom();
    let isOut = false;
    const leave = () => {
      if (isOut) return;
      isOut = true;
      kept.users--;
      this.#makeRoom();
    };
    try {
      return { studio: await kept.opening, [Symbol.dispose]: leave };
    } catch (error) {
      if (this.#kept.get(commit) === kept) this.#kept.delete(commit);
      leave();
      throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const commit of [...this.#kept.keys()]) this.#drop(commit);
    await Promise.all(this.#closing);
  }

  #makeRoom(): void {
    for (const [commit, { users }] of [...this.#kept]) {
      if (this.#kept.size <= KEPT_MAX) return;
      if (users === 0) this.#drop(commit);
    }
  }

  #drop(commit: string): void {
    const kept = this.#kept.get(commit);
    this.#kept.delete(commit);
    if (!kept) return;
    const closing = this.#close(kept).finally(() => this.#closing.delete(closing));
    this.#closing.add(closing);
  }

  async #close({ opening }: Kept): Promise<void> {
    // That it could not be opened was told to whoever asked.
    const studio = await opening.catch(() => undefined);
    try {
      await studio?.[Symbol.asyncDispose]();
    } catch (error) {
      this.#options.onBug(error);
    }
  }
}
