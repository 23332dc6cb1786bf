import { expect, test } from 'vitest';
import { DamageError, UsageError } from '../base/index.ts';
import { gitFailure } from './git-errors.ts';

const failure = (stderr: string) =>
  gitFailure({ exitCode: 128, stderr, args: ['fetch', 'origin'], dir: '/repo' });

/** What git 2.39 to 2.51 say. */
test.each([
  ['fatal: not a git repository (or any of the parent directories): .git', 'E_NO_REPOSITORY'],
  ["fatal: detected dubious ownership in repository at '/repo'", 'E_REPOSITORY_OWNER'],
  ["fatal: Unable to create '/repo/.git/refs/x.lock': File exists.", 'E_REPOSITORY_LOCKED'],
  ["error: cannot lock ref 'refs/heads/x': is at 1 but expected 2", 'E_REPOSITORY_LOCKED'],
  [
    'error: insufficient permission for adding an object to repository database objects',
    'E_REPOSITORY_READ_ONLY',
  ],
  ["fatal: cannot mkdir '/repo/x': Read-only file system", 'E_REPOSITORY_READ_ONLY'],
  ['fatal: sha1 file error: No space left on device', 'E_DISK_FULL'],
  ['error: inflate: data stream error (incorrect data check)', 'E_GIT_OBJECT'],
  ['fatal: bad object HEAD', 'E_GIT_OBJECT'],
  ['fatal: something new', 'E_GIT'],
  ['', 'E_GIT'],
])('%j is %s, with a next step', (stderr, code) => {
  const error = failure(stderr);
  expect(error).toMatchObject({ code });
  expect(error.hint).not.toBe('');
});

test('what git said is told, and what kind of failure it is decides the exit code', () => {
  expect(failure('fatal: something new').message).toContain('something new');
  expect(failure('').message).toContain('it ended with 128');
  expect(failure('fatal: not a git repository')).toBeInstanceOf(UsageError);
  expect(failure('fatal: bad object HEAD')).toBeInstanceOf(DamageError);
});
