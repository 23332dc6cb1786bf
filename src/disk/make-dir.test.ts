import { expect, test } from 'vitest';
import { type DirectoryCalls, makeDirWith } from './make-dir.ts';

function errno(code: string): Error {
  return Object.assign(new Error(code), { code });
}

/** A file system in which `/a` is there, and what becomes of `/a/b` is told call by call. */
function busyDisk(answers: string[]): DirectoryCalls & { readonly synced: string[] } {
  const there = new Set(['/', '/a']);
  const synced: string[] = [];
  return {
    synced,
    isDirectory: async (path) => there.has(path),
    async makeOne(dir) {
      const answer = answers.shift() ?? 'made';
      if (answer !== 'made') throw errno(answer);
      there.add(dir);
    },
    sync: async (dir) => void synced.push(dir),
  };
}

test('a directory that others make and remove at the same time is made all the same', async () => {
  const disk = busyDisk(['EEXIST', 'ENOENT', 'EEXIST', 'made']);
  await makeDirWith(disk, '/a/b');
  expect(await disk.isDirectory('/a/b')).toBe(true);
  expect(disk.synced.at(-1)).toBe('/a');
});

test('a file of that name stays a failure, and so does whatever does not pass', async () => {
  await expect(makeDirWith(busyDisk(Array(100).fill('EEXIST')), '/a/b')).rejects.toMatchObject({
    code: 'EEXIST',
  });
  await expect(makeDirWith(busyDisk(['EACCES']), '/a/b')).rejects.toMatchObject({ code: 'EACCES' });
});
