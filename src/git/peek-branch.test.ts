import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { GIT_ENV, git, gitInput, initRepository } from '../../test/sim/results-repo.ts';
import { useTempDir } from '../../test/sim/use-temp-dir.ts';
import { nodeDisk } from '../disk/index.ts';
import { peekBranch } from './peek-branch.ts';

const dir = useTempDir();
let repo: string;
beforeEach(() => {
  repo = join(dir.path, 'repo');
  initRepository(repo);
});

const begin = (place: string) =>
  gitInput(place, 'commit refs/heads/holdfast/results\ncommitter x <x@y> 1 +0000\ndata 1\nx\n\n');
const peek = (place: string, branch = 'holdfast/results') => peekBranch(nodeDisk, place, branch);

test('a branch is seen as a file and in packed refs, from the root and from below', async () => {
  mkdirSync(join(repo, 'a/b'), { recursive: true });
  expect(await peek(join(repo, 'a/b'))).toBe('absent');
  begin(repo);
  expect(await peek(join(repo, 'a/b'))).toBe('there');
  git(repo, 'pack-refs', '--all');
  expect(await peek(repo)).toBe('there');
  expect(await peek(repo, 'holdfast/result')).toBe('absent');
  expect(await peek(repo, 'results')).toBe('absent');
  expect(await peek(repo, 'holdfast/r.sults')).toBe('absent');
  git(repo, 'branch', '-m', 'holdfast/results', 'holdfast/results-2');
  expect(await peek(repo)).toBe('there');
  git(repo, 'pack-refs', '--all');
  expect(await peek(repo)).toBe('there');
});

test('linked work trees and bare repositories are looked into as well', async () => {
  begin(repo);
  git(repo, 'worktree', 'add', '--quiet', join(dir.path, 'linked'), 'holdfast/results');
  expect(await peek(join(dir.path, 'linked'))).toBe('there');
  const bare = join(dir.path, 'bare');
  execFileSync('git', ['clone', '--quiet', '--bare', repo, bare], { env: GIT_ENV });
  expect(await peek(bare)).toBe('there');
  expect(await peek(join(bare, 'objects'))).toBe('there');
});

test('what was only fetched is told apart', async () => {
  begin(repo);
  const clone = join(dir.path, 'clone');
  execFileSync('git', ['clone', '--quiet', repo, clone], { env: GIT_ENV, stdio: 'ignore' });
  expect(await peek(clone)).toBe('fetched');
  git(clone, 'remote', 'rename', 'origin', 'up');
  rmSync(join(clone, '.git/packed-refs'), { force: true });
  git(clone, 'fetch', '--quiet', 'up');
  expect(await peek(clone)).toBe('fetched');
  git(clone, 'branch', 'holdfast/results', 'up/holdfast/results');
  expect(await peek(clone)).toBe('there');
});

test('what only git can read is unknown; without a repository there is nothing', async () => {
  mkdirSync(join(repo, '.git/reftable'));
  expect(await peek(repo)).toBe('unknown');
  expect(await peek(join(dir.path, 'nowhere/at/all'))).toBe('no repository');
});
