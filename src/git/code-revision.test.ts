import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { GIT_ENV, git, initRepository } from '../../test/sim/results-repo.ts';
import { useTempDir } from '../../test/sim/use-temp-dir.ts';
import { systemClock, systemRandom } from '../base/index.ts';
import { nodeDisk } from '../disk/index.ts';
import { codeRevisionAt } from './code-revision.ts';

const dir = useTempDir();
const ports = { disk: nodeDisk, clock: systemClock, random: systemRandom, env: GIT_ENV };

test('commit, branch and whether files differ; the index is not touched', async () => {
  const repo = join(dir.path, 'repo');
  initRepository(repo);
  expect(await codeRevisionAt(repo, ports)).toBeUndefined();
  writeFileSync(join(repo, 'a'), '1');
  git(repo, 'add', 'a');
  git(repo, '-c', 'user.name=x', '-c', 'user.email=x@y', 'commit', '-qm', 'one');
  const commit = git(repo, 'rev-parse', 'HEAD');
  mkdirSync(join(repo, 'deep'));
  expect(await codeRevisionAt(join(repo, 'deep'), ports)).toEqual({ commit, branch: 'main', isDirty: false });
  writeFileSync(join(repo, 'untracked'), 'x');
  expect(await codeRevisionAt(repo, ports)).toMatchObject({ isDirty: false });
  writeFileSync(join(repo, 'a'), '2');
  const before = readFileSync(join(repo, '.git/index'));
  expect(await codeRevisionAt(repo, ports)).toMatchObject({ isDirty: true });
  expect(readFileSync(join(repo, '.git/index')).equals(before)).toBe(true);
  git(repo, 'checkout', '-q', '--detach');
  expect(await codeRevisionAt(repo, ports)).toEqual({ commit, isDirty: true });
});

test('code that is not in the commit is a difference: new, ignored, elsewhere or hidden from git; other new files are none', async () => {
  const repo = join(dir.path, 'repo');
  initRepository(repo);
  mkdirSync(join(repo, 'deep'));
  for (const [name, text] of [
    ['.gitignore', 'ignored.ts'],
    ['a.ts', ''],
    ['deep/[b]*.ts', ''],
  ] as const)
    writeFileSync(join(repo, name), text);
  git(repo, 'add', '-A');
  git(repo, '-c', 'user.name=x', '-c', 'user.email=x@y', 'commit', '-qm', 'one');
  for (const name of ['ignored.ts', 'new.ts', 'notes.txt']) writeFileSync(join(repo, name), '');
  writeFileSync(join(dir.path, 'outside.ts'), '');
  const isDirtyWith = async (...names: string[]) =>
    (
      await codeRevisionAt(
        join(repo, 'deep'),
        ports,
        names.map((name) => join(repo, name)),
      )
    )?.isDirty;
  expect(await isDirtyWith('a.ts', 'deep/[b]*.ts', 'a.ts')).toBe(false);
  expect(await isDirtyWith('a.ts', 'new.ts')).toBe(true);
  expect(await isDirtyWith('ignored.ts')).toBe(true);
  expect(await isDirtyWith('a.ts', '../outside.ts')).toBe(true);
  for (const word of ['assume-unchanged', 'skip-worktree']) {
    git(repo, 'update-index', `--${word}`, 'a.ts');
    expect(await isDirtyWith('deep/[b]*.ts')).toBe(false);
    expect(await isDirtyWith('a.ts'), word).toBe(true);
    git(repo, 'update-index', `--no-${word}`, 'a.ts');
  }
});

test('code in a submodule is in the commit', async () => {
  const [repo, other] = [join(dir.path, 'repo'), join(dir.path, 'other')];
  const commit = (where: string) =>
    git(where, '-c', 'user.name=x', '-c', 'user.email=x@y', 'commit', '-qm', 'one');
  initRepository(other);
  writeFileSync(join(other, 'b.ts'), '');
  git(other, 'add', '-A');
  commit(other);
  initRepository(repo);
  git(repo, '-c', 'protocol.file.allow=always', 'submodule', 'add', '-q', other, 'sub');
  commit(repo);
  expect(await codeRevisionAt(repo, ports, [join(repo, 'sub', 'b.ts')])).toMatchObject({ isDirty: false });
});

test('the work tree that one is in counts, and not the repository that it shares', async () => {
  const repo = join(dir.path, 'repo');
  initRepository(repo);
  git(repo, '-c', 'user.name=x', '-c', 'user.email=x@y', 'commit', '--allow-empty', '-qm', 'one');
  const beside = join(dir.path, 'beside');
  git(repo, 'worktree', 'add', '-q', '-b', 'other', beside);
  git(beside, '-c', 'user.name=x', '-c', 'user.email=x@y', 'commit', '--allow-empty', '-qm', 'two');
  expect(await codeRevisionAt(beside, ports)).toEqual({
    commit: git(beside, 'rev-parse', 'HEAD'),
    branch: 'other',
    isDirty: false,
  });
});

test('without a repository, and without git, nobody can tell', async () => {
  expect(await codeRevisionAt(dir.path, ports)).toBeUndefined();
  expect(await codeRevisionAt(dir.path, { ...ports, env: { PATH: '/nonexistent' } })).toBeUndefined();
});
