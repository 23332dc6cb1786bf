import type { Budget } from '../targets/index.ts';

export interface ToldBudgetOptions {
  readonly limitUsd: number | undefined;
  readonly allowsUnpriced: boolean;
  readonly onSpent: (costUsd: number | undefined) => void;
}

interface ToldWords {
  readonly limitUsd: number | undefined;
  readonly spentUsd: number;
  readonly isExhausted: boolean;
}

/** A budget that another process keeps: what is spent here is told there, and whether anything is left is told from there. */
export class ToldBudget implements Budget {
  readonly #allowsUnpriced: boolean;
  readonly #onSpent: (costUsd: number | undefined) => void;
  #told: ToldWords;
  unpricedCalls = 0;

  constructor({ limitUsd, allowsUnpriced, onSpent }: ToldBudgetOptions) {
    this.#allowsUnpriced = allowsUnpriced;
    this.#onSpent = onSpent;
    this.#told = { limitUsd, spentUsd: 0, isExhausted: false };
  }

  /** A run that is gone on with may have got another one. */
  get limitUsd(): number | undefined {
    return this.#told.limitUsd;
  }

  get needsPrices(): boolean {
    return this.limitUsd !== undefined && !this.#allowsUnpriced;
  }

  get spentUsd(): number {
    return this.#told.spentUsd;
  }

  /** What the process that keeps it says. */
  tell(told: ToldWords): void {
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
