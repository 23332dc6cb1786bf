import { type Clock, messageOf } from '../base/index.ts';
import { isIsolated } from './job-sessions.ts';
import type { OpenRun } from './worker.ts';

/** One that could not be opened, or broke, is tried again, but not with every job that is handed out, and each time later. */
const REFUSED_MS = 30_000;
/** Where nothing answered it is tried again much later: each time samples fail of it. */
export const GAVE_UP_MS = 600_000;
const REFUSED_MS_MAX = 600_000;
/** A run of which nothing came for this long is put to bed: its process has memory and keys. */
const IDLE_MS = 60_000;

export interface RunSessionsOptions {
  readonly clock: Clock;
  /** Undefined when there is no such run. */
  readonly open: (run: string) => Promise<OpenRun | undefined>;
  /** Told why it cannot work on a run, and in which round; without a reason it can again. */
  readonly onRefused: (run: string, reason: string | undefined, round?: number) => void;
}

interface Kept {
  readonly opening: Promise<OpenRun | undefined>;
  inUse: number;
  usedMs: number;
}

/** The runs that a worker has open: each is opened once, again when its process is gone, and closed when nothing more comes of it. */
export class RunSessions {
  readonly #options: RunSessionsOptions;
  readonly #kept = new Map<string, Kept>();
  readonly #refused = new Map<string, { readonly error: unknown; readonly untilMs: number }>();
  /** How often each was refused since something was last done for it. */
  readonly #refusals = new Map<string, number>();
  /** The latest of which something was asked for. */
  readonly #rounds = new Map<string, number>();

  constructor(options: RunSessionsOptions) {
    this.#options = options;
  }

  /** Throws when this worker cannot work on it. Whoever has it disposes of it. */
  async use(run: string, round: number): Promise<({ readonly session: OpenRun } & Disposable) | undefined> {
    this.#heed(run, round);
    const refused = this.#refused.get(run);
    if (refused && this.#nowMs() < refused.untilMs) throw refused.error;
    const kept = this.#keep(run);
    kept.inUse++;
    const leave = () => {
      kept.inUse--;
      kept.usedMs = this.#nowMs();
    };
    try {
      const session = await kept.opening;
      if (!session) {
        leave();
        return undefined;
      }
      if (session.isGone) {
        leave();
        if (this.#kept.get(run) === kept) {
          this.#kept.delete(run);
          // What does not heed that it is over is ended; how that went is told to its jobs.
          session.close?.().catch(() => undefined);
          if (!isIsolated(session) && session.failure) this.#refuse(run, session.failure);
        }
        return await this.use(run, round);
      }
      return { session, [Symbol.dispose]: leave };
    } catch (error) {
      if (this.#kept.get(run) === kept) this.#kept.delete(run);
      throw error;
    }
  }

  /** True when what came of the last try was that this worker cannot work on it. */
  isRefused(run: string): boolean {
    const refused = this.#refused.get(run);
    return refused !== undefined && this.#nowMs() < refused.untilMs;
  }

  /** Something was done for it: what was wrong before is over. */
  didWell(run: string): void {
    this.#refusals.delete(run);
  }

  /** Closes those that nobody used for a while. */
  async tidy(): Promise<void> {
    const idle = [...this.#kept].filter(
      ([, { inUse, usedMs }]) => inUse === 0 && this.#nowMs() - usedMs >= IDLE_MS,
    );
    await Promise.all(idle.map(([run, kept]) => this.#close(run, kept)));
  }

  /** Lets go of a session, once, and takes nothing of its run for a while. */
  async drop(run: string, session: OpenRun, reason: unknown, forMs?: number): Promise<void> {
    const kept = this.#kept.get(run);
    const [opened] = await Promise.allSettled([kept?.opening]);
    if (!kept || opened.status === 'rejected' || opened.value !== session) return;
    this.#refuse(run, reason, forMs);
    await this.#close(run, kept);
  }

  /** What was refused is tried again as soon as something comes of it. */
  forgive(run: string): void {
    this.#refused.delete(run);
    this.#options.onRefused(run, undefined);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#kept].map(([run, kept]) => this.#close(run, kept)));
  }

  async #close(run: string, { opening }: Kept): Promise<void> {
    this.#kept.delete(run);
    const [opened] = await Promise.allSettled([opening]);
    if (opened.status === 'fulfilled') await opened.value?.close?.();
  }

  #keep(run: string): Kept {
    const known = this.#kept.get(run);
    if (known) return known;
    const kept = { opening: this.#open(run), inUse: 0, usedMs: this.#nowMs() };
    this.#kept.set(run, kept);
    return kept;
  }

  async #open(run: string): Promise<OpenRun | undefined> {
    try {
      const session = await this.#options.open(run);
      this.forgive(run);
      return session;
    } catch (error) {
      this.#refuse(run, error);
      throw error;
    }
  }

  /** Each time for longer, unless it is said for how long. */
  #refuse(run: string, error: unknown, forMs?: number): void {
    const count = this.#refusals.get(run) ?? 0;
    this.#refusals.set(run, count + 1);
    const waitMs = forMs ?? Math.min(REFUSED_MS * 2 ** count, REFUSED_MS_MAX);
    this.#refused.set(run, { error, untilMs: this.#nowMs() + waitMs });
    this.#options.onRefused(run, messageOf(error), this.#rounds.get(run));
  }

  /** Whoever begins another round may have put right what was wrong: what was refused in the one before is tried anew. */
  #heed(run: string, round: number): void {
    const before = this.#rounds.get(run) ?? round;
    this.#rounds.set(run, Math.max(before, round));
    if (round <= before) return;
    this.#refusals.delete(run);
    if (this.#refused.has(run)) this.forgive(run);
  }

  #nowMs(): number {
    return this.#options.clock.monotonicMs();
  }
}
