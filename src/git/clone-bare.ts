import { dirname } from 'node:path';
import type { ActionableError } from '../base/index.ts';
import { tempPathFor } from '../disk/index.ts';
import { Git, type GitPorts } from './git.ts';
import { type GitEnd, gitFailure, remoteFailure } from './git-errors.ts';

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
  const env = await parent.remoteEnv();
  const found = await askRemote(parent, url);
  const format = found.some((id) => id.length === 64) ? ['--object-format=sha256'] : [];
  // Only a clone learns which kind of ids an empty repository has.
  if (found.length === 0)
    await parent.plain(['clone', '--quiet', '--bare', '--template=', '--origin', remote, '--', url, temp], {
      env,
    });
  else {
    await parent.plain(['init', '--quiet', '--bare', '--template=', ...format, temp]);
    await new Git(temp, ports).run(['remote', 'add', '--', remote, url]);
  }
  const git = new Git(temp, ports);
  // Also the branches that it goes on in when something was archived; a pattern may match nothing.
  const refspec = `+refs/heads/${branch}*:refs/remotes/${remote}/${branch}*`;
  await git.run(['config', `remote.${remote}.fetch`, refspec]);
  const args = ['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', remote];
  const { exitCode, stderr } = await git.run(args, { expects: [1, 128], env });
  if (exitCode !== 0) throw failureOf({ exitCode, stderr, args, dir: git.dir }, url);
}

/** The ids of whatever refs it has. */
async function askRemote(git: Git, url: string): Promise<string[]> {
  const { exitCode, stdout, stderr } = await git.plain(['ls-remote', '--quiet', '--', url], {
    expects: [1, 2, 128],
    env: await git.remoteEnv(),
  });
  if (exitCode !== 0) throw failureOf({ exitCode, stderr, args: ['ls-remote'], dir: git.dir }, url);
  return stdout
    .toString('utf8')
    .split('\n')
    .flatMap((line) => /^([0-9a-f]+)\t/.exec(line)?.[1] ?? []);
}

/** The URL is told without a password in it. */
function failureOf(end: GitEnd, url: string): ActionableError {
  const place = url.replace(/\/\/[^/@]*@/, '//…@');
  const told = { ...end, stderr: end.stderr.replaceAll(url, place) };
  return remoteFailure(told, place) ?? gitFailure(told);
}
