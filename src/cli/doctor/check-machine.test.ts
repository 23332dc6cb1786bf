import { expect, test } from 'vitest';
import { FaultyDisk } from '../../../test/sim/faulty-disk.ts';
import { linklessDisk } from '../../../test/sim/linkless-disk.ts';
import { SimulatedDisk } from '../../../test/sim/simulated-disk.ts';
import { checkLinks } from './check-machine.ts';

test('doctor says that hard links work, and leaves nothing', async () => {
  const disk = new SimulatedDisk();
  expect(await checkLinks(disk, '/')).toMatchObject({ name: 'hard links', status: 'ok' });
  expect(await disk.list('/')).toEqual([]);
});

test('doctor says plainly when there are no hard links, and what happens then', async () => {
  const disk = new SimulatedDisk();
  const check = await checkLinks(linklessDisk(disk), '/');
  expect(check).toMatchObject({ name: 'hard links', detail: expect.stringContaining('do not work here') });
  expect(check.status).not.toBe('ok');
  expect(check.next).toContain('ext4');
  expect(await disk.list('/')).toEqual([]);
});

test('doctor does not mistake a broken disk for one without hard links', async () => {
  using disk = new FaultyDisk(new SimulatedDisk(), [{ on: 'link', errno: 'EIO' }]);
  expect(await checkLinks(disk, '/')).toMatchObject({
    status: 'fail',
    detail: expect.stringContaining('EIO'),
  });
});
