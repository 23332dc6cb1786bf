import { type Budget, createBudget } from '../targets/index.ts';

/** What a set may spend: the limit of the command line for all its runs together, or each eval's own. Never both. */
export interface SetBudget {
  /** The budget of one eval on one target; a further attempt asks for a new one. */
  forEval(budgetUsd: number | undefined): Budget;
}

export function createSetBudget(options: {
  /** `--budget`: it takes the place of every eval's own. */
  readonly limitUsd: number | undefined;
  readonly allowUnpriced: boolean;
}): SetBudget {
  const { limitUsd, allowUnpriced } = options;
  const purse = new SharedPurse(createBudget(limitUsd, { allowUnpriced }));
  return {
    forEval: (budgetUsd) =>
      limitUsd === undefined ? createBudget(budgetUsd, { allowUnpriced }) : purse.forRun(),
  };
}

/** One budget for several runs. What a run cost before is counted once, however often this command goes on with it. */
class SharedPurse {
  readonly #shared: Budget;
  readonly #countedUsd = new Map<string, number>();

  constructor(shared: Budget) {
    this.#shared = shared;
  }

  forRun(): Budget {
    const shared = this.#shared;
    const counted = this.#countedUsd;
    let run = '';
    const count = (usd: number) => void counted.set(run, (counted.get(run) ?? 0) + usd);
    return {
      limitUsd: shared.limitUsd,
      needsPrices: shared.needsPrices,
      get spentUsd() {
        return shared.spentUsd;
      },
      get unpricedCalls() {
        return shared.unpricedCalls;
      },
      spend(costUsd) {
        count(costUsd ?? 0);
        shared.spend(costUsd);
      },
      countEarlier(costUsd, runId = '') {
        run = runId;
        const news = Math.max(0, costUsd - (counted.get(run) ?? 0));
        count(news);
        shared.countEarlier(news);
      },
      isExhausted: () => shared.isExhausted(),
    };
  }
}
