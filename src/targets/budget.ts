import { ActionableError, isUsdUsedUp, UsageError } from '../base/index.ts';

/**
 * Budget: the money of a run, shared by all its samples.
 *
 * - [BUD-1] Once it is exhausted no live call is begun (replays cost nothing and go on).
 * - [BUD-2] Calls that were already under way are let finish, since they are paid for anyway. So the money spent can exceed
 *   the limit by what these calls cost: at most one call for each sample in flight.
 * - [BUD-3] Calls without a known price are counted, not guessed: `unpricedCalls` says how many there were.
 * - [BUD-4] However often a run is gone on with, in one command or in many, each answer counts once.
 * - [BUD-5] With a limit, no call is made whose price nobody knows, unless the user allowed it: a limit that does not see what is
 *   spent is none.
 * - [BUD-6] Ten calls of $0.02 spend $0.20: how numbers are kept in binary neither allows a call more nor takes one away.
 */
export interface Budget {
  readonly limitUsd: number | undefined;
  readonly spentUsd: number;
  readonly unpricedCalls: number;
  /** True when a call of unknown price must not be made. */
  readonly needsPrices: boolean;
  spend(costUsd: number | undefined): void;
  /**
   * What all attempts of a run, that is gone on with from now, cost so far: the limit holds for it however often it is resumed.
   * What was counted already, here or as it was spent, does not count again [BUD-4]. Gives what was new.
   */
  countEarlier(run: string, costUsd: number): number;
  /**
   * Of what was counted, so much is this run's. Runs that spend side by side cannot be told apart while they do: each says at its end
   * what it cost, so that it does not count again when it is met later.
   */
  attribute(run: string, costUsd: number): void;
  isExhausted(): boolean;
}

/** The run stops here, resumable: nothing is wrong with the sample that met it. */
export class BudgetExhausted extends ActionableError {
  override readonly name = 'BudgetExhausted';

  constructor(budget: Budget) {
    super({
      code: 'E_BUDGET_EXHAUSTED',
      message: `The budget of $${budget.limitUsd} is spent ($${budget.spentUsd.toFixed(4)}).`,
      hint: 'Run the same command again with a higher --budget: what is paid for is kept and reused.',
    });
  }
}

/** There is a budget, and nobody knows what a call costs: it is refused before it is made [BUD-5]. */
export class PriceUnknown extends UsageError {
  constructor(models: readonly string[]) {
    const name = (models[0] ?? '').replace(/@https?:.*$/, '');
    const price = /^(?:http|record|command)\//.test(name)
      ? `Say what a call costs, in US dollars: prices: { "${name}": { call: 0.01 } }`
      : `Say what a million tokens cost, in US dollars: prices: { "${name}": { input: 1.25, output: 10 } }`;
    super({
      code: 'E_PRICE_UNKNOWN',
      message: `There is a budget, but the price of ${models.join(', ')} is not known, so nothing would stop at it.`,
      hint: `${price} in the eval, in holdfast.config.yaml, or without "prices:" in a file for --prices. Or go on without counting it: --allow-unpriced.`,
    });
  }
}

/** What stops the run and was thrown somewhere below: SDKs wrap whatever their `fetch` throws. */
export function stopIn(error: unknown, depth = 0): BudgetExhausted | PriceUnknown | undefined {
  if (error instanceof BudgetExhausted || error instanceof PriceUnknown) return error;
  if (!(error instanceof Error) || depth > STOP_DEPTH_MAX) return undefined;
  return stopIn(error.cause, depth + 1) ?? stopIn(Reflect.get(error, 'lastError'), depth + 1);
}

const STOP_DEPTH_MAX = 8;

export interface BudgetOptions {
  /** Calls of unknown price are made although there is a limit. */
  readonly allowUnpriced?: boolean;
}

/** Without a limit it only counts. */
export function createBudget(limitUsd?: number, { allowUnpriced = false }: BudgetOptions = {}): Budget {
  let spentUsd = 0;
  let unpricedCalls = 0;
  /** Of each run: how much of `spentUsd` is its. */
  const counted = new Map<string, number>();
  let current = '';
  return {
    limitUsd,
    needsPrices: limitUsd !== undefined && !allowUnpriced,
    get spentUsd() {
      return spentUsd;
    },
    get unpricedCalls() {
      return unpricedCalls;
    },
    spend(costUsd) {
      if (costUsd === undefined) unpricedCalls++;
      else {
        spentUsd += costUsd;
        counted.set(current, (counted.get(current) ?? 0) + costUsd);
      }
    },
    countEarlier(run, costUsd) {
      const known = counted.get(run) ?? 0;
      const added = Math.max(0, costUsd - known);
      current = run;
      spentUsd += added;
      counted.set(run, known + added);
      return added;
    },
    attribute: (run, costUsd) => void counted.set(run, costUsd),
    isExhausted: () => limitUsd !== undefined && isUsdUsedUp(spentUsd, limitUsd),
  };
}
