import { ActionableError } from '../base/index.ts';
import { type GitPorts, quietEnv, startGit } from './git.ts';

/** Which code a folder holds. */
export interface CodeRevision {
  readonly commit: string;
  /** Undefined when a commit is checked out and no branch, as most CI does it. */
  readonly branch?: string;
  /** True when a file that git knows differs from the commit. */
  readonly isDirty: boolean;
}

/**
 * The commit that a folder is of, by one process; undefined where there is no repository, no commit or no git: then nobody can
 * tell, which keeps nobody from running an eval. The index is read and never refreshed.
 */
export async function codeRevisionAt(dir: string, ports: GitPorts): Promise<CodeRevision | undefined> {
  const args = ['--no-optional-locks', 'status', '--porcelain=v2', '--branch', '--untracked-files=no'];
  try {
    await using process = await startGit(args, {
      ...ports,
      env: quietEnv(ports.env),
      cwd: dir,
      signal: new AbortController().signal,
    });
    const chunks: Uint8Array[] = [];
    for await (const chunk of process.stdout) chunks.push(chunk);
    const { exitCode } = await process.end;
    return exitCode === 0 ? revisionIn(Buffer.concat(chunks).toString('utf8')) : undefined;
  } catch (error) {
    if (error instanceof ActionableError) return undefined;
    throw error;
  }
}

function revisionIn(status: string): CodeRevision | undefined {
  const commit = /^# branch\.oid ([0-9a-f]{40,64})$/m.exec(status)?.[1];
  if (commit === undefined) return undefined;
  const branch = /^# branch\.head (.+)$/m.exec(status)?.[1];
  const isDirty = status.split('\n').some((line) => line !== '' && !line.startsWith('#'));
  return { commit, ...(branch !== undefined && branch !== '(detached)' && { branch }), isDirty };
}
