import { ActionableError } from '../base/index.ts';
import { askGit, type GitPorts, LOOKING } from './git.ts';

/** Which code a folder holds. */
export interface CodeRevision {
  readonly commit: string;
  /** Undefined when a commit is checked out and no branch, as most CI does it. */
  readonly branch?: string;
  /** True when a file that git knows differs from the commit, or when the code that is asked about is not in it. */
  readonly isDirty: boolean;
}

/**
 * The commit that a folder is of; undefined where there is no repository, no commit or no git: then nobody can tell, which keeps
 * nobody from running an eval. The index is read and never refreshed.
 *
 * `code`: files that are used as code. One that git does not know, be it new, ignored or outside of the work tree, is not in the commit:
 * whoever checks that out has other code. One that git was told not to look at counts as such. Other such files do not matter: logs and
 * notes lie about in every work tree.
 */
export async function codeRevisionAt(
  dir: string,
  ports: GitPorts,
  code: readonly string[] = [],
): Promise<CodeRevision | undefined> {
  const said = await sayIn(dir, ports, ['status', '--porcelain=v2', '--branch', '--untracked-files=no']);
  const revision = said === undefined ? undefined : revisionIn(said);
  if (!revision || revision.isDirty || (await knowsAll(dir, ports, code))) return revision;
  return { ...revision, isDirty: true };
}

/** So many at a time fit on every command line. */
const FILES_AT_A_TIME = 200;

async function knowsAll(dir: string, ports: GitPorts, files: readonly string[]): Promise<boolean> {
  for (let at = 0; at < files.length; at += FILES_AT_A_TIME) {
    const some = files.slice(at, at + FILES_AT_A_TIME);
    const args = ['--literal-pathspecs', 'ls-files', '-z', '-v', '--recurse-submodules', '--', ...some];
    // It ends with an error for a file outside of the work tree.
    const known = (await sayIn(dir, ports, args))?.split('\0').filter((entry) => entry !== '') ?? [];
    if (known.some((entry) => isUnwatchedTag(entry.charAt(0)))) return false;
    if (new Set(known).size < new Set(some).size) return false;
  }
  return true;
}

/** Of a file that git was told not to look at (`--assume-unchanged`, `--skip-worktree`): what it says of its changes means nothing. */
export function isUnwatchedTag(tag: string): boolean {
  return tag === 'S' || tag !== tag.toUpperCase();
}

/** What git says in a folder; undefined when it fails or is missing. */
async function sayIn(dir: string, ports: GitPorts, args: readonly string[]): Promise<string | undefined> {
  try {
    const { exitCode, stdout } = await askGit([...LOOKING, ...args], { ports, cwd: dir });
    return exitCode === 0 ? stdout : undefined;
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
