import fc from 'fast-check';
import { expect, test } from 'vitest';
import { normalQuantile, tQuantile } from './distributions.ts';

// Reference values from printed tables, to the digits they give.
test.each([
  [0.975, 1, 12.706204736],
  [0.975, 2, 4.30265273],
  [0.975, 5, 2.570581836],
  [0.975, 9, 2.262157163],
  [0.975, 30, 2.042272456],
  [0.975, 100, 1.983971519],
  [0.95, 10, 1.812461123],
  [0.995, 4, 4.604094871],
  [0.9995, 3, 12.92397864],
])('the t quantile of %d with %d degrees of freedom is %d', (p, freedom, expected) => {
  expect(tQuantile(p, freedom)).toBeCloseTo(expected, 7);
  expect(tQuantile(1 - p, freedom)).toBeCloseTo(-expected, 7);
});

test.each([
  [0.5, 0],
  [0.975, 1.959963984540054],
  [0.95, 1.6448536269514722],
  [0.995, 2.5758293035489004],
  [0.999999, 4.753424308822899],
])('the normal quantile of %d is %d', (p, expected) => {
  expect(normalQuantile(p)).toBeCloseTo(expected, 9);
});

test('with one degree of freedom t is tan, with two it is algebraic', () => {
  fc.assert(
    fc.property(fc.double({ min: 0.01, max: 0.99, noNaN: true }), (p) => {
      expect(tQuantile(p, 1)).toBeCloseTo(Math.tan(Math.PI * (p - 0.5)), 8);
      const a = 4 * p * (1 - p);
      expect(tQuantile(p, 2)).toBeCloseTo(2 * (p - 0.5) * Math.sqrt(2 / a), 8);
    }),
  );
});

test('the two ways to compute t meet where one takes over from the other', () => {
  for (const p of [0.6, 0.9, 0.975, 0.9999]) {
    const exact = tQuantile(p, 3_000);
    const expanded = tQuantile(p, 3_001);
    expect(exact).toBeGreaterThan(expanded);
    expect(exact - expanded).toBeLessThan(1e-5);
  }
});
