import { chmodSync, existsSync, symlinkSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { systemError } from '../../test/sim/system-error.ts';
import { makeTempDir } from '../../test/sim/temp-dir.ts';
import { nodeDisk, type RawFile, readFully, writeFully } from './node-disk.ts';
import { createFile, replaceFile } from './whole-file.ts';

test('however few bytes the system takes at once, all are written and all are read', async () => {
  const pieces = fc.infiniteStream(fc.integer({ min: 1, max: 5 }));
  const property = fc.asyncProperty(
    fc.uint8Array({ maxLength: 40 }),
    fc.nat(5),
    pieces,
    async (bytes, position, sizes) => {
      const file = new Stingy(sizes);
      await writeFully(file, bytes, position);
      expect(file.content.subarray(position, position + bytes.length)).toEqual(bytes);
      const into = new Uint8Array(bytes.length + 7);
      expect(await readFully(file, into, position)).toBe(bytes.length);
      expect(into.subarray(0, bytes.length)).toEqual(bytes);
    },
  );
  await fc.assert(property, { numRuns: 200 });
});

test.skipIf(!existsSync('/dev/full'))('a full disk is told as such, with the path', async () => {
  await using file = await nodeDisk.open('/dev/full', 'update');
  await expect(file.write(new Uint8Array(10), 0)).rejects.toMatchObject({
    code: 'E_DISK_FULL',
    message: expect.stringContaining('/dev/full'),
    cause: { code: 'ENOSPC' },
  });
});

test('[DISK-1] [DISK-2] storing a file asks the system to flush the file, then its directory', async () => {
  await using dir = await makeTempDir();
  using syncs = await watchSyncs();
  await replaceFile(nodeDisk, join(dir.path, 'a'), new Uint8Array(3));
  expect(syncs.kinds).toEqual(['file', 'directory']);
  await createFile(nodeDisk, join(dir.path, 'b'), new Uint8Array(3));
  expect(syncs.kinds).toEqual(['file', 'directory', 'file', 'directory']);
  await nodeDisk.makeDir(join(dir.path, 'c', 'd'));
  // The name of the temporary directory itself, of c, and of d.
  expect(syncs.kinds.slice(4)).toEqual(['directory', 'directory', 'directory']);
});

test.each(['ENOTSUP', 'EOPNOTSUPP', 'EINVAL'])(
  '[DISK-2] %s of a directory flush is tolerated',
  async (errno) => {
    await using dir = await makeTempDir();
    using _syncs = await watchSyncs({ kind: 'directory', errno });
    await replaceFile(nodeDisk, join(dir.path, 'a'), Uint8Array.of(1));
    expect(await nodeDisk.read(join(dir.path, 'a'))).toEqual(Uint8Array.of(1));
  },
);

test.each([
  ['directory', 'EIO', 'E_DISK_IO'],
  ['directory', 'ENOSPC', 'E_DISK_FULL'],
  ['file', 'EIO', 'E_DISK_IO'],
  ['file', 'EINVAL', 'EINVAL'],
] as const)('[DISK-2] the flush of a %s that fails with %s is a failure', async (kind, errno, code) => {
  await using dir = await makeTempDir();
  using _syncs = await watchSyncs({ kind, errno });
  await expect(replaceFile(nodeDisk, join(dir.path, 'a'), Uint8Array.of(1))).rejects.toMatchObject({ code });
});

const asOrdinaryUser = test.skipIf(process.platform === 'win32' || process.getuid?.() === 0);

asOrdinaryUser('a directory that may not be written is told as such', async () => {
  await using dir = await makeTempDir();
  const locked = join(dir.path, 'locked');
  await nodeDisk.makeDir(locked);
  chmodSync(locked, 0o500);
  const denied = { code: 'E_DISK_DENIED', message: expect.stringContaining(locked) };
  await expect(nodeDisk.makeDir(join(locked, 'a'))).rejects.toMatchObject(denied);
  await expect(replaceFile(nodeDisk, join(locked, 'a'), new Uint8Array())).rejects.toMatchObject(denied);
  chmodSync(locked, 0o700);
});

asOrdinaryUser('a directory that exists is fine, although its parent may not be read', async () => {
  await using dir = await makeTempDir();
  const parent = join(dir.path, 'parent');
  await nodeDisk.makeDir(join(parent, 'mine'));
  chmodSync(parent, 0o111);
  await nodeDisk.makeDir(join(parent, 'mine'));
  await nodeDisk.makeDir(join(parent, 'mine', 'new'));
  chmodSync(parent, 0o700);
});

test('stat follows a link, list shows it as something else', async () => {
  await using dir = await makeTempDir();
  await replaceFile(nodeDisk, join(dir.path, 'file'), new Uint8Array(3));
  symlinkSync('file', join(dir.path, 'link'));
  symlinkSync('nowhere', join(dir.path, 'broken'));
  expect(await nodeDisk.stat(join(dir.path, 'link'))).toMatchObject({ kind: 'file', sizeBytes: 3 });
  expect(await nodeDisk.stat(join(dir.path, 'broken'))).toBeUndefined();
  expect(await nodeDisk.list(dir.path)).toEqual([
    { name: 'broken', kind: 'other' },
    { name: 'file', kind: 'file' },
    { name: 'link', kind: 'other' },
  ]);
  await expect(nodeDisk.makeDir(join(dir.path, 'broken', 'x'))).rejects.toMatchObject({ code: 'EEXIST' });
});

test('an empty path is refused', async () => {
  await expect(nodeDisk.makeDir('')).rejects.toMatchObject({ code: 'ENOENT' });
});

test('of many createFile at once exactly one makes the file, and no orphan stays', async () => {
  await using dir = await makeTempDir();
  const path = join(dir.path, 'file');
  const words = Array.from({ length: 16 }, (_, index) => new TextEncoder().encode(`writer ${index}`));
  const results = await Promise.all(words.map((word) => createFile(nodeDisk, path, word)));
  expect(results.filter(Boolean)).toHaveLength(1);
  expect(await nodeDisk.read(path)).toEqual(words[results.indexOf(true)]);
  expect(await nodeDisk.list(dir.path)).toEqual([{ name: 'file', kind: 'file' }]);
});

interface Syncs extends Disposable {
  readonly kinds: ('file' | 'directory')[];
}

/** Watches what node asks the system to flush, and lets it fail on request. */
async function watchSyncs(fault?: { readonly kind: string; readonly errno: string }): Promise<Syncs> {
  await using handle = await open('.', 'r');
  const prototype: { sync(this: FileHandle): Promise<void> } = Object.getPrototypeOf(handle);
  const original = prototype.sync;
  const kinds: Syncs['kinds'] = [];
  prototype.sync = async function () {
    const kind = (await this.stat()).isDirectory() ? 'directory' : 'file';
    kinds.push(kind);
    if (kind === fault?.kind) throw systemError(fault.errno, 'sync');
    await original.call(this);
  };
  return {
    kinds,
    [Symbol.dispose]() {
      prototype.sync = original;
    },
  };
}

/** A file that moves a few bytes at a time, as the system may. */
class Stingy implements RawFile {
  readonly #sizes: Iterator<number>;
  content = new Uint8Array();

  constructor(sizes: Iterator<number>) {
    this.#sizes = sizes;
  }

  async read(into: Uint8Array, offset: number, length: number, position: number) {
    const found = this.content.subarray(position, position + Math.min(length, this.#next()));
    into.set(found, offset);
    return { bytesRead: found.length };
  }

  async write(bytes: Uint8Array, offset: number, length: number, position: number) {
    const taken = bytes.subarray(offset, offset + Math.min(length, this.#next()));
    const grown = new Uint8Array(Math.max(this.content.length, position + taken.length));
    grown.set(this.content);
    grown.set(taken, position);
    this.content = grown;
    return { bytesWritten: taken.length };
  }

  #next(): number {
    return Number(this.#sizes.next().value);
  }
}
