import type { JournalReader } from '../journal/index.ts';
import type { Counted } from './ledger.ts';

/** What a worker bought and did not come back to tell: its journal says it. */
export function boughtUntold(journal: JournalReader, told: readonly Counted[]): Counted {
  let [bought, usd, unpriced, tokens] = [0, 0, 0, 0];
  for (const { n } of journal.outline())
    for (const answer of journal.answers(n)) {
      if (answer.from !== undefined) continue;
      bought++;
      usd += answer.costUsd ?? 0;
      unpriced += answer.costUsd === undefined ? 1 : 0;
      tokens += answer.tokens ?? 0;
    }
  for (const { usd: money, tokens: some, answers } of told) {
    bought -= answers.bought;
    usd -= money.known.spent;
    unpriced -= money.unpriced.spent;
    tokens -= some.spent;
  }
  return {
    usd: { known: spentOnly(usd), unpriced: spentOnly(unpriced) },
    tokens: spentOnly(tokens),
    answers: { bought: Math.max(0, bought), replayed: 0 },
  };
}

function spentOnly(amount: number) {
  return { spent: Math.max(0, amount), saved: 0, wasted: 0 };
}
