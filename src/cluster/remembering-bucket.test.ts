import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { memoryBucket } from '../../test/sim/memory-bucket.ts';
import { makeTempDir } from '../../test/sim/temp-dir.ts';
import { nodeDisk } from '../disk/index.ts';
import { rememberingBucket } from './remembering-bucket.ts';

const KEY = 'run/segments/a';

async function fixture(dir: string) {
  const stored = memoryBucket();
  let reads = 0;
  const bucket = {
    ...stored,
    read: (key: string) => {
      reads++;
      return stored.read(key);
    },
  };
  await stored.create(KEY, Buffer.from('whole'));
  await stored.create('beat', Buffer.from('changes'));
  const remembering = rememberingBucket(bucket, {
    ...{ disk: nodeDisk, dir, isLasting: (key: string) => key.startsWith('run/') },
  });
  return {
    text: async (key: string) => Buffer.from((await remembering.read(key)) ?? []).toString(),
    reads: () => reads,
  };
}

test('what never changes is read from the bucket once, and everything else each time', async () => {
  await using dir = await makeTempDir();
  const { text, reads } = await fixture(dir.path);
  expect([await text(KEY), await text(KEY)]).toEqual(['whole', 'whole']);
  expect(reads()).toBe(1);
  expect([await text('beat'), await text('beat')]).toEqual(['changes', 'changes']);
  expect(reads()).toBe(3);
});

test('what was torn here is not believed: it is read once more, and remembered anew', async () => {
  await using dir = await makeTempDir();
  const { text, reads } = await fixture(dir.path);
  await text(KEY);
  const files = readdirSync(dir.path, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
  expect(files).toHaveLength(1);
  for (const { parentPath, name } of files) {
    const path = join(parentPath, name);
    for (const torn of [readFileSync(path).subarray(0, -1), Buffer.alloc(0)]) {
      const before = reads();
      writeFileSync(path, torn);
      expect([await text(KEY), await text(KEY)]).toEqual(['whole', 'whole']);
      expect(reads()).toBe(before + 1);
    }
  }
});
