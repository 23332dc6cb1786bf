import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Digest } from '../base/index.ts';
import { definitionDigest, sampleContentDigest, scoringDigest, targetDigest } from './definition-digest.ts';
import type { EvalDefinition, Row } from './eval.ts';
import { normalizeEval } from './normalize-eval.ts';
import { deriveId, IdGiver } from './sample-id.ts';
import { includes } from './scorers/includes.ts';

const row: fc.Arbitrary<Row> = fc.record(
  {
    input: fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.jsonValue().filter((value) => value !== null),
    ),
    target: fc.oneof(fc.string(), fc.integer()),
    choices: fc.array(fc.string()),
    metadata: fc.dictionary(fc.string(), fc.integer()),
  },
  { requiredKeys: ['input'] },
);

function idsOf(rows: readonly Row[]): (string | number)[] {
  const ids = new IdGiver();
  return rows.map((item) => ids.identify(item).row.id);
}

describe('derived ids', () => {
  test('an id can be read, and is the same in every release', () => {
    expect(deriveId({ input: 'Capital of France?', target: 'Paris' })).toBe('capital-of-france-7fb5703b804d');
    expect(deriveId({ input: '日本の首都は?' })).toMatch(/^[0-9a-f]{12}$/);
    expect(deriveId({ input: 'Łódź 1' })).toMatch(/^odz-1-[0-9a-f]{12}$/);
    expect(deriveId({ input: { a: 1 } })).toMatch(/^[0-9a-f]{12}$/);
  });

  test('whatever the order, the same rows have the same ids, and all are distinct', () => {
    fc.assert(
      fc.property(fc.array(row, { maxLength: 20 }), fc.infiniteStream(fc.nat()), (rows, chance) => {
        const mixed = rows
          .map((item) => ({ item, at: chance.next().value }))
          .sort((a, b) => a.at - b.at)
          .map(({ item }) => item);
        expect([...idsOf(mixed)].sort()).toEqual([...idsOf(rows)].sort());
        expect(new Set(idsOf(rows)).size).toBe(rows.length);
      }),
    );
  });

  test('equal rows are told apart by their occurrence; given ids stay', () => {
    const [first, second, third] = idsOf([{ input: 'a' }, { input: 'a' }, { id: 9, input: 'a' }]);
    expect(second).toBe(`${first}-2`);
    expect(third).toBe(9);
  });

  test('the order of keys does not matter, every value does', () => {
    const id = deriveId({ input: { a: 1, b: 2 }, metadata: { x: 1, y: 2 } });
    expect(deriveId({ metadata: { y: 2, x: 1 }, input: { b: 2, a: 1 } })).toBe(id);
    for (const other of [{ input: { a: 1, b: 3 } }, { input: { a: 1, b: 2 }, target: 't' }]) {
      expect(deriveId({ metadata: { x: 1, y: 2 }, ...other })).not.toBe(id);
    }
  });
});

describe('digests', () => {
  const base: EvalDefinition = { name: 'e', data: [], target: () => 'x', scorers: [includes()] };
  const planned = (change: Partial<EvalDefinition>) => normalizeEval({ ...base, ...change });
  const digest = (change: Partial<EvalDefinition>) => definitionDigest(planned(change));
  const code = { target: 't' as Digest, scoring: 's' as Digest };

  test.each<[string, Partial<EvalDefinition>]>([
    ['name', { name: 'f' }],
    ['the options of a scorer', { scorers: [includes({ ignoreCase: false })] }],
    ['the text of a scorer function', { scorers: [() => 1] }],
    ['metrics', { metrics: ['mean'] }],
    ['metrics of a scorer', { scorers: [includes({ metrics: ['mean'] })] }],
    ['reducers', { epochs: { count: 2, reducer: 'max' } }],
  ])('the definition digest covers %s', (_name, change) => {
    expect(digest(change)).not.toBe(digest({}));
  });

  test.each<[string, Partial<EvalDefinition>]>([
    ['data', { data: [{ input: 'x' }], filter: () => true, shuffle: 3, limit: 1 }],
    ['limits', { limits: { timeMs: 5 }, budgetUsd: 3, concurrency: 2, retries: 1, failOnError: true }],
    ['the number of epochs', { epochs: 5 }],
    ['words for people', { description: 'd', tags: ['t'], metadata: { m: 1 }, threshold: { accuracy: 1 } }],
  ])('the definition digest does not cover %s', (_name, change) => {
    expect(digest(change)).toBe(digest({}));
  });

  test('the digest of the target covers version, key, inputs, what is redacted, and code', () => {
    const target = (change: Partial<EvalDefinition>, more = {}) =>
      targetDigest(planned(change), { key: 'k', ...more });
    const all = [
      target({}),
      target({ version: 1 }),
      target({ redact: ['x'] }),
      target({ target: () => 'y' }),
      target({}, { key: 'other' }),
      target({}, { inputs: 'i' }),
      target({}, { code }),
      target({}, { code: { ...code, target: 'other' as Digest } }),
    ];
    expect(new Set(all).size).toBe(all.length);
    expect(target({ scorers: [() => 1] }, { code })).toBe(target({}, { code }));
  });

  test('a target that is described does not depend on code, unless models come along with the eval', () => {
    const target = (change: Partial<EvalDefinition>, own: string) =>
      targetDigest(planned({ target: 'openai/x', ...change }), {
        key: 'k',
        code: { ...code, target: own as Digest },
      });
    expect(target({}, 'a')).toBe(target({}, 'b'));
    expect(target({ models: {} }, 'a')).not.toBe(target({ models: {} }, 'b'));
  });

  test('where the code of scorers is known, their own text does not count', () => {
    const [one, other] = [planned({ scorers: [() => 1] }), planned({ scorers: [() => 2] })];
    expect(scoringDigest(one)).not.toBe(scoringDigest(other));
    expect(scoringDigest(one, { code })).toBe(scoringDigest(other, { code }));
    expect(scoringDigest(one, { code: { ...code, scoring: 'other' as Digest } })).not.toBe(
      scoringDigest(one, { code }),
    );
    expect(scoringDigest(one, { inputs: 'i' })).not.toBe(scoringDigest(one));
  });

  test('the digest of a sample covers its id and its content', () => {
    const sample = { id: 1, input: 'q', target: 'a' };
    const all = [
      sample,
      { ...sample, id: '1' },
      { ...sample, input: 'r' },
      { ...sample, target: 'b' },
      { ...sample, choices: ['x'] },
      { ...sample, metadata: { m: 1 } },
    ];
    expect(new Set(all.map(sampleContentDigest)).size).toBe(all.length);
    expect(new IdGiver().identify(sample).digest).toBe(sampleContentDigest(sample));
  });
});
