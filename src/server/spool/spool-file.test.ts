import { readdirSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { useTempDir } from '../../../test/sim/use-temp-dir.ts';
import { withMethods } from '../../../test/sim/with-methods.ts';
import { nodeDisk } from '../../disk/index.ts';
import { SpoolFile } from './spool-file.ts';

const dir = useTempDir();
const MB = 2 ** 20;

test('what is appended is read back, in whatever portions, while more is appended, in memory and in the file', async () => {
  const sizes = fc.array(fc.oneof(fc.nat(2_000), fc.integer({ min: 100_000, max: 900_000 })), {
    minLength: 1,
    maxLength: 14,
  });
  const property = fc.asyncProperty(sizes, fc.infiniteStream(fc.nat()), async (portions, chance) => {
    await using file = new SpoolFile({ disk: nodeDisk, dir: dir.path });
    let all = Buffer.alloc(0);
    const next = () => chance.next().value as number;
    for (const [index, size] of portions.entries()) {
      const bytes = Buffer.alloc(size, index + 1);
      expect(file.append(bytes)).toBe(all.length);
      all = Buffer.concat([all, bytes]);
      const start = next() % (all.length + 1);
      const sizeBytes = next() % (all.length - start + 1);
      if (index % 2 === 0) await file.settle();
      const read = await file.read({ start, sizeBytes });
      expect(Buffer.compare(read, all.subarray(start, start + sizeBytes))).toBe(0);
    }
    const chunks = await Array.fromAsync(file.chunks({ start: 0, sizeBytes: all.length }, 300_000));
    expect(Buffer.compare(Buffer.concat(chunks), all)).toBe(0);
  });
  await fc.assert(property, { numRuns: 25 });
  expect(readdirSync(dir.path)).toEqual([]);
});

test('what is small becomes no file', async () => {
  await using file = new SpoolFile({ disk: nodeDisk, dir: dir.path });
  file.append(Buffer.alloc(900_000, 1));
  await file.settle();
  expect(readdirSync(dir.path)).toEqual([]);
  expect((await file.read({ start: 10, sizeBytes: 5 })).toString()).toBe('\u0001\u0001\u0001\u0001\u0001');
});

test('a disk that is full is told to whoever fills it, and what was read stays readable', async () => {
  const disk = withMethods(nodeDisk, {
    open: async (path, mode) => {
      const file = await nodeDisk.open(path, mode);
      return withMethods(file, {
        write: async () => {
          throw new Error('ENOSPC');
        },
      });
    },
  });
  await using file = new SpoolFile({ disk, dir: dir.path });
  file.append(Buffer.alloc(3 * MB, 7));
  // The disk answers when it does: how many turns that takes nobody knows.
  await vi.waitFor(() => expect(file.settle()).rejects.toThrow('ENOSPC'), { timeout: 120_000 });
  expect((await file.read({ start: 2 * MB, sizeBytes: 3 }))[0]).toBe(7);
});
