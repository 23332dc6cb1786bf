import type { Clock } from '../base/index.ts';

/** What one model may be asked, by all who work on the runs together. */
export interface CallLimit {
  /** Calls at a time. */
  readonly concurrency?: number | undefined;
  /** Calls that begin within any 60 seconds. */
  readonly perMinute?: number | undefined;
}

/** By the name of the model, or of whatever else is called: `openai/gpt-5`, `http/host`, `record/name`, `command/name`. */
export type CallLimits = Readonly<Record<string, CallLimit>>;

/**
 * CallLimiter: asked before each live call, after the gate of its model. Replays never ask. Every implementation passes
 * `test/contract/call-limiter.ts`:
 *
 * - [LIM-1] At most `concurrency` passes of one model are out at any time.
 * - [LIM-2] At most `perMinute` passes of one model are handed out within any 60 seconds.
 * - [LIM-3] Those who wait enter in the order in which they came; one that gives up, with its signal's reason, leaves the line.
 * - [LIM-4] A model without a limit waits for nobody.
 */
export interface CallLimiter {
  enter(model: string, signal?: AbortSignal): Promise<CallPass>;
}

export interface CallPass {
  /** The call is over. A second time changes nothing. */
  leave(): void;
}

export const MINUTE_MS = 60_000;

/** For the calls of one process. */
export function createCallLimiter(limits: CallLimits, clock: Clock): CallLimiter {
  const lines = new Map(Object.entries(limits).map(([model, limit]) => [model, new Line(limit, clock)]));
  return {
    async enter(model, signal) {
      signal?.throwIfAborted();
      return (await lines.get(model)?.enter(signal)) ?? { leave: () => undefined };
    },
  };
}

class Line {
  readonly #limit: CallLimit;
  readonly #clock: Clock;
  readonly #waiting = new Set<() => void>();
  /** When each pass of the last minute was handed out, the oldest first. */
  readonly #begun: number[] = [];
  #out = 0;
  #timer: Disposable | undefined;

  constructor(limit: CallLimit, clock: Clock) {
    this.#limit = limit;
    this.#clock = clock;
  }

  async enter(signal: AbortSignal | undefined): Promise<CallPass> {
    await new Promise<void>((resolve, reject) => {
      const giveUp = () => {
        this.#waiting.delete(admit);
        reject(signal?.reason);
      };
      const admit = () => {
        signal?.removeEventListener('abort', giveUp);
        resolve();
      };
      this.#waiting.add(admit);
      signal?.addEventListener('abort', giveUp, { once: true });
      this.#admit();
    });
    let isOut = true;
    return {
      leave: () => {
        if (!isOut) return;
        isOut = false;
        this.#out--;
        this.#admit();
      },
    };
  }

  #admit(): void {
    const { concurrency = Number.POSITIVE_INFINITY } = this.#limit;
    for (const admit of this.#waiting) {
      if (this.#out >= concurrency || !this.#hasRate()) return;
      this.#waiting.delete(admit);
      this.#out++;
      admit();
    }
  }

  /** Counts one more of this minute. When there is none left, whoever waits is looked at again when there is. */
  #hasRate(): boolean {
    const { perMinute } = this.#limit;
    if (perMinute === undefined) return true;
    const nowMs = this.#clock.monotonicMs();
    while (this.#begun[0] !== undefined && this.#begun[0] <= nowMs - MINUTE_MS) this.#begun.shift();
    if (this.#begun.length < perMinute) {
      this.#begun.push(nowMs);
      return true;
    }
    this.#timer ??= this.#clock.after((this.#begun[0] ?? nowMs) + MINUTE_MS - nowMs, () => {
      this.#timer = undefined;
      this.#admit();
    });
    return false;
  }
}
