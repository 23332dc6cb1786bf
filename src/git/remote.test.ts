import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { commitFiles, GIT_ENV, git, initRepository } from '../../test/sim/results-repo.ts';
import { useTempDir } from '../../test/sim/use-temp-dir.ts';
import { wrapGit } from '../../test/sim/wrapped-git.ts';
import { systemClock, systemRandom } from '../base/index.ts';
import { nodeDisk } from '../disk/index.ts';
import { checkBranchName, commitOfPath } from './ask-git.ts';
import { findRepository } from './git.ts';
import type { ObjectId } from './object-id.ts';
import { fetchBranch, pushBranch } from './remote.ts';

const dir = useTempDir();
let repo: string;
let remote: string;
beforeEach(() => {
  [repo, remote] = [join(dir.path, 'project'), join(dir.path, 'remote.git')];
  initRepository(repo);
  initRepository(remote, '--bare');
  commitFiles(repo, REF, { a: 'text' });
});

const REF = 'refs/heads/x';
const open = (env: Readonly<Record<string, string | undefined>> = {}, path = repo) =>
  findRepository(path, {
    disk: nodeDisk,
    clock: systemClock,
    random: systemRandom,
    env: { ...GIT_ENV, ...env },
  });
const commit = () => git(repo, 'rev-parse', REF) as ObjectId;
const branch = { remote: 'origin', ref: REF };

/** A program in the place of ssh that says that it was called, and fails. */
function sshAt(name: string): { readonly path: string; isCalled(): boolean } {
  const [path, called] = [join(dir.path, name), join(dir.path, `${name}-called`)];
  writeFileSync(path, `#!/bin/sh\necho "$*" > '${called}'\necho 'Connection refused' >&2\nexit 255\n`);
  chmodSync(path, 0o755);
  return { path, isCalled: () => existsSync(called) };
}

test('the address of a remote may be relative to the project, as git itself takes it', async () => {
  git(repo, 'remote', 'add', 'origin', '../remote.git');
  expect(await pushBranch(await open(), { ...branch, commit: commit() })).toBe('pushed');
  expect(git(remote, 'rev-parse', REF)).toBe(commit());
  mkdirSync(join(repo, 'below'));
  expect(await fetchBranch(await open({}, join(repo, 'below')), branch)).toBe(true);
});

test('the ssh that the user has set is the one that is used', async () => {
  git(repo, 'remote', 'add', 'origin', 'ssh://nowhere.invalid/x');
  const [set, given, plain] = [sshAt('set'), sshAt('given'), sshAt('ssh')];
  git(repo, 'config', 'core.sshCommand', set.path);
  const away = { code: 'E_REMOTE_AWAY' };
  await expect(fetchBranch(await open(), branch)).rejects.toMatchObject(away);
  expect(set.isCalled()).toBe(true);
  git(repo, 'config', '--unset', 'core.sshCommand');
  await expect(fetchBranch(await open({ GIT_SSH: given.path }), branch)).rejects.toMatchObject(away);
  expect(given.isCalled()).toBe(true);
  await expect(
    fetchBranch(await open({ PATH: `${dir.path}:${process.env.PATH}` }), branch),
  ).rejects.toMatchObject(away);
  expect(plain.isCalled()).toBe(true);
  expect(readFileSync(join(dir.path, 'ssh-called'), 'utf8')).toContain('BatchMode=yes');
});

test('a remote that takes the connection and says nothing is given up, unless the user has set how long to wait', async () => {
  git(repo, 'remote', 'add', 'origin', 'https://nowhere.invalid/x');
  expect(await (await open()).remoteEnv()).toMatchObject({ GIT_HTTP_LOW_SPEED_TIME: '60' });
  git(repo, 'config', 'http.https://nowhere.invalid.lowSpeedTime', '5');
  expect(await (await open()).remoteEnv()).not.toHaveProperty('GIT_HTTP_LOW_SPEED_TIME');
});

test('what a hook of the remote says is told', async () => {
  git(repo, 'remote', 'add', 'origin', remote);
  const hook = join(remote, 'hooks/pre-receive');
  mkdirSync(join(remote, 'hooks'), { recursive: true });
  writeFileSync(hook, '#!/bin/sh\necho "policy: no results on Fridays"\nexit 1\n');
  chmodSync(hook, 0o755);
  await expect(pushBranch(await open(), { ...branch, commit: commit() })).rejects.toMatchObject({
    code: 'E_REMOTE_REFUSED',
    message: expect.stringContaining('policy: no results on Fridays'),
  });
});

test('the commit of a path is not told where the history that is here begins after it', async () => {
  for (const text of ['b', 'c', 'd']) commitFiles(repo, REF, { b: text });
  const shallow = join(dir.path, 'shallow');
  git(dir.path, 'clone', '--quiet', '--depth', '2', '--branch', 'x', `file://${repo}`, shallow);
  const cut = await open({}, shallow);
  expect(await commitOfPath(cut, 'HEAD', 'a')).toBeUndefined();
  expect(await commitOfPath(cut, 'HEAD', 'b')).toBe(commit());
  expect(await commitOfPath(await open(), REF, 'a')).toBe(git(repo, 'rev-list', '--max-parents=0', REF));
});

test('a git that does not know how to give a whole path is too old', async () => {
  const { env } = wrapGit(
    join(dir.path, 'bin'),
    'case "$*" in *--path-format*) echo --path-format=absolute; echo .git; exit 0;; esac',
  );
  await expect(open(env)).rejects.toMatchObject({ code: 'E_GIT_VERSION' });
});

test('what cannot be a branch is refused by name', async () => {
  for (const name of ['bad..name', '-x', 'HEAD', '@', 'a b'])
    await expect(checkBranchName(await open(), name)).rejects.toMatchObject({ code: 'E_BRANCH_NAME' });
  await checkBranchName(await open(), 'good/name');
});
