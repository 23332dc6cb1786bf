import fc from 'fast-check';
import { expect, test } from 'vitest';
import { tokenRate } from './token-rate.ts';

const spent = fc
  .record({
    from: fc.nat({ max: 900_000 }),
    tookMs: fc.oneof(fc.constant(0), fc.nat({ max: 100_000 })),
    tokens: fc.nat({ max: 50_000 }),
  })
  .map(({ from, tookMs, tokens }) => ({ from, to: Math.min(1_000_000, from + tookMs), tokens }));

test('every token is in some stretch, and none twice', () => {
  fc.assert(
    fc.property(
      fc.array(spent, { maxLength: 60 }),
      fc.integer({ min: 1_000_000, max: 1_000_700 }),
      (all, lengthMs) => {
        const total = all.reduce((sum, { tokens }) => sum + tokens, 0);
        const rate = tokenRate(all, lengthMs);
        expect(rate === undefined).toBe(total === 0);
        if (!rate) return;
        const { binMs, perSecond } = rate;
        const told = perSecond.reduce((sum, one) => sum + (one * binMs) / 1_000, 0);
        expect(Math.abs(told - total)).toBeLessThan(0.1 * perSecond.length * (binMs / 1_000) + 1);
        expect(perSecond.length).toBeLessThanOrEqual(480);
        expect(Math.min(...perSecond)).toBeGreaterThanOrEqual(0);
      },
    ),
  );
});

test('a sample is spread over its time, and what took none is where it was', () => {
  const of = (from: number, to: number, tokens: number) => ({ from, to, tokens });
  expect(tokenRate([of(0, 2_000, 100), of(1_000, 3_000, 400), of(3_500, 3_500, 7)], 4_000)).toEqual({
    binMs: 1_000,
    perSecond: [50, 250, 200, 7],
  });
  expect(tokenRate([of(0, 10, 0)], 4_000)).toBeUndefined();
  expect(tokenRate([of(0, 10, 5)], 0)).toBeUndefined();
});
