import type { Amounts, ArtifactAccount, Money } from './account.ts';

/** Money as it is added up: what is known, and how much there is of which it is not. */
export interface Sums {
  readonly known: Amounts;
  /** How many calls (under `saved` also samples) have no known price. */
  readonly unpriced: Amounts;
  readonly lost: number;
}

/** Where nothing but calls of unknown price was counted, the amount is unknown, and never 0. */
export function moneyOf({ known, unpriced, lost }: Sums): Money {
  const amount = (key: keyof Amounts) => (known[key] === 0 && unpriced[key] > 0 ? null : known[key]);
  return {
    spent: amount('spent'),
    saved: amount('saved'),
    wasted: amount('wasted'),
    lost,
    unpriced,
    unpricedCalls: unpriced.spent,
  };
}

export function sumsOf({ spent, saved, wasted, lost, unpriced }: Money): Sums {
  return { known: { spent: spent ?? 0, saved: saved ?? 0, wasted: wasted ?? 0 }, unpriced, lost };
}

/** The money of several runs. */
export function addMoney(list: readonly Money[]): Money {
  const known = { spent: 0, saved: 0, wasted: 0 };
  const unpriced = { spent: 0, saved: 0, wasted: 0 };
  let lost = 0;
  for (const sums of list.map(sumsOf)) {
    for (const key of ['spent', 'saved', 'wasted'] as const) {
      known[key] += sums.known[key];
      unpriced[key] += sums.unpriced[key];
    }
    lost += sums.lost;
  }
  return moneyOf({ known, unpriced, lost });
}

/** What builds of artifacts cost, and what those would have that were there. */
export function moneyOfBuilds({ spentUsd, savedUsd }: Pick<ArtifactAccount, 'spentUsd' | 'savedUsd'>): Money {
  const isUnknown = (usd: number | null) => (usd === null ? 1 : 0);
  return moneyOf({
    known: { spent: spentUsd ?? 0, saved: savedUsd ?? 0, wasted: 0 },
    unpriced: { spent: isUnknown(spentUsd), saved: isUnknown(savedUsd), wasted: 0 },
    lost: 0,
  });
}
