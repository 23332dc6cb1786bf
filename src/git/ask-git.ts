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

/** The refs that match any of some patterns: branches before what was fetched. */
export async function refsLike(git: Git, patterns: readonly string[]): Promise<readonly string[]> {
  const found = await git.text(['for-each-ref', '--format=%(refname)', ...patterns]);
  return found.split('\n').filter((line) => line !== '');
}

/** The last commit that changed a path. */
export async function commitOfPath(git: Git, ref: string, path: string): Promise<ObjectId | undefined> {
  const text = await git.text(['rev-list', '-1', ref, '--', path]);
  return text === '' ? undefined : (text as ObjectId);
}
