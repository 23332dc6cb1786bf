import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addMoney } from '../../runner/index.ts';
import { moneyText, roundAbove } from './account-money.ts';

const NONE = { spent: 0, saved: 0, wasted: 0 };
const money = (spent: number | null, unpriced: number) => ({
  ...NONE,
  spent,
  lost: 0,
  unpriced: { ...NONE, spent: unpriced },
  unpricedCalls: unpriced,
});

test('the next round figure is above, and not by more than a few times', () => {
  expect([0.01, 0.02, 0.05, 1, 2, 5, 7.3, 20, 99].map(roundAbove)).toEqual([
    0.02, 0.05, 0.1, 2, 5, 10, 10, 50, 200,
  ]);
  fc.assert(
    fc.property(fc.double({ min: 0.01, max: 1e6, noNaN: true }), (usd) => {
      const figure = roundAbove(usd);
      expect(figure).toBeGreaterThan(usd);
      expect(figure).toBeLessThan(usd * 3 + 0.01);
      expect(String(figure)).toMatch(/^0\.0*[125]$|^[125]0*$/);
    }),
  );
});

test('an amount of unknown price is unknown, never $0, and beside a known one it is a lower bound', () => {
  expect(moneyText(money(null, 3), 'spent')).toBe('unknown');
  expect(moneyText(money(2, 3), 'spent')).toBe('over $2.00');
  expect(moneyText(money(0, 0), 'spent')).toBe('$0');
  expect(addMoney([money(null, 3), money(0, 0)])).toMatchObject({ spent: null, unpriced: { spent: 3 } });
  expect(addMoney([money(null, 3), money(2, 0)])).toMatchObject({ spent: 2, unpriced: { spent: 3 } });
});
