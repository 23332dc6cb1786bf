import type { EvalSampleSummary } from '../log/index.ts';
import type { MeterTotals } from '../targets/index.ts';
import type { Amounts } from './account.ts';
import type { Sums } from './money.ts';

/** What a ledger says, as plain data. */
export interface Counted {
  readonly usd: Omit<Sums, 'lost'>;
  readonly tokens: Amounts;
  readonly answers: { readonly bought: number; readonly replayed: number };
}

/** Adds up money and tokens of a run as its samples end. */
export class Ledger {
  #usd = { spent: 0, saved: 0, wasted: 0 };
  #unpriced = { spent: 0, saved: 0, wasted: 0 };
  #tokens = { spent: 0, saved: 0, wasted: 0 };
  #answers = { bought: 0, replayed: 0 };

  /** An attempt of this session. */
  attempt(totals: MeterTotals): void {
    this.#usd.spent += totals.spentUsd;
    this.#usd.saved += totals.savedUsd;
    this.#unpriced.spent += totals.unpricedCalls - totals.unpricedReplays;
    this.#unpriced.saved += totals.unpricedReplays;
    this.#tokens.spent += totals.tokens - totals.savedTokens;
    this.#tokens.saved += totals.savedTokens;
    this.#answers.replayed += totals.replayedCalls;
    // What an agent reports of itself is no turn of ours.
    this.#answers.bought += totals.boughtCalls;
  }

  /** An attempt that came to nothing, and whose answers nobody is given again. */
  waste(totals: MeterTotals): void {
    this.#usd.wasted += totals.spentUsd;
    this.#unpriced.wasted += totals.unpricedCalls - totals.unpricedReplays;
    this.#tokens.wasted += totals.tokens - totals.savedTokens;
  }

  /** A sample that did not have to be run at all. */
  reused({ model_usage }: Pick<EvalSampleSummary, 'model_usage'>): void {
    for (const usage of Object.values(model_usage)) {
      this.#tokens.saved += usage.total_tokens;
      this.#usd.saved += usage.total_cost ?? 0;
      if (usage.total_cost === undefined) this.#unpriced.saved++;
    }
  }

  /** What another ledger counted. */
  add({ usd, tokens, answers }: Counted): void {
    for (const kind of ['spent', 'saved', 'wasted'] as const) {
      this.#usd[kind] += usd.known[kind];
      this.#unpriced[kind] += usd.unpriced[kind];
      this.#tokens[kind] += tokens[kind];
    }
    this.#answers.bought += answers.bought;
    this.#answers.replayed += answers.replayed;
  }

  /** As plain data. */
  counted(): Counted {
    return { usd: this.usd, tokens: this.tokens, answers: this.answers };
  }

  get usd(): Omit<Sums, 'lost'> {
    return { known: { ...this.#usd }, unpriced: { ...this.#unpriced } };
  }

  get tokens(): Amounts {
    return { ...this.#tokens };
  }

  get answers(): { readonly bought: number; readonly replayed: number } {
    return { ...this.#answers };
  }
}
