import fc from 'fast-check';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { BufferReader } from '../journal/index.ts';
import type { MeritRank } from '../log/index.ts';
import { instantOf } from './instant.ts';
import {
  type BufferedAttempt,
  isNewer,
  orderCopies,
  type RecordCopy,
  type SampleCopy,
} from './sample-copies.ts';

const rank = fc.constantFrom<MeritRank>('complete', 'errored', 'interrupted');
const time = fc.option(fc.nat(3), { nil: undefined });
const uuid = fc.constantFrom(undefined, 'u', 'v');
const key = { id: 1, epoch: 1 };
const record = fc
  .record({ rank, uuid, endedAt: time })
  .map((facts): RecordCopy => ({ from: 'record', key, ...facts }));
const attempt = fc
  .record({ rank, uuid, startedAt: time, events: fc.nat(3), isFinal: fc.boolean() })
  .map((facts): BufferedAttempt => ({ from: 'buffers', key, readers: [], ...facts }));
/** Each buffer holds one attempt at a sample, so that places tell attempts apart. */
const copies = fc
  .tuple(fc.option(record, { nil: undefined }), fc.array(attempt, { maxLength: 4 }))
  .map(([flushed, attempts]): readonly SampleCopy[] => [
    ...(flushed ? [flushed] : []),
    ...attempts.map((one, index) => ({ ...one, readers: [{ place: `/${index}` } as BufferReader] })),
  ]);

test('law: the order of copies does not depend on the order in which they were found', () => {
  const shuffled = copies.chain((all) =>
    fc.tuple(fc.constant(all), fc.shuffledSubarray([...all], { minLength: all.length })),
  );
  fc.assert(
    fc.property(shuffled, ([all, other]) => {
      expect(orderCopies(other)).toEqual(orderCopies(all));
    }),
    { numRuns: 3_000 },
  );
});

test('law: a complete copy is never left out for one that is not, nor a newer one for an older of the same worth', () => {
  fc.assert(
    fc.property(copies, (all) => {
      const [best] = orderCopies(all);
      if (!best) return;
      const isComplete = (copy: SampleCopy) => copy.rank === 'complete';
      if (all.some(isComplete)) expect(best.rank).toBe('complete');
      const flushed = all.find((copy) => copy.from === 'record');
      const newer = all.filter((copy) => copy.from === 'buffers' && isNewer(copy, flushed));
      if (newer.some((copy) => isComplete(copy) === isComplete(best)))
        expect(best.from === 'buffers' && isNewer(best, flushed)).toBe(true);
    }),
    { numRuns: 3_000 },
  );
});

test.each([
  ['2026-01-02T03:04:05+00:00', '2026-01-02T03:04:05.000001+00:00'],
  ['2026-01-02T03:04:05.123456+00:00', '2026-01-02T03:04:05.123457Z'],
  ['2026-01-02T03:04:05.999999', '2026-01-02T03:04:06'],
  ['2026-01-02T05:04:05.5+02:00', '2026-01-02T03:04:05.500001Z'],
  ['2026-01-02T03:04:05.05Z', '2026-01-02T03:04:05.1Z'],
  ['2026-01-02 03:04:05', '2026-01-01T22:04:06-05:00'],
])('%s comes before %s', (earlier, later) => {
  expect(Number(instantOf(earlier))).toBeLessThan(Number(instantOf(later)));
});

test.each(['Pacific/Auckland', 'America/Lima', 'UTC'])('a time without a zone is UTC, also in %s', (zone) => {
  vi.stubEnv('TZ', zone);
  onTestFinished(() => void vi.unstubAllEnvs());
  expect(new Date(0).getHours()).toBe({ 'Pacific/Auckland': 12, 'America/Lima': 19, UTC: 0 }[zone]);
  expect(instantOf('2026-01-02T03:04:05')).toBe(Date.UTC(2026, 0, 2, 3, 4, 5) * 1_000);
});

test.each([undefined, '', 'yesterday', '2026-13-45T99:00:00'])('%s is no time', (text) => {
  expect(instantOf(text)).toBeUndefined();
});
