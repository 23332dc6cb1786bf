import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeTempDir } from '../../test/sim/temp-dir.ts';
import { copyTree } from './copy-tree.ts';

const onPosix = test.skipIf(process.platform === 'win32');

test('files, empty files and empty directories arrive', async () => {
  await using dir = await makeTempDir();
  const from = makeTemplate(dir.path, { 'a/b/c.txt': 'c', 'a/empty': '', 'ü ñ.txt': 'u' });
  mkdirSync(join(from, 'hollow'));
  const to = join(dir.path, 'deep', 'copy');
  await copyTree(from, to);
  expect(listAll(to)).toEqual(listAll(from));
  expect(readFileSync(join(to, 'a/b/c.txt'), 'utf8')).toBe('c');
  writeFileSync(join(to, 'a/b/c.txt'), 'changed');
  expect(readFileSync(join(from, 'a/b/c.txt'), 'utf8')).toBe('c');
});

onPosix('modes are kept, of read-only directories and whatever the umask too', async () => {
  await using dir = await makeTempDir();
  const from = makeTemplate(dir.path, { 'bin/run': '#!', 'bin/open': '' });
  chmodSync(join(from, 'bin/run'), 0o755);
  chmodSync(join(from, 'bin/open'), 0o666);
  chmodSync(join(from, 'bin'), 0o555);
  const to = join(dir.path, 'copy');
  await copyTree(from, to);
  const modeOf = (path: string) => statSync(join(to, path)).mode & 0o777;
  expect([modeOf('bin/run'), modeOf('bin/open'), modeOf('bin')]).toEqual([0o755, 0o666, 0o555]);
  chmodSync(join(from, 'bin'), 0o755);
  chmodSync(join(to, 'bin'), 0o755);
});

onPosix('links inside stay links, and lead into the copy', async () => {
  await using dir = await makeTempDir();
  const from = makeTemplate(dir.path, { 'a/file': 'x', 'b/other': 'y' });
  symlinkSync('../a/file', join(from, 'b/relative'));
  symlinkSync(join(from, 'a'), join(from, 'b/absolute'));
  symlinkSync('not-yet', join(from, 'b/dangling'));
  symlinkSync('..', join(from, 'b/up'));
  symlinkSync('self', join(from, 'b/self'));
  const to = join(dir.path, 'copy');
  await copyTree(from, to);
  expect(readlinkSync(join(to, 'b/relative'))).toBe('../a/file');
  expect(readlinkSync(join(to, 'b/absolute'))).toBe('../a');
  expect(readlinkSync(join(to, 'b/dangling'))).toBe('not-yet');
  expect(readlinkSync(join(to, 'b/self'))).toBe('self');
  writeFileSync(join(to, 'b/absolute/file'), 'changed');
  expect(readFileSync(join(from, 'a/file'), 'utf8')).toBe('x');
});

onPosix('a template that is itself a link is copied as what it leads to', async () => {
  await using dir = await makeTempDir();
  const from = makeTemplate(dir.path, { a: 'x' });
  symlinkSync(from, join(dir.path, 'alias'));
  await copyTree(join(dir.path, 'alias'), join(dir.path, 'copy'));
  expect(readFileSync(join(dir.path, 'copy/a'), 'utf8')).toBe('x');
});

onPosix.each([
  ['/etc/passwd', []],
  ['../outside', []],
  ['../../..', []],
  ['../not-there', []],
  ['../template-2/x', []],
  // Through a link that leads up: as text it stays inside, on the disk it leaves.
  ['a/b/root/../outside', [['../..', 'a/b/root']]],
  ['a/x/../../../not-there', []],
] as const)('a link to %s is refused', async (target, links) => {
  await using dir = await makeTempDir();
  writeFileSync(join(dir.path, 'outside'), 'secret');
  const from = makeTemplate(dir.path, { 'a/b/file': 'x' });
  for (const [to, name] of links) symlinkSync(to, join(from, name));
  symlinkSync(target, join(from, 'link'));
  await expect(copyTree(from, join(dir.path, 'copy'))).rejects.toMatchObject({
    code: 'E_COPY_LINK',
    message: expect.stringContaining(target),
  });
});

onPosix('sockets and the like are refused', async () => {
  await using dir = await makeTempDir();
  const from = makeTemplate(dir.path, {});
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(join(from, 'socket'), resolve));
  await expect(copyTree(from, join(dir.path, 'copy'))).rejects.toMatchObject({ code: 'E_COPY_SPECIAL' });
  await new Promise((resolve) => server.close(resolve));
});

test('nothing is overwritten: the copy goes where nothing is', async () => {
  await using dir = await makeTempDir();
  const from = makeTemplate(dir.path, { a: 'new' });
  const to = join(dir.path, 'copy');
  mkdirSync(to);
  await copyTree(from, to);
  writeFileSync(join(to, 'a'), 'kept');
  await expect(copyTree(from, to)).rejects.toMatchObject({ code: 'EEXIST' });
  expect(readFileSync(join(to, 'a'), 'utf8')).toBe('kept');
});

test('a tree cannot be copied into itself, whatever the way there', async () => {
  await using dir = await makeTempDir();
  const from = makeTemplate(dir.path, { 'a/b': 'x' });
  symlinkSync(from, join(dir.path, 'alias'));
  for (const to of [from, join(from, 'copy'), join(from, 'a', 'c', 'd'), join(dir.path, 'alias', 'copy')]) {
    await expect(copyTree(from, to)).rejects.toMatchObject({ code: 'E_COPY_INTO_ITSELF' });
  }
  await copyTree(from, `${from}-2`);
  expect(existsSync(join(`${from}-2`, 'a/b'))).toBe(true);
});

test('a missing template is told as it is', async () => {
  await using dir = await makeTempDir();
  await expect(copyTree(join(dir.path, 'none'), join(dir.path, 'copy'))).rejects.toMatchObject({
    code: 'ENOENT',
  });
});

function makeTemplate(dir: string, files: Readonly<Record<string, string>>): string {
  const from = join(dir, 'template');
  mkdirSync(from);
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(join(from, name, '..'), { recursive: true });
    writeFileSync(join(from, name), content);
  }
  return from;
}

function listAll(dir: string): readonly string[] {
  return readdirSync(dir, { recursive: true }).map(String).sort();
}
