import { dirname } from 'node:path';
import { ActionableError, UsageError } from '../base/index.ts';
import { tempPathFor } from '../disk/index.ts';
import { Git, type GitPorts } from './git.ts';

export interface CloneOptions {
  readonly url: string;
  /** Where the clone is put; its parent is made. */
  readonly dir: string;
  readonly remote: string;
  readonly branch: string;
}

/**
 * A bare repository that knows one branch of a remote one, and nothing else of it: projects are large, their results need not be.
 * One that is there already is left as it is.
 *
 * ### Ordering
 * It is made under a temporary name and gets its own last: a crash before leaves a temporary folder, which nobody takes for a
 * repository. Of two who make it at once one wins, and both go on with that one.
 */
export async function cloneBare(options: CloneOptions, ports: GitPorts): Promise<Git> {
  const { dir } = options;
  const { disk } = ports;
  if (!(await disk.stat(dir))) {
    await disk.makeDir(dirname(dir));
    const temp = tempPathFor(dir);
    try {
      await fill(temp, options, ports);
      await disk.rename(temp, dir);
      await disk.syncDir(dirname(dir));
    } catch (error) {
      await disk.removeTree(temp);
      if (!(await disk.stat(dir))) throw error;
    }
  }
  return new Git(dir, ports);
}

async function fill(temp: string, { url, remote, branch }: CloneOptions, ports: GitPorts): Promise<void> {
  const parent = new Git(dirname(temp), ports);
  const found = await askRemote(parent, url);
  const format = found.some((id) => id.length === 64) ? ['--object-format=sha256'] : [];
  // Only a clone learns which kind of ids an empty repository has.
  if (found.length === 0)
    await parent.plain(['clone', '--quiet', '--bare', '--template=', '--origin', remote, '--', url, temp]);
  else {
    await parent.plain(['init', '--quiet', '--bare', '--template=', ...format, temp]);
    await new Git(temp, ports).run(['remote', 'add', '--', remote, url]);
  }
  const git = new Git(temp, ports);
  const refspec = `+refs/heads/${branch}:refs/remotes/${remote}/${branch}`;
  await git.run(['config', `remote.${remote}.fetch`, refspec]);
  const { exitCode, stderr } = await git.run(['fetch', '--quiet', '--no-tags', remote, refspec], {
    expects: [1, 128],
  });
  // Nobody has published there yet.
  if (exitCode !== 0 && !/couldn't find remote ref/.test(stderr)) throw remoteFailure(url, stderr);
  const fetched = await git.text([
    'for-each-ref',
    '--format=%(objectname)',
    `refs/remotes/${remote}/${branch}`,
  ]);
  if (fetched !== '') await git.run(['update-ref', `refs/heads/${branch}`, fetched]);
}

/** The ids of whatever refs it has. */
async function askRemote(git: Git, url: string): Promise<string[]> {
  const { exitCode, stdout, stderr } = await git.plain(['ls-remote', '--quiet', '--', url], {
    expects: [1, 2, 128],
  });
  if (exitCode !== 0) throw remoteFailure(url, stderr);
  return stdout
    .toString('utf8')
    .split('\n')
    .flatMap((line) => /^([0-9a-f]+)\t/.exec(line)?.[1] ?? []);
}

const NO_ENTRY =
  /could not read (Username|Password)|Authentication failed|Permission denied|terminal prompts disabled|Host key verification failed/i;
const NOBODY =
  /Could not resolve host|Connection (refused|timed out)|unable to access|Network is unreachable|No route to host/i;

/** Why a remote repository cannot be used, with a next step. The URL is told without a password in it. */
function remoteFailure(url: string, stderr: string): ActionableError {
  const place = url.replace(/\/\/[^/@]*@/, '//…@');
  const said =
    stderr
      .replaceAll(url, place)
      .split('\n')
      .find((line) => line.trim() !== '') ?? 'it says nothing';
  const why = said.replace(/^(fatal|error): /, '').replace(/\.$/, '');
  if (NO_ENTRY.test(stderr))
    return new UsageError({
      code: 'E_REMOTE_ACCESS',
      message: `${place} wants to know who asks, and nobody is there to answer (${why}).`,
      hint: `Try "git ls-remote ${place}" by hand: set up a credential helper or an SSH key so that git asks for nothing.`,
    });
  if (NOBODY.test(stderr))
    return new ActionableError({
      code: 'E_REMOTE_AWAY',
      message: `${place} cannot be reached (${why}).`,
      hint: 'Check the address and the network, then do the same again.',
      retryable: true,
    });
  return new UsageError({
    code: 'E_REMOTE',
    message: `${place} cannot be used as a repository of results (${why}).`,
    hint: 'Check the address: "git ls-remote" with it must work.',
  });
}
