import type { Budget } from '../targets/index.ts';

/** A budget that another process keeps: what is spent here is told there, and whether anything is left is told from there. */
export class ToldBudget implements Budget {
  readonly limitUsd: number | undefined;
  readonly needsPrices: boolean;
  readonly #onSpent: (costUsd: number | undefined) => void;
  #told = { spentUsd: 0, isExhausted: false };
  unpricedCalls = 0;

  constructor({ limitUsd, needsPrices }: Budget, onSpent: (costUsd: number | undefined) => void) {
    this.limitUsd = limitUsd;
    this.needsPrices = needsPrices;
    this.#onSpent = onSpent;
  }

  get spentUsd(): number {
    return this.#told.spentUsd;
  }

  /** What the process that keeps it says. */
  tell(told: { readonly spentUsd: number; readonly isExhausted: boolean }): void {
    this.#told = told;
  }

  spend(costUsd: number | undefined): void {
    if (costUsd === undefined) this.unpricedCalls++;
    this.#onSpent(costUsd);
  }

  /** Counted by the process that keeps it. */
  countEarlier(): number {
    return 0;
  }

  /** The process that keeps it has the run. */
  attribute(): void {
    // Nothing is counted here.
  }

  isExhausted(): boolean {
    return this.#told.isExhausted;
  }
}
