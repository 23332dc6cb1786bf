import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { memoryBucket } from '../../test/sim/memory-bucket.ts';
import { makeTempDir } from '../../test/sim/temp-dir.ts';
import { nodeDisk } from '../disk/index.ts';
import { shipLog } from './index.ts';

test('[SEG-9] a log counts as shipped only when the bucket holds the very same bytes', async () => {
  await using dir = await makeTempDir();
  const path = join(dir.path, 'a.eval');
  await writeFile(path, Buffer.alloc(3_000_000, 'log'));
  const bucket = memoryBucket();
  const ship = () => shipLog({ disk: nodeDisk, path, bucket, key: 'a.eval' });
  await ship();
  expect((await bucket.read('a.eval'))?.length).toBe(3_000_000);
  // An earlier try that came as far as that is fine; another object of that name is not.
  await ship();
  await bucket.remove('a.eval');
  await bucket.create('a.eval', Buffer.alloc(3_000_000, 'lag'));
  await expect(ship()).rejects.toMatchObject({ code: 'E_LOG_NOT_SHIPPED' });
});
