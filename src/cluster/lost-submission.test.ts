import { expect, test } from 'vitest';
import { RUN, sharedFixture } from '../../test/sim/shared-fixture.ts';
import { findShared, lostRuns, sharedRunIds } from './find-shared.ts';
import { refuseRemoved } from './removed-runs.ts';
import { beginRound } from './rounds.ts';
import { removedKey } from './shared-keys.ts';

/** A run that was submitted and opened, and whose submission then went. */
async function withoutSubmission() {
  const fixture = sharedFixture();
  const shared = await fixture.submit();
  await fixture.bucket.remove(shared.keys.submission);
  return { ...fixture, shared };
}

const GONE = { code: 'E_SHARED_DAMAGED', message: expect.stringContaining(`${RUN}/shared/submission`) };

test.each([RUN, RUN.slice(0, 2)])(
  '[SHR-26] a run that lost its submission is named as damaged when it is looked for as %s, and is neither unknown nor removed',
  async (named) => {
    const { place, shared, clock } = await withoutSubmission();
    await expect(findShared(place, named)).rejects.toMatchObject(GONE);
    await expect(refuseRemoved(shared, place, { round: 1 })).rejects.toMatchObject(GONE);
    await expect(beginRound(shared, place, { clock, by: 'laptop' })).rejects.toMatchObject(GONE);
    expect(await sharedRunIds(place)).toEqual([]);
    expect(await lostRuns(place, new Set())).toEqual([{ run: RUN, problem: GONE.message }]);
    expect(await lostRuns(place, new Set([RUN]))).toEqual([]);
  },
);

test.each([
  ['was removed', removedKey('', RUN)],
  ['is being removed', `${RUN}/shared/rounds/0001.removing`],
])('[SHR-26] one that %s is told as that, and is not damaged', async (_, key) => {
  const { place, bucket, shared } = await withoutSubmission();
  await bucket.create(key, new Uint8Array());
  await expect(findShared(place, RUN)).rejects.toMatchObject({ code: 'E_SHARED_REMOVED' });
  await expect(refuseRemoved(shared, place, { round: 1 })).rejects.toMatchObject({
    code: 'E_SHARED_REMOVED',
  });
  expect(await lostRuns(place, new Set())).toEqual([]);
});

test('what a submit leaves before its submission, and what never was, is no run that lost anything', async () => {
  const { place, bucket } = sharedFixture();
  await bucket.create(`${RUN}/segments/w/00000001`, Buffer.from('x'));
  await bucket.create(`workers/w`, Buffer.from('x'));
  for (const named of [RUN, 'workers', 'another'])
    await expect(findShared(place, named)).rejects.toMatchObject({ code: 'E_SHARED_UNKNOWN' });
  expect(await lostRuns(place, new Set())).toEqual([]);
});
