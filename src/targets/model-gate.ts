import type { Clock } from '../base/index.ts';

/**
 * Gate: how many calls to one model run at a time. The limit follows the provider: it grows while calls succeed, halves
 * when the provider says it is overloaded, and stays between 1 and the run's concurrency.
 *
 * - [GATE-1] At most `limit` passes are out at any time, except just after the limit was lowered.
 * - [GATE-2] Waiting callers enter in the order in which they came; one that gives up leaves the queue.
 */
export interface ModelGate {
  readonly model: string;
  readonly limit: number;
  readonly active: number;
  readonly waiting: number;
  /** In the shape of the log's `stats.connection_limit_history`. */
  readonly history: readonly LimitChange[];
  enter(signal?: AbortSignal): Promise<GatePass>;
}

export interface GatePass {
  /** Once: what became of the call decides whether the limit grows or shrinks. */
  leave(outcome: 'succeeded' | 'overloaded' | 'failed'): void;
}

export interface LimitChange {
  /** Seconds since 1970. */
  readonly timestamp: number;
  readonly model: string;
  readonly old_limit: number;
  readonly new_limit: number;
  readonly reason: LimitChangeReason;
}

/** Inspect's words; its fourth, `manual`, is for a limit that a person sets while the run goes on. */
export type LimitChangeReason = 'slow_start' | 'steady_state_up' | 'rate_limit';

export interface ModelGateOptions {
  readonly model: string;
  readonly clock: Clock;
  readonly limitMax: number;
  /** Where the limit starts; default 10. */
  readonly limitStart?: number;
}

export function createModelGate(options: ModelGateOptions): ModelGate {
  return new AdaptiveGate(options);
}

const LIMIT_START = 10;
/** Histories go into the log's header; a provider that flaps for hours must not fill it. */
const HISTORY_MAX = 1_000;

interface Waiter {
  admit(): void;
}

class AdaptiveGate implements ModelGate {
  readonly model: string;
  readonly history: LimitChange[] = [];
  readonly #clock: Clock;
  readonly #limitMax: number;
  readonly #queue = new Set<Waiter>();
  #limit: number;
  #active = 0;
  #successes = 0;
  #wasOverloaded = false;
  /** Passes handed out before the last decrease say nothing about the new limit. */
  #generation = 0;

  constructor({ model, clock, limitMax, limitStart = LIMIT_START }: ModelGateOptions) {
    this.model = model;
    this.#clock = clock;
    this.#limitMax = Math.max(1, Math.floor(limitMax));
    this.#limit = Math.min(Math.max(1, Math.floor(limitStart)), this.#limitMax);
  }

  get limit(): number {
    return this.#limit;
  }

  get active(): number {
    return this.#active;
  }

  get waiting(): number {
    return this.#queue.size;
  }

  async enter(signal?: AbortSignal): Promise<GatePass> {
    signal?.throwIfAborted();
    if (this.#active >= this.#limit || this.#queue.size > 0) await this.#wait(signal);
    else this.#active++;
    return this.#pass();
  }

  #wait(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const giveUp = () => {
        this.#queue.delete(waiter);
        reject(signal?.reason);
      };
      const waiter: Waiter = {
        admit: () => {
          signal?.removeEventListener('abort', giveUp);
          resolve();
        },
      };
      this.#queue.add(waiter);
      signal?.addEventListener('abort', giveUp, { once: true });
    });
  }

  #pass(): GatePass {
    const generation = this.#generation;
    let isOut = true;
    return {
      leave: (outcome) => {
        if (!isOut) return;
        isOut = false;
        const wasFull = this.#active >= this.#limit;
        this.#active--;
        if (outcome === 'succeeded') this.#grow(wasFull);
        else if (outcome === 'overloaded' && generation === this.#generation) this.#shrink();
        this.#admitNext();
      },
    };
  }

  #admitNext(): void {
    for (const waiter of this.#queue) {
      if (this.#active >= this.#limit) return;
      this.#queue.delete(waiter);
      this.#active++;
      waiter.admit();
    }
  }

  /** Doubles each round until the first overload, then adds one for each full round of successes. */
  #grow(wasFull: boolean): void {
    if (!wasFull || this.#limit >= this.#limitMax) return;
    this.#successes++;
    if (this.#wasOverloaded && this.#successes < this.#limit) return;
    this.#successes = 0;
    this.#change(this.#limit + 1, this.#wasOverloaded ? 'steady_state_up' : 'slow_start');
  }

  #shrink(): void {
    this.#generation++;
    this.#successes = 0;
    this.#wasOverloaded = true;
    this.#change(Math.max(1, Math.floor(this.#limit / 2)), 'rate_limit');
  }

  #change(limit: number, reason: LimitChangeReason): void {
    if (limit === this.#limit) return;
    if (this.history.length < HISTORY_MAX) {
      const timestamp = this.#clock.nowMs() / 1_000;
      this.history.push({ timestamp, model: this.model, old_limit: this.#limit, new_limit: limit, reason });
    }
    this.#limit = limit;
  }
}
