import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeTempDir } from '../../../test/sim/temp-dir.ts';
import { digestOf } from '../../base/index.ts';
import { nodeDisk } from '../../disk/index.ts';
import { findBufferDatabases, parseBufferPath, platformDataDirs } from './locate-buffer.ts';

test('the name of a database tells its log and its process', () => {
  expect(parseBufferPath('/x/2026_task_id.eval.4711.db')).toEqual({
    path: '/x/2026_task_id.eval.4711.db',
    logName: '2026_task_id.eval',
    pid: 4711,
  });
  expect(parseBufferPath('/x/x.eval.1.db-wal')).toEqual({
    path: '/x/x.eval.1.db',
    logName: 'x.eval',
    pid: 1,
  });
  for (const name of ['x.eval.db', 'x.eval.abc.db', 'x.eval.1.db-shm', 'journal.db'])
    expect(parseBufferPath(name)).toBeUndefined();
});

test('the folder is named by the hash of the log directory’s address', () => {
  expect(digestOf('file:///tmp/logs')).toBe(
    '80f6e7175697b8ccf4e9f6b2b89dae6b07f2126f7b6cebb767680ef08761ddfd',
  );
  expect(digestOf('s3://bucket/logs')).toBe(
    'a179a53734e6142e0de98894224669293a8bb5bdc9729393ba168867731f2dda',
  );
});

test.each([
  ['a plain path', '/some/logs', 'file:///some/logs'],
  ['a path with a slash at its end', '/some/logs/', 'file:///some/logs'],
  ['a path with a space, escaped', '/some/my logs', 'file:///some/my%20logs'],
  ['a path with a space, as it is', '/some/my logs', 'file:///some/my logs'],
  ['a path with an @, as older releases wrote it', '/some/me@home', 'file:///some/me%40home'],
  ['a file URL', 'file:///some/logs', 'file:///some/logs'],
  ['a bucket', 's3://bucket/logs/', 's3://bucket/logs'],
])('databases are found for %s', async (_, logDir, address) => {
  await using dir = await makeTempDir();
  const folder = join(dir.path, 'inspect_ai/samplebuffer', digestOf(address));
  await mkdir(folder, { recursive: true });
  for (const name of ['a.eval.1.db', 'a.eval.1.db-wal', 'b.eval.22.db', 'other.txt'])
    await writeFile(join(folder, name), '');
  const found = await findBufferDatabases(nodeDisk, { logDir, dataDirs: [dir.path] });
  expect(found.map(({ logName, pid }) => [logName, pid])).toEqual([
    ['a.eval', 1],
    ['b.eval', 22],
  ]);
});

test('no directory, no databases', async () => {
  await using dir = await makeTempDir();
  await writeFile(join(dir.path, 'file'), '');
  for (const dataDir of [join(dir.path, 'nowhere'), join(dir.path, 'file')])
    expect(await findBufferDatabases(nodeDisk, { logDir: '/x', dataDirs: [dataDir] })).toEqual([]);
});

test('where each system keeps the data of applications', () => {
  const home = '/home/me';
  expect(platformDataDirs({ platform: 'linux', home })).toEqual(['/home/me/.local/share']);
  expect(platformDataDirs({ platform: 'linux', home, xdgDataHome: '/data' })).toEqual(['/data']);
  expect(platformDataDirs({ platform: 'darwin', home })).toEqual(['/home/me/Library/Application Support']);
  expect(platformDataDirs({ platform: 'win32', home, localAppData: '/local' })).toEqual(['/local']);
});
