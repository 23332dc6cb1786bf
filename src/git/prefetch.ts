import type { Git } from './git.ts';
import type { ObjectId } from './object-id.ts';

/** Makes sure that objects are here before they are read one by one. */
export type Prefetch = (ids: readonly ObjectId[]) => Promise<void>;

/** For a repository that has all its objects. */
export const noPrefetch: Prefetch = async () => undefined;

/**
 * A partial clone asks its remote for each object that is read and not here: a page of fifty rows would be fifty connections. This asks for
 * all of them at once. What the remote does not give is missed by whoever reads it.
 */
export function prefetchFrom(git: Git, remote: string): Prefetch {
  return async (ids) => {
    const wanted = [...new Set(ids)];
    if (wanted.length === 0) return;
    const here = await objectsHere(git, wanted);
    const missing = wanted.filter((id) => !here.has(id));
    if (missing.length === 0) return;
    const args = ['-c', 'fetch.negotiationAlgorithm=noop', 'fetch', '--quiet', '--no-tags'];
    const more = [
      '--no-write-fetch-head',
      '--no-recurse-submodules',
      '--filter=blob:none',
      '--stdin',
      remote,
    ];
    const env = await git.remoteEnv();
    await git.run([...args, ...more], { stdin: lines(missing), expects: [1, 128], env });
  };
}

/** Which of them need not be fetched; asking must not fetch them. */
async function objectsHere(git: Git, ids: readonly ObjectId[]): Promise<ReadonlySet<string>> {
  const args = ['rev-list', '--no-walk', '--objects', '--ignore-missing', '--stdin'];
  const { stdout } = await git.run(args, {
    stdin: lines(ids),
    expects: [128],
    env: { GIT_NO_LAZY_FETCH: '1' },
  });
  return new Set(
    stdout
      .toString('utf8')
      .split('\n')
      .map((line) => line.split(' ')[0] ?? ''),
  );
}

function lines(ids: readonly ObjectId[]): Uint8Array {
  return Buffer.from(`${ids.join('\n')}\n`, 'utf8');
}
