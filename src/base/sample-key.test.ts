import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bySampleOrder, isSameSample, type SampleKey, sampleKeyText } from './sample-key.ts';

const at = (id: string | number, epoch = 1): SampleKey => ({ id, epoch });

test('1 and "1" are one sample, at one epoch', () => {
  expect(isSameSample(at(1), at('1'))).toBe(true);
  expect(isSameSample(at(1), at(1, 2))).toBe(false);
  expect(isSameSample(at('01'), at(1))).toBe(false);
  expect(sampleKeyText(1, 2)).toBe(sampleKeyText('1', 2));
});

test('samples are in order of epoch, then of id, and numbers are numbers', () => {
  const sorted = [at(10), at(2, 2), at(2), at('b', 2), at('a', 2), at(1, 3)].sort(bySampleOrder);
  expect(sorted.map(({ id, epoch }) => `${id}/${epoch}`)).toEqual([
    '2/1',
    '10/1',
    '2/2',
    'a/2',
    'b/2',
    '1/3',
  ]);
});

test('the same sample has the same name, and another never', () => {
  const key = fc.record({
    id: fc.oneof(fc.nat(30), fc.stringMatching(/^[0-9a-z_]{1,4}$/)),
    epoch: fc.integer({ min: 1, max: 3 }),
  });
  const property = fc.property(key, key, (a, b) => {
    expect(sampleKeyText(a.id, a.epoch) === sampleKeyText(b.id, b.epoch)).toBe(isSameSample(a, b));
    expect(Math.sign(bySampleOrder(a, b))).toBe(-Math.sign(bySampleOrder(b, a)) + 0);
  });
  fc.assert(property, { numRuns: 500 });
});
