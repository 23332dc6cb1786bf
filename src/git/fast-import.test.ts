import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { GIT_ENV, git, initRepository } from '../../test/sim/results-repo.ts';
import { useTempDir } from '../../test/sim/use-temp-dir.ts';
import { wrapGit } from '../../test/sim/wrapped-git.ts';
import { systemClock, systemRandom } from '../base/index.ts';
import { nodeDisk } from '../disk/index.ts';
import { importCommit, startImport } from './fast-import.ts';
import { findRepository } from './git.ts';

const dir = useTempDir();
const PORTS = { disk: nodeDisk, clock: systemClock, random: systemRandom, env: GIT_ENV };

/** The same objects each time. */
async function commitIn(name: string) {
  const repository = await findRepository(join(dir.path, name), PORTS);
  return importCommit(repository, {
    ref: 'refs/heads/x',
    from: undefined,
    message: 'x\n',
    author: { name: 'Ada <ada>\n', email: 'ada@example.test' },
    seconds: 1,
    files: [{ path: 'a/b', content: Buffer.from('text') }],
  });
}

test('when another process writes the very same objects at this moment one is told to begin anew, and no report is left', async () => {
  for (const name of ['one', 'other']) initRepository(join(dir.path, name), '--bare');
  const made = await commitIn('one');
  expect(git(join(dir.path, 'one'), 'cat-file', 'blob', `${made}:a/b`)).toBe('text');
  const packs = join(dir.path, 'other', 'objects', 'pack');
  mkdirSync(packs, { recursive: true });
  // What the other process has while it moves the ref.
  const pack = readdirSync(join(dir.path, 'one', 'objects', 'pack')).find((name) => name.endsWith('.pack'));
  writeFileSync(join(packs, String(pack).replace(/pack$/, 'keep')), 'fast-import');
  expect(await commitIn('other')).toBeUndefined();
  expect(readdirSync(join(dir.path, 'other')).filter((name) => name.includes('crash'))).toEqual([]);
});

test('an import that is started and then not needed leaves nothing behind', async () => {
  const path = join(dir.path, 'unused');
  initRepository(path, '--bare');
  const before = readdirSync(path, { recursive: true }).toSorted();
  {
    await using _unused = startImport(await findRepository(path, PORTS));
  }
  expect(readdirSync(path, { recursive: true }).toSorted()).toEqual(before);
});

test('a commit has its message, its author and its files whole, whatever letters are in them', async () => {
  const path = join(dir.path, 'letters');
  initRepository(path, '--bare');
  const message = 'Veröffentlicht: 東京 🗼\n\nmerge :1\n';
  const name = 'straße/"quoted"\\\n🗼';
  const made = await importCommit(await findRepository(path, PORTS), {
    ref: 'refs/heads/x',
    from: undefined,
    message,
    author: { name: 'Zoë', email: 'zoë@example.test' },
    seconds: 1,
    files: [{ path: name, content: Buffer.from('größer\n') }],
  });
  expect(git(path, 'log', '-1', '--format=%an %ae%n%B', String(made))).toBe(
    `Zoë zoë@example.test\n${message.trim()}`,
  );
  expect(git(path, 'ls-tree', '-r', '-z', '--name-only', String(made))).toBe(`${name}\0`);
  expect(git(path, 'cat-file', 'blob', `${made}:${name}`)).toBe('größer');
});

test('what a commit needs is synced before it is told (as git counts it)', async () => {
  const path = join(dir.path, 'synced');
  initRepository(path, '--bare');
  const trace = join(dir.path, 'trace');
  const env = { ...GIT_ENV, GIT_TRACE2_EVENT: trace };
  const repository = await findRepository(path, { ...PORTS, env });
  await importCommit(repository, {
    ref: 'refs/heads/x',
    from: undefined,
    message: 'x\n',
    author: { name: 'Ada', email: 'ada@example.test' },
    seconds: 1,
    files: [{ path: 'a', content: Buffer.from('text') }],
  });
  const events = readFileSync(trace, 'utf8').trim().split('\n');
  const flushes = events.map((line) => JSON.parse(line)).filter(({ category }) => category === 'fsync');
  // The pack, its index and the ref. Older versions of git call it a value, younger ones a count.
  const counts = flushes.map(({ value, count }) => Number(value ?? count));
  expect(counts.reduce((sum, one) => sum + one, 0)).toBeGreaterThanOrEqual(3);
});

test('an import whose files cannot be read fails with what they failed of, and writes no commit', async () => {
  const path = join(dir.path, 'failing');
  initRepository(path, '--bare');
  await using started = startImport(await findRepository(path, PORTS));
  const failing = started.commit({
    ref: 'refs/heads/x',
    from: undefined,
    message: 'x\n',
    author: { name: 'Ada', email: 'ada@example.test' },
    seconds: 1,
    files: filesThatFail(),
  });
  await expect(failing).rejects.toThrow('the disk is gone');
  expect(git(path, 'for-each-ref')).toBe('');
});

async function* filesThatFail() {
  yield { path: 'a', content: Buffer.from('text') };
  throw new Error('the disk is gone');
}

test('a disk that is full while git imports is told as such, and no report is left', async () => {
  const path = join(dir.path, 'full');
  initRepository(path, '--bare');
  const report = join(path, 'fast_import_crash_1');
  const { env } = wrapGit(
    join(dir.path, 'bin'),
    `case "$*" in *fast-import*) cat > /dev/null; echo x > '${report}'; echo 'fatal: Out of diskspace' >&2; echo 'fast-import: dumping crash report to fast_import_crash_1' >&2; exit 128;; esac`,
  );
  await using started = startImport(await findRepository(path, { ...PORTS, env: { ...GIT_ENV, ...env } }));
  const failing = started.commit({
    ref: 'refs/heads/x',
    from: undefined,
    message: 'x\n',
    author: { name: 'Ada', email: 'ada@example.test' },
    seconds: 1,
    files: [],
  });
  await expect(failing).rejects.toMatchObject({ code: 'E_DISK_FULL' });
  expect(readdirSync(path)).not.toContain('fast_import_crash_1');
});
