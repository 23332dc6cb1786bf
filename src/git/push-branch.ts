import type { Git } from './git.ts';

/** What became of a push. `current`: the remote had everything already. */
export interface PushOutcome {
  readonly outcome: 'pushed' | 'current' | 'no remote' | 'refused' | 'offline';
  readonly reason?: string;
}

/** Brings a branch to a remote, never by force. */
export async function pushBranch(git: Git, ref: string, remote: string): Promise<PushOutcome> {
  if ((await remoteUrlIn(git, remote)) === undefined)
    return { outcome: 'no remote', reason: `there is no remote "${remote}"` };
  const args = ['push', '--porcelain', '--no-verify', remote, `${ref}:${ref}`];
  const { exitCode, stdout, stderr } = await git.run(args, { expects: [1, 128] });
  const line =
    stdout
      .toString('utf8')
      .split('\n')
      .find((one) => one.includes(`${ref}:${ref}`)) ?? '';
  if (exitCode === 0) return { outcome: line.startsWith('=') ? 'current' : 'pushed' };
  const reason =
    (line.startsWith('!') ? line.split('\t').at(-1) : stderr.split('\n')[0])?.replace(/^fatal: /, '') ?? '';
  return { outcome: AWAY.test(stderr) ? 'offline' : 'refused', reason: reason.trim() };
}

export async function remoteUrlIn(git: Git, remote: string): Promise<string | undefined> {
  const { exitCode, stdout } = await git.run(['config', `remote.${remote}.url`], { expects: [1] });
  return exitCode === 0 ? stdout.toString('utf8').trim() : undefined;
}

const AWAY =
  /Could not (resolve host|read from remote)|unable to access|Connection (refused|timed out)|unreachable/i;
