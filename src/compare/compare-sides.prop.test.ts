import fc from 'fast-check';
import { expect, test } from 'vitest';
import { digestOf, type Json, sampleKeyText, seededRandom, shuffled } from '../base/index.ts';
import type { FigureComparison } from './compare-figure.ts';
import { type ComparedRun, compareSides } from './compare-runs.ts';
import type { Side, SideSample } from './side.ts';

const value: fc.Arbitrary<Json> = fc.oneof(
  fc.constantFrom<Json>('C', 'I', 'P', true, false, null),
  fc.double({ min: -10, max: 10, noNaN: true }),
);
const sample = fc
  .record({
    id: fc.oneof(fc.integer({ min: 0, max: 9 }), fc.constantFrom('a', 'b', 'c', '1')),
    epoch: fc.integer({ min: 1, max: 3 }),
    state: fc.constantFrom('completed' as const, 'completed' as const, 'errored' as const),
    score: value,
    other: value,
    usd: fc.option(fc.double({ min: 0, max: 5, noNaN: true }), { nil: undefined }),
  })
  .map(
    ({ score, other, ...rest }): SideSample => ({
      ...rest,
      figures: new Map(
        rest.state === 'errored'
          ? []
          : [
              ['one', score],
              ['two', other],
            ],
      ),
      tokens: 10,
      seconds: undefined,
      row: 1,
    }),
  );
const samples = fc.array(sample, { maxLength: 40 });

function sideOf(all: readonly SideSample[]): Side {
  const identity = {
    eval: 'e',
    version: '0',
    model: 'm',
    isDirty: false,
    dataset: '',
    scorers: '',
    steps: [],
    taskArgs: digestOf('p'),
    modelSettings: digestOf('p'),
    limits: '',
  };
  const counts = { completed: all.length, errored: 0, unfinished: 0 };
  const facts = {
    name: 'n',
    run: 'r',
    place: 'p',
    eval: 'e',
    model: 'm',
    status: 'success',
    start: '',
  } as const;
  return {
    identity,
    evalId: String(all.length),
    scorers: ['two'],
    facts: { ...facts, samples: counts },
    samples: new Map(all.map((one) => [sampleKeyText(one.id, one.epoch), one])),
  };
}

const MIRROR = { better: 'worse', worse: 'better', 'cannot tell': 'cannot tell' } as const;
const figuresOf = ({ scores, completed, spent }: ComparedRun): readonly FigureComparison[] => [
  ...scores,
  ...(completed ? [completed] : []),
  ...spent,
];

test('swapping the sides mirrors every verdict, and flips every sign exactly', () => {
  fc.assert(
    fc.property(samples, samples, (one, other) => {
      const there = compareSides({ before: sideOf(one), after: sideOf(other) });
      const back = compareSides({ before: sideOf(other), after: sideOf(one) });
      expect(back.onlyBefore).toEqual(there.onlyAfter);
      expect(back.onlyAfter).toEqual(there.onlyBefore);
      const mirrored = figuresOf(back);
      for (const [index, figure] of figuresOf(there).entries()) {
        const other = mirrored[index] as FigureComparison;
        expect(other.figure).toBe(figure.figure);
        expect(0 - other.difference).toEqual(figure.difference + 0);
        expect([other.before, other.after, other.p]).toEqual([figure.after, figure.before, figure.p]);
        expect(other.verdict).toBe(MIRROR[figure.verdict]);
        expect(other.wouldDecide).toEqual(figure.wouldDecide);
        expect(other.flips.length).toBe(figure.flips.length);
      }
    }),
    { numRuns: 300 },
  );
});

test('the order in which runs list their samples decides nothing', () => {
  fc.assert(
    fc.property(samples, samples, fc.nat(), (one, other, seed) => {
      const unique = (all: readonly SideSample[]) => [...sideOf(all).samples.values()];
      const random = seededRandom(seed);
      const there = compareSides({ before: sideOf(unique(one)), after: sideOf(unique(other)) });
      const mixed = compareSides({
        before: sideOf(shuffled(unique(one), random)),
        after: sideOf(shuffled(unique(other), random)),
      });
      expect(mixed).toEqual(there);
    }),
    { numRuns: 300 },
  );
});

test('every sample of either run is in both, in one, or in the other', () => {
  fc.assert(
    fc.property(samples, samples, (one, other) => {
      const [before, after] = [sideOf(one), sideOf(other)];
      const found = compareSides({ before, after });
      expect(found.aligned + found.onlyBefore.length).toBe(before.samples.size);
      expect(found.aligned + found.onlyAfter.length).toBe(after.samples.size);
    }),
  );
});

test('a run beside itself never differs', () => {
  fc.assert(
    fc.property(samples, (one) => {
      const found = compareSides({ before: sideOf(one), after: sideOf(one) });
      expect(found.verdict).toBe('cannot tell');
      for (const figure of figuresOf(found)) {
        expect(figure.p).toBe(1);
        expect(figure.flips).toEqual([]);
      }
    }),
  );
});
