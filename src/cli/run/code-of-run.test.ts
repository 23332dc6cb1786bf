import { expect, test } from 'vitest';
import { GIT_ENV, git, initRepository } from '../../../test/sim/results-repo.ts';
import { useTempDir } from '../../../test/sim/use-temp-dir.ts';
import { codeOfRun } from './code-of-run.ts';

const dir = useTempDir();

test('the branch that is checked out counts; without one, what CI says', async () => {
  initRepository(dir.path);
  git(dir.path, '-c', 'user.name=x', '-c', 'user.email=x@y', 'commit', '--allow-empty', '-qm', 'one');
  const commit = git(dir.path, 'rev-parse', 'HEAD');
  const env = { ...GIT_ENV, GITHUB_HEAD_REF: '', GITHUB_REF_NAME: 'release' };
  expect(await codeOfRun({ cwd: dir.path, env }, [])).toEqual({ commit, branch: 'main', isDirty: false });
  git(dir.path, 'checkout', '-q', '--detach');
  expect(await codeOfRun({ cwd: dir.path, env }, [])).toEqual({ commit, branch: 'release', isDirty: false });
  expect(await codeOfRun({ cwd: dir.path, env: GIT_ENV }, [])).toEqual({ commit, isDirty: false });
});
