import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { bestByMerit, compareMerit, type Merit, type MeritRank } from './index.ts';

const copy = (more: Partial<Merit> = {}): Merit => ({ rank: 'complete', uuid: 'u', checksum: 'c', ...more });
const at = (generation: number, n: number) => ({ order: { generation, n } });

describe('what comes first', () => {
  test.each<readonly [string, Merit, Merit]>([
    ['complete before errored', copy(at(9, 9)), copy({ rank: 'errored', ...at(1, 1) })],
    ['errored before interrupted', copy({ rank: 'errored' }), copy({ rank: 'interrupted', ...at(1, 1) })],
    ['the first complete one', copy(at(1, 7)), copy(at(2, 1))],
    ['the first complete one of a generation', copy(at(2, 1)), copy(at(2, 7))],
    ['the last errored one', copy({ rank: 'errored', ...at(2, 1) }), copy({ rank: 'errored', ...at(1, 7) })],
    [
      'the last interrupted one of a generation',
      copy({ rank: 'interrupted', ...at(2, 7) }),
      copy({ rank: 'interrupted', ...at(2, 1) }),
    ],
    ['one with a place before one without', copy({ ...at(9, 9), uuid: 'z' }), copy({ uuid: 'a' })],
    ['a place before whose it is', copy({ ...at(1, 1), isLent: true }), copy(at(1, 2))],
    ['own before lent', copy({ uuid: 'z' }), copy({ isLent: true, uuid: 'a' })],
    ['the lower uuid', copy({ uuid: 'a', checksum: 'z' }), copy({ uuid: 'b', checksum: 'a' })],
    ['the lower checksum', copy({ checksum: 'a' }), copy({ checksum: 'b' })],
  ])('%s', (_name, better, worse) => {
    expect(compareMerit(better, worse)).toBeLessThan(0);
    expect(compareMerit(worse, better)).toBeGreaterThan(0);
    expect(bestByMerit([worse, better])).toBe(better);
    expect(bestByMerit([better, worse])).toBe(better);
  });

  test('nothing is the best of nothing', () => expect(bestByMerit([])).toBeUndefined());
});

const merit = fc
  .record({
    rank: fc.constantFrom<MeritRank>('complete', 'errored', 'interrupted'),
    order: fc.option(fc.record({ generation: fc.nat(2), n: fc.nat(2) }), { nil: undefined }),
    isLent: fc.option(fc.boolean(), { nil: undefined }),
    uuid: fc.constantFrom('', 'u', 'v'),
    checksum: fc.constantFrom('', 'x', 'y'),
  })
  .map(
    ({ order, isLent, ...rest }): Merit => ({
      ...rest,
      ...(order === undefined ? {} : { order }),
      ...(isLent === undefined ? {} : { isLent }),
    }),
  );

/** The keys as they count: a copy whose ownership is unknown is its run's own. */
const keysOf = (one: Merit | undefined) => one && { ...one, isLent: one.isLent ?? false };

describe('laws', () => {
  test('it is a total order: antisymmetric, transitive, and equal only where every key is', () => {
    fc.assert(
      fc.property(merit, merit, merit, (a, b, c) => {
        expect(Math.sign(compareMerit(a, b))).toBe(-Math.sign(compareMerit(b, a)) + 0);
        if (compareMerit(a, b) <= 0 && compareMerit(b, c) <= 0)
          expect(compareMerit(a, c)).toBeLessThanOrEqual(0);
        if (compareMerit(a, b) === 0) expect(keysOf(a)).toEqual(keysOf(b));
      }),
      { numRuns: 5_000 },
    );
  });

  test('choosing is commutative, associative and idempotent', () => {
    const permuted = fc
      .array(merit, { minLength: 1, maxLength: 8 })
      .chain((all) =>
        fc.tuple(
          fc.constant(all),
          fc.shuffledSubarray(all, { minLength: all.length }),
          fc.nat(all.length - 1),
        ),
      );
    fc.assert(
      fc.property(permuted, ([all, shuffled, cut]) => {
        const best = keysOf(bestByMerit(all));
        expect(keysOf(bestByMerit(shuffled))).toEqual(best);
        expect(keysOf(bestByMerit([...all, ...shuffled]))).toEqual(best);
        const parts = [bestByMerit(shuffled.slice(0, cut)), bestByMerit(shuffled.slice(cut))];
        expect(keysOf(bestByMerit(parts.filter((part) => part !== undefined)))).toEqual(best);
      }),
      { numRuns: 2_000 },
    );
  });
});
