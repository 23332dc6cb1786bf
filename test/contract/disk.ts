import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Disk } from '../../src/disk/index.ts';

export interface DiskUnderTest extends AsyncDisposable {
  readonly disk: Disk;
  /** An empty directory that exists. */
  readonly root: string;
}

/** What every Disk must do. What power loss does is the matter of `test/sim`: a real machine cannot lose it on request. */
export function diskContract(name: string, make: () => Promise<DiskUnderTest>): void {
  const withDisk = (run: (disk: Disk, at: (...parts: string[]) => string) => Promise<void>) => async () => {
    await using made = await make();
    await run(made.disk, (...parts) => join(made.root, ...parts));
  };

  describe(`${name} keeps the contract of a disk`, () => {
    test(
      '[DISK-1] what is written is readable at once, by any handle',
      withDisk(async (disk, at) => {
        await using file = await disk.open(at('a'), 'create');
        await file.write(text('hello'), 0);
        expect(await readText(disk, at('a'))).toBe('hello');
        await file.write(text('LL'), 2);
        await file.sync();
        await using other = await disk.open(at('a'), 'read');
        const into = new Uint8Array(3);
        expect(await other.read(into, 1)).toBe(3);
        expect(decode(into)).toBe('eLL');
      }),
    );

    test(
      '[DISK-1] a read gives fewer bytes only at the end of the file',
      withDisk(async (disk, at) => {
        await write(disk, at('a'), 'hello');
        await using file = await disk.open(at('a'), 'read');
        const into = new Uint8Array(8);
        expect(await file.read(into, 3)).toBe(2);
        expect(decode(into.subarray(0, 2))).toBe('lo');
        expect(await file.read(into, 5)).toBe(0);
        expect(await file.read(into, 500)).toBe(0);
        expect(await file.sizeBytes()).toBe(5);
      }),
    );

    test(
      '[DISK-1] a write beyond the end leaves zeros between, and truncate cuts or adds zeros',
      withDisk(async (disk, at) => {
        await using file = await disk.open(at('a'), 'create');
        await file.write(text('x'), 2);
        expect(await disk.read(at('a'))).toEqual(bytes(0, 0, 120));
        await file.truncate(1);
        expect(await file.sizeBytes()).toBe(1);
        await file.truncate(3);
        expect(await disk.read(at('a'))).toEqual(bytes(0, 0, 0));
        await file.write(bytes(), 0);
        expect(await file.sizeBytes()).toBe(3);
      }),
    );

    test(
      '[DISK-1] bytes are copied when they are written, and a value that was read is nobody else\u2019s',
      withDisk(async (disk, at) => {
        const mine = text('abc');
        await using file = await disk.open(at('a'), 'create');
        await file.write(mine, 0);
        mine[0] = 0;
        const read = await disk.read(at('a'));
        read?.fill(0);
        expect(await readText(disk, at('a'))).toBe('abc');
      }),
    );

    test(
      '[DISK-1] create refuses a name that exists, update and read refuse one that does not',
      withDisk(async (disk, at) => {
        await write(disk, at('a'), 'x');
        await expect(disk.open(at('a'), 'create')).rejects.toMatchObject({ code: 'EEXIST' });
        await expect(disk.open(at('b'), 'update')).rejects.toMatchObject({ code: 'ENOENT' });
        await expect(disk.open(at('b'), 'read')).rejects.toMatchObject({ code: 'ENOENT' });
        expect(await readText(disk, at('a'))).toBe('x');
      }),
    );

    test(
      '[DISK-1] update keeps what is there, and read does not write',
      withDisk(async (disk, at) => {
        await write(disk, at('a'), 'abc');
        await using file = await disk.open(at('a'), 'update');
        await file.write(text('X'), 1);
        expect(await readText(disk, at('a'))).toBe('aXc');
        await using reader = await disk.open(at('a'), 'read');
        await expect(reader.write(text('!'), 0)).rejects.toMatchObject({ code: 'EBADF' });
        expect(await readText(disk, at('a'))).toBe('aXc');
      }),
    );

    test(
      '[DISK-2] names appear and go, and their directory can be synced',
      withDisk(async (disk, at) => {
        await write(disk, at('a'), 'x');
        await disk.syncDir(at());
        expect(await disk.list(at())).toEqual([{ name: 'a', kind: 'file' }]);
        await disk.remove(at('a'));
        await disk.remove(at('a'));
        await disk.syncDir(at());
        expect(await disk.list(at())).toEqual([]);
        await expect(disk.syncDir(at('none'))).rejects.toMatchObject({ code: 'ENOENT' });
      }),
    );

    test(
      '[DISK-2] makeDir makes all parents, is content with what exists, and refuses a file in the way',
      withDisk(async (disk, at) => {
        await disk.makeDir(at('a', 'b', 'c'));
        await disk.makeDir(at('a', 'b', 'c'));
        await disk.makeDir(at());
        expect(await disk.stat(at('a', 'b', 'c'))).toMatchObject({ kind: 'directory' });
        await write(disk, at('file'), 'x');
        await expect(disk.makeDir(at('file'))).rejects.toMatchObject({ code: 'EEXIST' });
        await expect(disk.makeDir(at('file', 'below'))).rejects.toThrow();
        expect(await readText(disk, at('file'))).toBe('x');
      }),
    );

    test(
      '[DISK-2] makeDir makes nothing above what it is told to stay below, nor that itself',
      withDisk(async (disk, at) => {
        const below = at('a');
        await expect(disk.makeDir(at('a', 'b', 'c'), { below })).rejects.toMatchObject({ code: 'ENOENT' });
        await expect(disk.makeDir(below, { below: `${below}/.` })).rejects.toMatchObject({ code: 'ENOENT' });
        expect(await disk.list(at())).toEqual([]);
        await disk.makeDir(below);
        await disk.makeDir(at('a', 'b', 'c'), { below });
        await disk.makeDir(below, { below });
        expect(await disk.list(at('a', 'b'))).toEqual([{ name: 'c', kind: 'directory' }]);
      }),
    );

    test(
      '[DISK-6] what is renamed stays what it is, and nothing else is it',
      withDisk(async (disk, at) => {
        const identityOf = async (name: string) => (await disk.stat(at(name)))?.identity;
        await disk.makeDir(at('dir'));
        await write(disk, at('file'), 'x');
        await disk.link(at('file'), at('link'));
        const [dir, file] = [await identityOf('dir'), await identityOf('file')];
        expect(await identityOf('link')).toBe(file);
        await disk.rename(at('dir'), at('moved'));
        expect(await identityOf('moved')).toBe(dir);
        await disk.makeDir(at('dir'));
        const all = [dir, file, await identityOf('dir')];
        expect(new Set(all).size).toBe(3);
        for (const identity of all) expect(identity).toEqual(expect.any(String));
      }),
    );

    test(
      '[DISK-2] many may make one directory at once',
      withDisk(async (disk, at) => {
        await Promise.all(Array.from({ length: 8 }, () => disk.makeDir(at('a', 'b', 'c'))));
        expect(await disk.list(at('a', 'b'))).toEqual([{ name: 'c', kind: 'directory' }]);
      }),
    );

    test(
      '[DISK-2] removeTree removes all below, and a missing tree is fine',
      withDisk(async (disk, at) => {
        await disk.makeDir(at('a', 'b'));
        await write(disk, at('a', 'b', 'x'), 'x');
        await write(disk, at('a', 'y'), 'y');
        await disk.removeTree(at('a'));
        await disk.removeTree(at('a'));
        expect(await disk.list(at())).toEqual([]);
      }),
    );

    test(
      '[DISK-3] rename replaces what was there, and a reader sees the old bytes or the new ones',
      withDisk(async (disk, at) => {
        await write(disk, at('a'), 'old');
        const seen: Promise<string | undefined>[] = [];
        for (let turn = 0; turn < 20; turn++) {
          await write(disk, at('temp'), 'new');
          seen.push(readText(disk, at('a')));
          await disk.rename(at('temp'), at('a'));
          seen.push(readText(disk, at('a')));
        }
        for (const value of await Promise.all(seen)) expect(['old', 'new']).toContain(value);
        expect(await disk.list(at())).toEqual([{ name: 'a', kind: 'file' }]);
      }),
    );

    test(
      '[DISK-3] a renamed file stays the same to those who have it open, and so does a removed one',
      withDisk(async (disk, at) => {
        await write(disk, at('a'), 'old');
        await using file = await disk.open(at('a'), 'read');
        await write(disk, at('b'), 'new');
        await disk.rename(at('b'), at('a'));
        const into = new Uint8Array(3);
        await file.read(into, 0);
        expect(decode(into)).toBe('old');
      }),
    );

    test(
      '[DISK-3] a directory is renamed with all that is in it, into another directory too',
      withDisk(async (disk, at) => {
        await disk.makeDir(at('a'));
        await disk.makeDir(at('other'));
        await write(disk, at('a', 'x'), 'x');
        await disk.rename(at('a'), at('other', 'b'));
        expect(await readText(disk, at('other', 'b', 'x'))).toBe('x');
        expect(await disk.stat(at('a'))).toBeUndefined();
        await expect(disk.rename(at('a'), at('z'))).rejects.toMatchObject({ code: 'ENOENT' });
      }),
    );

    test(
      '[DISK-4] link gives a file a second name, and refuses one that exists',
      withDisk(async (disk, at) => {
        await write(disk, at('a'), 'one');
        await disk.link(at('a'), at('b'));
        await disk.remove(at('a'));
        expect(await readText(disk, at('b'))).toBe('one');
        await write(disk, at('c'), 'two');
        await expect(disk.link(at('c'), at('b'))).rejects.toMatchObject({ code: 'EEXIST' });
        await expect(disk.link(at('none'), at('d'))).rejects.toMatchObject({ code: 'ENOENT' });
        expect(await readText(disk, at('b'))).toBe('one');
      }),
    );

    test(
      '[DISK-4] of many links to one name exactly one succeeds',
      withDisk(async (disk, at) => {
        const sources = Array.from({ length: 8 }, (_, index) => at(`source-${index}`));
        for (const source of sources) await write(disk, source, source);
        const results = await Promise.allSettled(sources.map((source) => disk.link(source, at('target'))));
        const winners = sources.filter((_, index) => results[index]?.status === 'fulfilled');
        expect(winners).toHaveLength(1);
        expect(await readText(disk, at('target'))).toBe(winners[0]);
      }),
    );

    test(
      '[DISK-4] renaming one name of a file to another of its names leaves both',
      withDisk(async (disk, at) => {
        await write(disk, at('a'), 'x');
        await disk.link(at('a'), at('b'));
        await disk.rename(at('a'), at('b'));
        expect((await disk.list(at()))?.map(({ name }) => name)).toEqual(['a', 'b']);
      }),
    );

    test(
      '[DISK-5] what is missing is undefined',
      withDisk(async (disk, at) => {
        for (const path of [at('none'), at('none', 'below')]) {
          expect(await disk.read(path)).toBeUndefined();
          expect(await disk.stat(path)).toBeUndefined();
          expect(await disk.list(path)).toBeUndefined();
        }
      }),
    );

    test(
      '[DISK-5] what is there but is something else throws',
      withDisk(async (disk, at) => {
        await disk.makeDir(at('dir'));
        await write(disk, at('file'), 'x');
        await expect(disk.read(at('dir'))).rejects.toMatchObject({ code: 'EISDIR' });
        await expect(disk.list(at('file'))).rejects.toMatchObject({ code: 'ENOTDIR' });
        await expect(disk.read(at('file', 'below'))).rejects.toMatchObject({ code: 'ENOTDIR' });
      }),
    );

    test(
      '[DISK-5] stat tells kind, size and time; list is sorted by code units',
      withDisk(async (disk, at) => {
        for (const name of ['b', 'a', 'B', 'ä', 'a-b', '10', '9']) await write(disk, at(name), name);
        await disk.makeDir(at('a.d'));
        const names = (await disk.list(at()))?.map(({ name }) => name);
        expect(names).toEqual([...(names ?? [])].sort());
        expect(names).toHaveLength(8);
        expect(await disk.stat(at('10'))).toMatchObject({ kind: 'file', sizeBytes: 2 });
        expect((await disk.stat(at('10')))?.modifiedMs).toBeTypeOf('number');
      }),
    );
  });
}

async function write(disk: Disk, path: string, content: string): Promise<void> {
  await using file = await disk.open(path, 'create');
  await file.write(text(content), 0);
}

async function readText(disk: Disk, path: string): Promise<string | undefined> {
  const found = await disk.read(path);
  return found && decode(found);
}

function text(content: string): Uint8Array {
  return new TextEncoder().encode(content);
}

function decode(content: Uint8Array): string {
  return new TextDecoder().decode(content);
}

function bytes(...values: readonly number[]): Uint8Array {
  return Uint8Array.from(values);
}
