import { type Clock, isUsdBeyond } from '../base/index.ts';
import type { SampleLimits } from '../evals/index.ts';
import { addUsage, type ModelUsage } from '../log/index.ts';
import { LimitExceeded } from './limit-exceeded.ts';
import { untilAborted } from './until-aborted.ts';

/**
 * Meter: counts what one attempt at a sample uses, and stops it at its limits.
 *
 * - [MET-1] A replayed answer counts towards the limits as it did when it was bought, so that a resumed sample ends where
 *   an uninterrupted one does; its cost is counted as saved, not as spent.
 * - [MET-2] Once a limit is exceeded every further model call throws the same LimitExceeded, even if user code swallowed
 *   the first one, and `signal` is aborted with it as the reason.
 * - [MET-3] Working time is the time since the start minus the time in which the sample only waited for its turn at a
 *   model or for a retry.
 * - [MET-4] Calls that are under way count towards the turn limit from the moment they are admitted. One that would go
 *   beyond a limit waits for them: when one fails its place is free again, and else the limit is exceeded only after
 *   all of them were answered, since they are paid for.
 */
export interface SampleMeter extends Disposable {
  /** Aborted at a time limit, or when the signal it was made with is. The reason says which. */
  readonly signal: AbortSignal;
  readonly exceeded: LimitExceeded | undefined;
  readonly totals: MeterTotals;
  /** Rejects when one more call would go beyond the turn or the message limit. */
  admitModelCall(promptMessageCount: number): Promise<AdmittedCall>;
  /** Once a limit is met, calls that are under way are let finish: they are paid for, and their answers are kept. */
  callsEnded(): Promise<void>;
  /** Counts an answer that is already durable; throws when it went beyond the token or cost limit. */
  countModelCall(call: CountedCall): void;
  /** An answer of something that is no chat model, or that nobody knows for one. */
  countCall(call: CountedCall): void;
  /** A call that failed for good. */
  countFailedCall(): void;
  /** Calls that failed and were then made again with success, by somebody's own retries. */
  forgiveFailedCalls(count: number): void;
  /** What an agent outside of our sight (a command) reports about itself. */
  countReported(call: CountedCall): void;
  /** Runs `wait`, whose time does not count as working time. */
  whileWaiting<T>(wait: () => Promise<T>): Promise<T>;
  /** Runs `work`; while it is under way the waiting of others does not stop the working clock. */
  whileWorking<T>(work: () => Promise<T>): Promise<T>;
  /** Aborts the sample for a reason that user code must not be able to swallow. */
  stop(reason: unknown): void;
  elapsedMs(): number;
  workingMs(): number;
  usageByModel(): Readonly<Record<string, ModelUsage>>;
  /**
   * From here on nothing is limited, and `signal` is aborted only from outside: the target is done, and scoring is not
   * part of what is limited.
   */
  lift(): void;
}

/** A call that was let through. Whoever got it says once what became of it. */
export interface AdmittedCall {
  /** Like `countModelCall`. */
  count(call: CountedCall): void;
  /** It gave no answer: its place is free. After `count` it does nothing. */
  giveBack(): void;
}

export interface CountedCall {
  readonly model: string;
  readonly usage: ModelUsage;
  /** Undefined when the price is unknown. */
  readonly costUsd: number | undefined;
  readonly isReplayed: boolean;
  /** How many messages the conversation has with this answer. */
  readonly messageCount?: number;
}

export interface MeterTotals {
  readonly tokens: number;
  readonly turns: number;
  readonly messages: number;
  /** Answers that were asked for and came. */
  readonly boughtCalls: number;
  readonly replayedCalls: number;
  /** Calls that failed for good: what was answered before them can be given again. */
  readonly failedCalls: number;
  readonly spentUsd: number;
  readonly savedUsd: number;
  readonly savedTokens: number;
  /** How many calls had no known price: `spentUsd` is then a lower bound. */
  readonly unpricedCalls: number;
  /** How many of these were replayed: `savedUsd` is then a lower bound. */
  readonly unpricedReplays: number;
}

export interface SampleMeterOptions {
  readonly clock: Clock;
  readonly signal?: AbortSignal;
}

export function createSampleMeter(limits: SampleLimits, options: SampleMeterOptions): SampleMeter {
  return new LimitedMeter(limits, options);
}

/** The same meter with a signal that is aborted for one more reason. */
export function meterUntil(meter: SampleMeter, signal: AbortSignal): SampleMeter {
  const either = AbortSignal.any([meter.signal, signal]);
  return {
    signal: either,
    get exceeded() {
      return meter.exceeded;
    },
    get totals() {
      return meter.totals;
    },
    async admitModelCall(promptMessageCount) {
      either.throwIfAborted();
      return await meter.admitModelCall(promptMessageCount);
    },
    callsEnded: () => meter.callsEnded(),
    countModelCall: (call) => meter.countModelCall(call),
    countCall: (call) => meter.countCall(call),
    countFailedCall: () => meter.countFailedCall(),
    forgiveFailedCalls: (count) => meter.forgiveFailedCalls(count),
    countReported: (call) => meter.countReported(call),
    whileWaiting: (wait) => meter.whileWaiting(wait),
    whileWorking: (work) => meter.whileWorking(work),
    stop: (reason) => meter.stop(reason),
    elapsedMs: () => meter.elapsedMs(),
    workingMs: () => meter.workingMs(),
    usageByModel: () => meter.usageByModel(),
    lift: () => meter.lift(),
    [Symbol.dispose]: () => undefined,
  };
}

/** A reason of our own: making the default one, an exception with a stack, takes longer than all else here. */
const STOPPED = 'the meter was stopped';

class LimitedMeter implements SampleMeter {
  readonly #outer: AbortSignal;
  readonly #clock: Clock;
  readonly #startedMs: number;
  readonly #abort = new AbortController();
  readonly #timers = new AbortController();
  readonly #usage = new Map<string, ModelUsage>();
  #signal: AbortSignal;
  #limits: SampleLimits;
  #exceeded: LimitExceeded | undefined;
  #totals = {
    tokens: 0,
    turns: 0,
    messages: 0,
    boughtCalls: 0,
    replayedCalls: 0,
    failedCalls: 0,
    spentUsd: 0,
    savedUsd: 0,
    savedTokens: 0,
    unpricedCalls: 0,
    unpricedReplays: 0,
  };
  #underWay = 0;
  #nextEnd = Promise.withResolvers<void>();
  #waits = 0;
  #works = 0;
  #waitedMs = 0;
  #waitingSinceMs: number | undefined;

  constructor(limits: SampleLimits, { clock, signal }: SampleMeterOptions) {
    this.#limits = limits;
    this.#clock = clock;
    this.#startedMs = clock.monotonicMs();
    this.#outer = signal ?? new AbortController().signal;
    this.#signal = AbortSignal.any([this.#outer, this.#abort.signal]);
    if (limits.timeMs !== undefined) this.#watch('time', limits.timeMs, () => this.elapsedMs());
    if (limits.workingMs !== undefined) this.#watch('working', limits.workingMs, () => this.workingMs());
  }

  get signal(): AbortSignal {
    return this.#signal;
  }

  get exceeded(): LimitExceeded | undefined {
    return this.#exceeded;
  }

  get totals(): MeterTotals {
    return { ...this.#totals };
  }

  async admitModelCall(promptMessageCount: number): Promise<AdmittedCall> {
    for (;;) {
      if (this.#exceeded) throw this.#exceeded;
      this.#signal.throwIfAborted();
      const isOver =
        isBeyond(this.#limits.turns, this.#totals.turns + this.#underWay + 1) ||
        isBeyond(this.#limits.messages, promptMessageCount + 1);
      if (!isOver) return this.#admitted();
      if (this.#underWay === 0) {
        this.#check('turn', this.#limits.turns, this.#totals.turns + 1);
        this.#check('message', this.#limits.messages, promptMessageCount + 1);
      }
      await untilAborted(this.#signal, () => this.#nextEnd.promise);
    }
  }

  async callsEnded(): Promise<void> {
    while (this.#underWay > 0) await this.#nextEnd.promise;
  }

  countModelCall(call: CountedCall): void {
    this.#totals.turns++;
    if (!call.isReplayed) this.#totals.boughtCalls++;
    this.countReported(call);
  }

  countCall(call: CountedCall): void {
    if (!call.isReplayed) this.#totals.boughtCalls++;
    this.countReported(call);
  }

  countFailedCall(): void {
    this.#totals.failedCalls++;
  }

  forgiveFailedCalls(count: number): void {
    this.#totals.failedCalls -= count;
  }

  countReported({ model, usage, costUsd, isReplayed, messageCount = 0 }: CountedCall): void {
    const totals = this.#totals;
    const priced = costUsd === undefined ? usage : { ...usage, total_cost: costUsd };
    this.#usage.set(model, addUsage(this.#usage.get(model), priced));
    totals.tokens += usage.total_tokens;
    totals.messages = Math.max(totals.messages, messageCount);
    if (costUsd === undefined) totals.unpricedCalls++;
    if (isReplayed) {
      totals.replayedCalls++;
      totals.savedTokens += usage.total_tokens;
      totals.savedUsd += costUsd ?? 0;
      if (costUsd === undefined) totals.unpricedReplays++;
    } else totals.spentUsd += costUsd ?? 0;
    this.#check('token', this.#limits.tokens, totals.tokens);
    this.#check('cost', this.#limits.costUsd, totals.spentUsd + totals.savedUsd);
  }

  stop(reason: unknown): void {
    this.#abort.abort(reason);
  }

  async whileWaiting<T>(wait: () => Promise<T>): Promise<T> {
    this.#shift(1, 0);
    try {
      return await wait();
    } finally {
      this.#shift(-1, 0);
    }
  }

  async whileWorking<T>(work: () => Promise<T>): Promise<T> {
    this.#shift(0, 1);
    try {
      return await work();
    } finally {
      this.#shift(0, -1);
    }
  }

  elapsedMs(): number {
    return this.#clock.monotonicMs() - this.#startedMs;
  }

  workingMs(): number {
    const openWait =
      this.#waitingSinceMs === undefined ? 0 : this.#clock.monotonicMs() - this.#waitingSinceMs;
    return this.elapsedMs() - this.#waitedMs - openWait;
  }

  usageByModel(): Readonly<Record<string, ModelUsage>> {
    return Object.fromEntries(this.#usage);
  }

  lift(): void {
    this.#limits = {};
    this.#exceeded = undefined;
    this.#signal = this.#outer;
    this.#timers.abort(STOPPED);
  }

  [Symbol.dispose](): void {
    this.#timers.abort(STOPPED);
  }

  #admitted(): AdmittedCall {
    this.#underWay++;
    let isUnderWay = true;
    const end = () => {
      if (!isUnderWay) return;
      isUnderWay = false;
      this.#underWay--;
      if (this.#exceeded && this.#underWay === 0) this.#abort.abort(this.#exceeded);
      this.#nextEnd.resolve();
      this.#nextEnd = Promise.withResolvers();
    };
    return {
      count: (call) => {
        end();
        this.countModelCall(call);
      },
      giveBack: end,
    };
  }

  #check(type: 'turn' | 'message' | 'token' | 'cost', limit: number | undefined, used: number): void {
    const isOver = type === 'cost' ? limit !== undefined && isUsdBeyond(used, limit) : isBeyond(limit, used);
    if (limit === undefined || !isOver) return;
    this.#exceeded ??= new LimitExceeded(type, limit, used);
    // Calls at the same time are on their way, and cost what they cost: they end first. No other is let through.
    if (this.#underWay === 0) this.#abort.abort(this.#exceeded);
    throw this.#exceeded;
  }

  /** Time is up for calls that are under way as well. */
  #exceed(error: LimitExceeded): void {
    this.#exceeded ??= error;
    this.#abort.abort(this.#exceeded);
  }

  #watch(type: 'time' | 'working', limitMs: number, usedMs: () => number): void {
    const watch = async () => {
      while (usedMs() < limitMs) {
        // A working limit cannot be reached sooner than this, and is looked at again after each wait.
        await this.#clock.sleep(Math.max(1, limitMs - usedMs()), this.#timers.signal);
      }
      this.#exceed(new LimitExceeded(type, limitMs / 1_000, usedMs() / 1_000));
    };
    // The only way for a sleep to fail is that the timers are stopped.
    watch().catch(() => undefined);
  }

  /** Keeps the account of waiting while the number of waits and works under way changes. */
  #shift(waits: number, works: number): void {
    const nowMs = this.#clock.monotonicMs();
    if (this.#waitingSinceMs !== undefined) this.#waitedMs += nowMs - this.#waitingSinceMs;
    this.#waits += waits;
    this.#works += works;
    this.#waitingSinceMs = this.#waits > 0 && this.#works === 0 ? nowMs : undefined;
  }
}

function isBeyond(limit: number | undefined, used: number): boolean {
  return limit !== undefined && used > limit;
}
