import type { Git } from './git.ts';
import type { ObjectId } from './object-id.ts';

/** Who the user is, as far as git was told. */
export async function identityIn(git: Git): Promise<{ readonly name?: string; readonly email?: string }> {
  const { stdout } = await git.run(['config', '--get-regexp', '^user\\.(name|email)$'], { expects: [1] });
  const known: { name?: string; email?: string } = {};
  for (const line of stdout.toString('utf8').split('\n')) {
    const [, key, value] = /^user\.(name|email) (.+)$/.exec(line) ?? [];
    if ((key === 'name' || key === 'email') && value !== undefined) known[key] = value;
  }
  return known;
}

/** Whether one commit comes before another, or is it. One that is not there comes before none. */
export async function isBefore(git: Git, commit: ObjectId, tip: ObjectId): Promise<boolean> {
  if (tip === commit) return true;
  const { exitCode } = await git.run(['merge-base', '--is-ancestor', commit, tip], { expects: [1, 128] });
  return exitCode === 0;
}

/** The last commit that changed a path. */
export async function commitOfPath(git: Git, ref: string, path: string): Promise<ObjectId | undefined> {
  const text = await git.text(['rev-list', '-1', ref, '--', path]);
  return text === '' ? undefined : (text as ObjectId);
}
