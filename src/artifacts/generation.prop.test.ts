import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { seededRandom } from '../base/index.ts';
import { currentOf, isGenerationId, type Lineage, newGenerationId } from './generation.ts';

const IDS = ['a', 'b', 'c', 'd', 'e', 'f'];
const lineages = fc
  .uniqueArray(fc.constantFrom(...IDS), { minLength: 1 })
  .chain((ids) =>
    fc.tuple(
      ...ids.map((generation) =>
        fc.record({ generation: fc.constant(generation), supersedes: fc.subarray(IDS) }),
      ),
    ),
  );

const current = (...all: readonly Lineage[]) => currentOf(all)?.generation;
const one = (generation: string, ...supersedes: string[]) => ({ generation, supersedes });

describe('which generation is current', () => {
  test('[ART-7] the earliest of independent builds, and never one that another replaces', () => {
    expect(current()).toBeUndefined();
    expect(current(one('b'), one('a'))).toBe('a');
    expect(current(one('a'), one('b', 'a'))).toBe('b');
    expect(current(one('a'), one('b', 'a'), one('c', 'b'))).toBe('c');
    expect(current(one('a'), one('b', 'a'), one('c', 'a'))).toBe('b');
    expect(current(one('a'), one('c', 'b'))).toBe('a');
  });

  test('[ART-7] circles and self-references hide nothing, and replace what is outside of them', () => {
    expect(current(one('a', 'a'))).toBe('a');
    expect(current(one('a', 'b'), one('b', 'a'))).toBe('a');
    expect(current(one('a'), one('b', 'c', 'a'), one('c', 'b'))).toBe('b');
  });

  test('[ART-7] only the set decides: neither the order nor a second copy', () => {
    const property = fc.property(lineages, fc.integer(), (all, seed) => {
      const random = seededRandom(seed);
      const shuffled = all.toSorted(() => random.next() - 0.5);
      expect(current(...shuffled, ...all)).toBe(current(...all));
      expect(all.map(({ generation }) => generation)).toContain(current(...all));
    });
    fc.assert(property, { numRuns: 1_000 });
  });

  test('[ART-7] without circles no other here replaces it', () => {
    const property = fc.property(lineages, (all) => {
      // Only what is earlier can be replaced, as builds really do it.
      const real = all.map(({ generation, supersedes }) =>
        one(generation, ...supersedes.filter((id) => id < generation)),
      );
      const chosen = current(...real);
      expect(real.some(({ supersedes }) => chosen !== undefined && supersedes.includes(chosen))).toBe(false);
    });
    fc.assert(property, { numRuns: 1_000 });
  });
});

test('the ids of generations sort by time', () => {
  const random = seededRandom(7);
  const ids = [1, 1_000, 1_001, 1_700_000_000_000].map((ms) => newGenerationId(ms, random));
  expect(ids.toSorted()).toEqual(ids);
  expect(ids.every(isGenerationId)).toBe(true);
});
