import { expect, test } from 'vitest';
import { replaceFile } from '../../src/disk/index.ts';
import { FaultyBucket } from './faulty-bucket.ts';
import { FaultyDisk } from './faulty-disk.ts';
import { memoryBucket } from './memory-bucket.ts';
import { SimulatedDisk } from './simulated-disk.ts';

const ONE = Uint8Array.of(1);
const TWO = Uint8Array.of(2);

test('a fault that never struck fails the test that set it', () => {
  const faulty = new FaultyDisk(new SimulatedDisk(), [{ on: 'rename', errno: 'EIO', at: /x$/ }]);
  expect(() => faulty[Symbol.dispose]()).toThrow('never struck');
  const bucket = new FaultyBucket(memoryBucket(), [{ on: 'replaceIf', kind: 'timeout' }]);
  expect(() => bucket[Symbol.dispose]()).toThrow('never struck');
});

test('a fault strikes once, at its path, after as many calls as it says', async () => {
  const disk = new SimulatedDisk();
  using faulty = new FaultyDisk(disk, [{ on: 'read', errno: 'EIO', at: /b$/, after: 1 }]);
  await faulty.read('/a');
  await faulty.read('/b');
  await expect(faulty.read('/b')).rejects.toMatchObject({ code: 'E_DISK_IO', cause: { code: 'EIO' } });
  await faulty.read('/b');
});

test('a disk is full after so many bytes over all writes, and the last write is short', async () => {
  const disk = new SimulatedDisk();
  using faulty = new FaultyDisk(disk, [{ on: 'write', errno: 'ENOSPC', afterBytes: 5 }]);
  await using file = await faulty.open('/a', 'create');
  await file.write(Uint8Array.of(1, 2, 3), 0);
  await expect(file.write(Uint8Array.of(4, 5, 6), 3)).rejects.toMatchObject({ code: 'E_DISK_FULL' });
  expect(await disk.read('/a')).toEqual(Uint8Array.of(1, 2, 3, 4, 5));
  await replaceFile(faulty, '/b', ONE);
});

test('a timeout did nothing; a lost acknowledgement did it; a duplicate says false to its own create', async () => {
  const bucket = memoryBucket();
  using faulty = new FaultyBucket(bucket, [
    { on: 'create', kind: 'timeout', at: /^a$/ },
    { on: 'create', kind: 'lostAcknowledgement', at: /^b$/ },
    { on: 'create', kind: 'duplicate', at: /^c$/ },
    { on: 'list', kind: 'timeout' },
  ]);
  const unavailable = { code: 'E_BUCKET_AWAY', retryable: true };
  await expect(faulty.create('a', ONE)).rejects.toMatchObject(unavailable);
  expect(await bucket.read('a')).toBeUndefined();
  await expect(faulty.create('b', ONE)).rejects.toMatchObject(unavailable);
  expect(await faulty.create('b', TWO)).toBe(false);
  expect(await bucket.read('b')).toEqual(ONE);
  expect(await faulty.create('c', ONE)).toBe(false);
  expect(await bucket.read('c')).toEqual(ONE);
  await expect(Array.fromAsync(faulty.list(''))).rejects.toMatchObject(unavailable);
});
