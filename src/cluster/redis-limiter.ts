import type { Redis } from 'ioredis';
import { type Clock, type Random, shortId } from '../base/index.ts';
import type { CallLimit } from '../targets/index.ts';
import { ENTER, LEAVE, REBUILT, RENEW, SPENT } from './limiter-scripts.ts';
import { explainQueueError, queueErrors } from './queue-errors.ts';
import type { RedisAddress } from './redis-address.ts';
import { connectTo, type Engine, hangUp } from './redis-client.ts';
import { settlesWithin } from './settles-within.ts';

/** One call of one run, before it is made. */
export interface AskedCall {
  readonly run: string;
  /** Whose money it is, when several runs have one budget. */
  readonly purse?: string | undefined;
  /** Whose journal will hold the answer. */
  readonly writer: string;
  readonly model: string;
  readonly limit: CallLimit;
  readonly budgetUsd: number | undefined;
  /** What this writer has spent by now. */
  readonly spentUsd: () => number;
  /** What the bucket knows was spent on the run: by fields of the hash. */
  readonly rebuild: (signal: AbortSignal) => Promise<ReadonlyMap<string, number>>;
}

export type Entered =
  | { readonly kind: 'in'; readonly spentUsd: number; readonly leave: () => void }
  /** The budget is used up: the call must not be made. */
  | { readonly kind: 'spent'; readonly spentUsd: number };

export interface LimiterTimes {
  /** How long a pass lasts when nobody renews it: that of a worker which was killed comes back then. */
  readonly passMs: number;
  readonly renewMs: number;
  /** [QLIM-6] How long a Redis that knows nothing listens to those who have passes, before it gives any. */
  readonly graceMs: number;
}

export interface RedisLimiterOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** Told once when Redis does not answer, and once more when it was back meanwhile. */
  readonly onProblem?: ((error: unknown) => void) | undefined;
  readonly times?: Partial<LimiterTimes> | undefined;
}

const TIMES: LimiterTimes = { passMs: 12_000, renewMs: 3_000, graceMs: 5_000 };
/** Nothing stays for ever: keys that nobody asks for go. */
const KEEP_MS = 24 * 60 * 60 * 1_000;
const REBUILD_MS = 15_000;
const MINUTE_MS = 60_000;
/** When nothing came for so long, people hear that spending pauses. */
const SILENT_MS = 2_000;
const AGAIN_MS = 1_000;

type Spender = Pick<AskedCall, 'run' | 'purse' | 'writer' | 'spentUsd'>;

interface Held {
  readonly id: string;
  readonly passes: string;
  readonly isCounted: boolean;
}

/**
 * Limits of calls over all workers of a queue: passes, rates and money are counted in Redis, by scripts, so that each question is one round trip.
 * While Redis is away nobody gets in. One that came back empty lets nobody in before the money of the run was counted in the bucket,
 * and those who have passes have had time to say so.
 */
export class RedisLimiter {
  readonly #address: RedisAddress;
  readonly #options: RedisLimiterOptions;
  readonly #redis: Redis;
  readonly #times: LimiterTimes;
  readonly #out = new Map<string, Held>();
  /** Passes of the last minute, by the key that counts them. */
  readonly #begun = new Map<string, Map<string, number>>();
  /** What the writers of this process have spent, by run. */
  readonly #spenders = new Map<string, Spender>();
  readonly #lines = new Map<string, Promise<void>>();
  readonly #timer: Disposable;
  #since: number | undefined;
  #isTold = false;

  constructor(address: RedisAddress, engine: Engine, options: RedisLimiterOptions) {
    this.#address = address;
    this.#options = options;
    this.#times = { ...TIMES, ...options.times };
    this.#redis = connectTo(address, engine, true);
    this.#redis.on('ready', () => this.#renewAll());
    this.#timer = options.clock.every(this.#times.renewMs, () => this.#renewAll());
  }

  /** Resolves when the call may be made, or must not be; rejects with the reason of the signal, and with nothing else. */
  async enter(call: AskedCall, signal: AbortSignal): Promise<Entered> {
    signal.throwIfAborted();
    const { model, limit, budgetUsd } = call;
    if (budgetUsd !== undefined) this.#spenders.set(`${call.run} ${call.writer}`, call);
    const isLined = limit.concurrency !== undefined || limit.perMinute !== undefined;
    if (!isLined && budgetUsd === undefined) return { kind: 'in', spentUsd: 0, leave: () => undefined };
    if (!isLined) return await this.#ask(call, signal);
    // One at a time asks for a model of a run: whoever came first enters first.
    const name = `${call.run} ${model}`;
    const before = this.#lines.get(name) ?? Promise.resolve();
    const own = Promise.withResolvers<void>();
    const line = before.then(() => own.promise);
    this.#lines.set(name, line);
    try {
      await orAborted(before, signal);
      return await this.#ask(call, signal);
    } finally {
      own.resolve();
      if (this.#lines.get(name) === line) this.#lines.delete(name);
    }
  }

  /** A writer that is gone spends nothing more: what it spent is told a last time. */
  forget(run: string, writer: string): void {
    const name = `${run} ${writer}`;
    const spender = this.#spenders.get(name);
    this.#spenders.delete(name);
    if (spender) this.#tellSpent(spender);
  }

  close(): void {
    this.#timer[Symbol.dispose]();
    hangUp(this.#redis);
  }

  async #ask(call: AskedCall, signal: AbortSignal): Promise<Entered> {
    const id = shortId(this.#options.random);
    for (;;) {
      const { kind, spentUsd, waitMs } = await this.#tryOnce(id, call, signal);
      if (kind === 'in') return { kind, spentUsd, leave: () => this.#leave(id, call) };
      if (kind === 'spent') return { kind, spentUsd };
      if (kind === 'rebuild') await this.#rebuild(call, signal);
      else await this.#options.clock.sleep(waitMs, signal);
    }
  }

  /** Whoever gives up while Redis is away gives back what it may have been given. */
  async #tryOnce(id: string, call: AskedCall, signal: AbortSignal) {
    const { passMs, graceMs } = this.#times;
    const { model, limit, budgetUsd } = call;
    const keys = this.#keysOf(purseOf(call), model);
    const asked = this.#eval(
      ENTER,
      [keys.since, keys.spent, keys.rebuilding, keys.passes, keys.begun],
      [KEEP_MS, id, call.writer, call.spentUsd(), budgetUsd ?? '', limit.concurrency ?? ''].concat([
        limit.perMinute ?? '',
        passMs,
        graceMs,
        REBUILD_MS,
      ]),
    );
    const answer = await orAborted(this.#orTold(asked), signal).catch((error: unknown) => {
      if (!signal.aborted) return this.#trouble(error);
      void asked.then(() => this.#leave(id, call)).catch(() => undefined); // What Redis does not hear runs out.
      throw error;
    });
    const [kind, spentUsd, since, waitMs] = answer as [string, string, number, number];
    if (kind === 'in') this.#keep(id, call);
    this.#hearSince(since);
    return { kind, spentUsd: Number(spentUsd), waitMs };
  }

  /** Whatever it is that Redis says, nothing is spent while it does. */
  #trouble(error: unknown): [string, string, number | undefined, number] {
    this.#tell(explainQueueError(error, this.#address));
    return ['wait', '0', this.#since, AGAIN_MS];
  }

  #keep(id: string, call: AskedCall): void {
    const { model, limit } = call;
    const { passes, begun } = this.#keysOf(purseOf(call), model);
    this.#out.set(id, { id, passes, isCounted: limit.concurrency !== undefined });
    if (limit.perMinute === undefined) return;
    const nowMs = this.#options.clock.monotonicMs();
    const known = this.#begun.get(begun) ?? new Map<string, number>();
    for (const [one, atMs] of known) if (nowMs - atMs > MINUTE_MS) known.delete(one);
    this.#begun.set(begun, known.set(id, nowMs));
  }

  #leave(id: string, call: AskedCall): void {
    const { model, writer, budgetUsd } = call;
    this.#out.delete(id);
    const { passes, spent } = this.#keysOf(purseOf(call), model);
    const usd = budgetUsd === undefined ? '' : call.spentUsd();
    this.#quietly(this.#eval(LEAVE, [passes, spent], [KEEP_MS, id, writer, usd]));
  }

  async #rebuild(call: AskedCall, signal: AbortSignal): Promise<void> {
    const { rebuilding, spent } = this.#keysOf(purseOf(call), call.model);
    try {
      const costs = await call.rebuild(signal);
      const pairs = [...costs].flat();
      await orAborted(this.#orTold(this.#eval(REBUILT, [rebuilding, spent], [KEEP_MS, ...pairs])), signal);
    } catch (error) {
      signal.throwIfAborted();
      // Somebody tries it again when the time for it has run out.
      this.#options.onProblem?.(error);
    }
  }

  /** What this process has, again: it runs out otherwise, and a Redis that came back empty has forgotten it. */
  #renewAll(): void {
    if (this.#redis.status !== 'ready') return;
    for (const spender of this.#spenders.values()) this.#tellSpent(spender);
    const out = Map.groupBy(
      [...this.#out.values()].filter(({ isCounted }) => isCounted),
      ({ passes }) => passes,
    );
    for (const [passes, held] of out) this.#renew(passes, { ids: held.map(({ id }) => id) });
  }

  #renew(
    passes: string,
    { ids, begun = [] }: { ids: readonly string[]; begun?: readonly (string | number)[] },
  ): void {
    const begunKey = passes.replace(/:passes$/, ':begun');
    const args = [KEEP_MS, this.#times.passMs, ids.length, ...ids, ...begun];
    const renewed = this.#eval(RENEW, [this.#sinceKey, passes, begunKey], args);
    this.#quietly(renewed.then((since) => this.#hearSince(since)));
  }

  #tellSpent(spender: Spender): void {
    const { writer, spentUsd } = spender;
    const { since, spent } = this.#keysOf(purseOf(spender), '');
    const told = this.#eval(SPENT, [since, spent], [KEEP_MS, writer, spentUsd()]);
    this.#quietly(told.then((since) => this.#hearSince(since)));
  }

  /** Another Redis, or one that forgot: it hears which calls were begun in the last minute, as well. */
  #hearSince(since: unknown): void {
    if (typeof since !== 'number' || since === this.#since) return;
    const isFirst = this.#since === undefined;
    this.#since = since;
    if (isFirst) return;
    const nowMs = this.#options.clock.monotonicMs();
    for (const [key, calls] of this.#begun) {
      const begun = [...calls].flatMap(([id, atMs]) =>
        nowMs - atMs < MINUTE_MS ? [id, Math.round(nowMs - atMs)] : [],
      );
      this.#renew(key.replace(/:begun$/, ':passes'), { ids: [], begun });
    }
    this.#renewAll();
  }

  async #orTold<T>(asked: Promise<T>): Promise<T> {
    const { clock } = this.#options;
    if (!(await settlesWithin(asked, SILENT_MS, clock)))
      this.#tell(queueErrors.away(this.#address, 'nothing more is spent until it does'));
    const answer = await asked;
    this.#isTold = false;
    return answer;
  }

  #tell(error: unknown): void {
    if (!this.#isTold) this.#options.onProblem?.(error);
    this.#isTold = true;
  }

  /** It is told again, or runs out. */
  #quietly(asked: Promise<unknown>): void {
    asked.catch(() => undefined);
  }

  #eval(script: string, keys: readonly string[], args: readonly (string | number)[]): Promise<unknown> {
    return this.#redis.eval(script, keys.length, ...keys, ...args);
  }

  get #sinceKey(): string {
    return `${this.#address.prefix}:limits-v1:since`;
  }

  /** Money is of a run, or of several that share it; calls are of a model, in whatever run: a provider does not tell them apart. */
  #keysOf(purse: string, model: string) {
    const root = `${this.#address.prefix}:limits-v1`;
    return {
      since: this.#sinceKey,
      spent: `${root}:run:${purse}:spent`,
      rebuilding: `${root}:run:${purse}:rebuilding`,
      passes: `${root}:model:${model}:passes`,
      begun: `${root}:model:${model}:begun`,
    };
  }
}

function purseOf({ run, purse = run }: Spender): string {
  return purse;
}

/** What is waited for may go on without whoever has given up. */
async function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const stop = () => reject(signal.reason);
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
