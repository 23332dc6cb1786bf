import type { Clock } from '../base/index.ts';
import type { CallPass } from '../targets/index.ts';
import type { KnownRuns } from './known-runs.ts';
import { patiently } from './patiently.ts';
import { spentOfPurse } from './purse.ts';
import type { RedisLimiter } from './redis-limiter.ts';
import { budgetOfRound, writeCancelled } from './rounds.ts';
import type { SharedPlace } from './shared-keys.ts';
import type { Submission } from './shared-records.ts';
import { spentOnRun } from './spent-on-run.ts';

export interface SessionLimitsOptions {
  readonly place: SharedPlace;
  readonly clock: Clock;
  readonly submission: Submission;
  readonly runs: KnownRuns;
  readonly limiter: Pick<RedisLimiter, 'enter' | 'forget'>;
  /** Which worker this is. */
  readonly by: string;
  readonly onProblem?: ((error: unknown) => void) | undefined;
}

export interface BudgetTold {
  readonly limitUsd: number | undefined;
  readonly spentUsd: number;
  readonly isExhausted: boolean;
}

/**
 * The limits of a run, as a worker keeps them for the process that runs its code: that one never hears where they are counted. Whoever finds
 * the budget used up cancels the round, and says why [SHR-18].
 */
export class SessionLimits {
  readonly #options: SessionLimitsOptions;
  readonly #over = new AbortController();
  #writer = '';
  #spentUsd = 0;
  #round = 0;
  #told: BudgetTold = { limitUsd: undefined, spentUsd: 0, isExhausted: false };
  #onTold: (told: BudgetTold) => void = () => undefined;

  constructor(options: SessionLimitsOptions) {
    this.#options = options;
  }

  /** The process is there, and its journal is this one's. */
  opened(writer: string, onTold: (told: BudgetTold) => void): void {
    this.#writer = writer;
    this.#onTold = onTold;
  }

  /** A job of this round comes: the budget is that of the latest. */
  async begin(round: number, signal: AbortSignal): Promise<void> {
    if (round <= this.#round) return;
    const { place, submission, clock } = this.#options;
    const limitUsd = await patiently(() => budgetOfRound(place, submission, round), { clock, signal });
    if (round <= this.#round) return;
    this.#round = round;
    this.#tell({ limitUsd, spentUsd: this.#told.spentUsd, isExhausted: false });
  }

  spend(usd: number | undefined): void {
    this.#spentUsd += usd ?? 0;
  }

  async enter(model: string, signal: AbortSignal): Promise<CallPass> {
    const { place, submission, limiter, runs } = this.#options;
    const { run, purse, work } = submission;
    const [round, budgetUsd] = [this.#round, this.#told.limitUsd];
    const entered = await limiter.enter(
      {
        ...{ run, purse, writer: this.#writer, model, budgetUsd, limit: work.limits?.[model] ?? {} },
        spentUsd: () => this.#spentUsd,
        rebuild: (stop) =>
          spentOfPurse(place, submission, (one) => spentOnRun(place, { run: one, runs, signal: stop })),
      },
      signal,
    );
    if (budgetUsd === undefined) return passOf(entered);
    const isSpent = entered.kind === 'spent';
    if (isSpent && (await this.#isRaised(round, budgetUsd, signal))) return await this.enter(model, signal);
    if (isSpent) await this.#cancel(round, budgetUsd);
    const { spentUsd } = entered;
    // A round that has begun meanwhile has a budget of its own.
    if (round === this.#round && (isSpent || !this.#told.isExhausted))
      this.#tell({ limitUsd: budgetUsd, spentUsd, isExhausted: isSpent });
    return passOf(entered);
  }

  /** Whoever resumed another run of the purse may have said another budget, for all of them [SHR-23]. */
  async #isRaised(round: number, budgetUsd: number, signal: AbortSignal): Promise<boolean> {
    const { place, submission, clock } = this.#options;
    if (submission.purse === undefined || round !== this.#round) return false;
    const limitUsd = await patiently(() => budgetOfRound(place, submission, round), { clock, signal });
    if (limitUsd !== undefined && limitUsd <= budgetUsd) return false;
    if (round === this.#round) this.#tell({ ...this.#told, limitUsd, isExhausted: false });
    return true;
  }

  /** The process is gone. */
  close(): void {
    this.#over.abort(new Error('The session is over'));
    if (this.#writer !== '') this.#options.limiter.forget(this.#options.submission.run, this.#writer);
  }

  /** Before the sample that met it is returned: it would be handed out again. */
  async #cancel(round: number, budgetUsd: number): Promise<void> {
    const { place, clock, submission, by, onProblem } = this.#options;
    const reason = `the budget of $${budgetUsd} is spent`;
    const words = { run: submission.run, round, by, reason, because: 'budget' } as const;
    try {
      const cancel = () => writeCancelled(place, { ...words, clock, letsFinish: true });
      await patiently(cancel, { clock, signal: this.#over.signal, onProblem });
    } catch (error) {
      if (!this.#over.signal.aborted) onProblem?.(error);
    }
  }

  #tell(told: BudgetTold): void {
    this.#told = told;
    this.#onTold(told);
  }
}

function passOf(entered: Awaited<ReturnType<RedisLimiter['enter']>>): CallPass {
  return entered.kind === 'in' ? entered : { leave: () => undefined };
}
