import { expect, test } from 'vitest';
import { fixtureFields, writeFixtureLog } from '../../../test/sim/log-fixture.ts';
import { SimulatedDisk } from '../../../test/sim/simulated-disk.ts';
import { type Json, parseJson } from '../../base/index.ts';
import { openLog } from '../../log/index.ts';
import { dumpLog } from './dump-log.ts';

test('a dump holds what the log holds, however deep it lies', async () => {
  let deep: Json = 'the ground';
  for (let level = 0; level < 150; level++) deep = level % 2 === 0 ? [deep] : { down: deep };
  const disk = new SimulatedDisk();
  await writeFixtureLog(disk, '/x.eval', {
    samples: [{ fields: fixtureFields(1, { metadata: { deep } }), events: [] }],
  });

  const log = await openLog(disk, '/x.eval');
  const text = (await Array.fromAsync(dumpLog(log, { isStrict: false }))).join('');
  await log.close();

  expect(parseJson(text)).toMatchObject({ samples: [{ metadata: { deep } }] });
});
