import { type Budget, createBudget } from '../targets/index.ts';

/** What a set may spend: the limit of the command line for all its runs together, or each eval's own. Never both. */
export interface SetBudget {
  /** The budget of one eval on one target. It lives as long as the command, so it knows what was counted before [BUD-4]. */
  forEval(item: object, budgetUsd: number | undefined): Budget;
}

export function createSetBudget(options: {
  /** `--budget`: it takes the place of every eval's own. */
  readonly limitUsd: number | undefined;
  readonly allowUnpriced: boolean;
}): SetBudget {
  const { limitUsd, allowUnpriced } = options;
  const shared = createBudget(limitUsd, { allowUnpriced });
  const budgets = new Map<object, Budget>();
  return {
    forEval(item, budgetUsd) {
      const own = budgets.get(item) ?? createBudget(limitUsd ?? budgetUsd, { allowUnpriced });
      budgets.set(item, own);
      return limitUsd === undefined ? own : bothOf(own, shared);
    },
  };
}

/** What is spent by a run counts in its own book, which tells its runs apart, and in the one that all runs share. */
function bothOf(own: Budget, shared: Budget): Budget {
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
      own.spend(costUsd);
      shared.spend(costUsd);
    },
    countEarlier(run, costUsd) {
      const added = own.countEarlier(run, costUsd);
      shared.spend(added);
      return added;
    },
    attribute: (run, costUsd) => own.attribute(run, costUsd),
    isExhausted: () => shared.isExhausted(),
  };
}
