import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cohensKappa } from './kappa.ts';

test.each([
  // Wikipedia's examples: two readers of grant proposals, and the same agreement with other shares.
  {
    table: [
      [20, 5],
      [10, 15],
    ],
    kappa: 0.4,
  },
  {
    table: [
      [45, 15],
      [25, 15],
    ],
    kappa: 0.130435,
  },
  {
    table: [
      [25, 35],
      [5, 35],
    ],
    kappa: 0.259259,
  },
  // Cohen (1960), table 1, by hundreds: three categories.
  {
    table: [
      [88, 14, 18],
      [10, 40, 10],
      [2, 6, 12],
    ],
    kappa: 0.492,
  },
  {
    table: [
      [10, 0],
      [0, 10],
    ],
    kappa: 1,
  },
  {
    table: [
      [0, 10],
      [10, 0],
    ],
    kappa: -1,
  },
])('the kappa of $table is $kappa', ({ table, kappa }) => {
  expect(cohensKappa(table)).toBeCloseTo(kappa, 3);
});

test('where nothing was judged, or both always say the same, nothing can be told', () => {
  expect(
    cohensKappa([
      [0, 0],
      [0, 0],
    ]),
  ).toBeUndefined();
  expect(
    cohensKappa([
      [7, 0],
      [0, 0],
    ]),
  ).toBeUndefined();
  expect(cohensKappa([])).toBeUndefined();
});

test('it is at most 1, which judges decides nothing, and counts may be of any size', () => {
  const count = fc.nat(50);
  fc.assert(
    fc.property(
      fc.array(fc.array(count, { minLength: 3, maxLength: 3 }), { minLength: 3, maxLength: 3 }),
      (table) => {
        const kappa = cohensKappa(table);
        const turned = table.map((_, at) => table.map((row) => row[at] ?? 0));
        const times = table.map((row) => row.map((one) => one * 10));
        if (kappa === undefined) expect(cohensKappa(turned)).toBeUndefined();
        else {
          expect(kappa).toBeLessThanOrEqual(1);
          expect(cohensKappa(turned)).toBeCloseTo(kappa, 10);
          expect(cohensKappa(times)).toBeCloseTo(kappa, 10);
        }
      },
    ),
  );
});
