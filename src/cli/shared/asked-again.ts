import { ActionableError, type Clock } from '../../base/index.ts';

/** How long what looks bad is looked at before it is believed: workers are started again, buckets come back. */
export const DOUBT_MS = 60_000;

export interface AskedAgainOptions {
  readonly what: 'bucket' | 'queue';
  readonly note: (text: string) => void;
  readonly clock: Clock;
  /** After how long it is not waited for any more. */
  readonly patienceMs?: number;
  /** What it refuses for good is said in the same way: nothing ends with it. */
  readonly isDispensable?: true;
}

/** Asks what may be away for a while again and again; that it is away is said once, and that it is back. */
export class AskedAgain {
  readonly #options: AskedAgainOptions;
  #awaySinceMs: number | undefined;

  constructor(options: AskedAgainOptions) {
    this.#options = options;
  }

  /** Undefined while it is away. */
  async ask<T>(look: () => Promise<T>): Promise<T | undefined> {
    const { what, note, clock, isDispensable, patienceMs = Number.POSITIVE_INFINITY } = this.#options;
    try {
      const seen = await look();
      if (this.#awaySinceMs !== undefined) note(`The ${what} is back.`);
      this.#awaySinceMs = undefined;
      return seen;
    } catch (error) {
      if (!(error instanceof ActionableError && (error.retryable || isDispensable))) throw error;
      const nowMs = clock.monotonicMs();
      if (this.#awaySinceMs === undefined) note(`${error.message} It is asked again.`);
      this.#awaySinceMs ??= nowMs;
      if (nowMs - this.#awaySinceMs >= patienceMs) throw error;
      return undefined;
    }
  }
}
