import type { Account } from '../../runner/index.ts';
import { counted, formatUsd } from '../quantities.ts';

type Money = Account['usd'];
type Budget = NonNullable<Account['budget']>;

/** An amount of which nothing is known is unknown, and one that leaves something out says so. */
export function moneyText(usd: Money, key: 'spent' | 'saved' | 'wasted'): string {
  const amount = usd[key];
  if (amount === null) return 'unknown';
  return usd.unpriced[key] > 0 ? `over ${formatUsd(amount)}` : formatUsd(amount);
}

/** What is not in the amounts; empty when all is. */
export function unpricedSentences({ unpriced }: Money): string[] {
  const calls = unpriced.spent;
  if (calls === 0) return [];
  return [
    `${counted(calls, 'call')} had no known price: what ${calls === 1 ? 'it costs' : 'they cost'} is not in the amounts.`,
  ];
}

/** `$20.01 of $20 spent, over all attempts at this run` */
export function budgetText({ limitUsd, spentUsd, isShared, allowsUnpriced }: Budget): string {
  const what = isShared ? 'the runs of this command' : 'this run';
  const unpriced = allowsUnpriced ? '; calls of unknown price do not count (--allow-unpriced)' : '';
  return `${formatUsd(spentUsd)} of ${formatUsd(limitUsd)} spent, over all attempts at ${what}${unpriced}`;
}

/** The next round figure above an amount: 1, 2 or 5 with zeros. */
export function roundAbove(usd: number): number {
  const power = Math.floor(Math.log10(Math.max(usd, 0.01)));
  for (const digit of [1, 2, 5, 10]) {
    // Through text: 10 ** -2 * 2 is not quite 0.02.
    const figure = Number(`${digit}e${power}`);
    if (figure > usd * 1.05) return figure;
  }
  return Number(`20e${power}`);
}
