import { expect, test } from 'vitest';
import { RUN, sharedFixture } from '../../test/sim/shared-fixture.ts';
import { NO_WORK } from '../../test/sim/submitted-work.ts';
import { inPurses, joinPurse, leavePurse, spentOfPurse } from './purse.ts';
import { beginRound, budgetOfRound, createSubmission } from './rounds.ts';
import { SharedRun } from './shared-run.ts';

test('[SHR-23] what runs with one budget spent is counted together, builds of the same name by their runs; one alone is counted as ever', async () => {
  const fixture = sharedFixture({ purse: 'p' });
  const { place } = fixture;
  const spentOn = async (run: string) => new Map(Object.entries({ [`w:${run}`]: 1, 'b:b0': 2 }));
  for (const run of [RUN, 'other']) await joinPurse(place, { purse: 'p', run });
  await joinPurse(place, { purse: 'q', run: 'third' });
  const all = await spentOfPurse(place, { run: RUN, purse: 'p' }, spentOn);
  expect(Object.fromEntries(all)).toEqual({ 'w:run': 1, 'w:other': 1, 'b:run/b0': 2, 'b:other/b0': 2 });
  const alone = await spentOfPurse(place, { run: RUN }, spentOn);
  expect(Object.fromEntries(alone)).toEqual({ 'w:run': 1, 'b:b0': 2 });
  await fixture.submit();
  await leavePurse(place, RUN);
  const left = await spentOfPurse(place, { run: 'other', purse: 'p' }, spentOn);
  expect(Object.fromEntries(left)).toEqual({ 'w:other': 1, 'b:other/b0': 2 });
});

test('[SHR-26] a run whose submission cannot be read leaves its purse all the same', async () => {
  const fixture = sharedFixture({ purse: 'p' });
  const { place, bucket } = fixture;
  await joinPurse(place, { purse: 'p', run: RUN });
  const { keys } = await fixture.submit();
  await bucket.remove(keys.submission);
  await bucket.create(keys.submission, Buffer.from('{'));
  await leavePurse(place, RUN);
  expect(await inPurses(place, RUN)).toEqual([]);
});

test('[SHR-23] a budget that is said for a round of one run is that of all runs of its purse, at once; what is said later counts', async () => {
  const fixture = sharedFixture({ purse: 'p', work: { ...NO_WORK, budgetUsd: 1 } });
  const { place, clock, submission } = fixture;
  for (const run of [RUN, 'other']) await joinPurse(place, { purse: 'p', run });
  const shared = await fixture.submit();
  await createSubmission(place, { ...submission, run: 'other' });
  const other = await SharedRun.open(place, 'other');
  if (!other) throw new Error('it is gone');
  const say = async (run: SharedRun, budgetUsd: number) => {
    await clock.advance(1_000);
    await beginRound(run, place, { clock, by: 'laptop', budgetUsd });
    await shared.refresh();
    await other.refresh();
  };
  expect([shared.budgetUsd, other.budgetUsd]).toEqual([1, 1]);
  await say(other, 5);
  expect([shared.budgetUsd, other.budgetUsd]).toEqual([5, 5]);
  // Also for whoever works on the round that was begun before.
  expect(await budgetOfRound(place, submission, 1)).toBe(5);
  await say(shared, 3);
  expect([shared.budgetUsd, other.budgetUsd]).toEqual([3, 3]);
  expect(await budgetOfRound(place, { ...submission, run: 'other' }, 1)).toBe(3);
});
