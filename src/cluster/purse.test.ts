import { expect, test } from 'vitest';
import { RUN, sharedFixture } from '../../test/sim/shared-fixture.ts';
import { joinPurse, leavePurse, spentOfPurse } from './purse.ts';

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
