import { isUnwatchedTag } from './code-revision.ts';
import { askGit, type GitPorts, LOOKING } from './git.ts';
import { gitFailure } from './git-errors.ts';

/** A file that git tracks, as the index has it. */
export interface TrackedFile {
  readonly path: string;
  readonly kind: 'file' | 'link' | 'submodule';
  readonly isExecutable: boolean;
  /** Two sides of a merge are both there, and nobody has decided yet. */
  readonly isConflict: boolean;
  /** Git was told not to look at it: what it says of the file's changes means nothing. */
  readonly isUnwatched: boolean;
}

/** What git knows of the folder that it keeps files in. Paths are from its top, with `/`. */
export interface WorkTree {
  readonly top: string;
  /** From the top down to the folder that was asked about; empty when they are one. */
  readonly prefix: string;
  /** The work tree that came with the repository, when this is a linked one. */
  readonly mainTop: string | undefined;
  /** Undefined before the first commit. */
  readonly commit: string | undefined;
  readonly tracked: readonly TrackedFile[];
  /** Files and submodules that are not as the commit has them: changed, added, removed. */
  readonly changed: readonly string[];
  /** Files that git neither tracks nor ignores. */
  readonly untracked: readonly string[];
  /** False where the file system has no rights to execute: then only the index knows them. */
  readonly hasFileModes: boolean;
}

/** Reads the work tree around a folder. Unlike those who ask about a revision in passing, it fails when git cannot tell. */
export async function workTreeAt(dir: string, ports: GitPorts): Promise<WorkTree> {
  const top = await line(dir, ports, ['rev-parse', '--show-toplevel']);
  const prefix = await line(dir, ports, ['rev-parse', '--show-prefix']);
  const status = await say(top, ports, [
    ...['status', '--porcelain=v2', '-z', '--branch', '--untracked-files=all', '--ignore-submodules=none'],
    '--no-renames',
  ]);
  const files = await say(top, ports, ['ls-files', '-z', '-s', '-v']);
  const trees = await say(top, ports, ['worktree', 'list', '--porcelain', '-z']);
  const modes = await say(top, ports, ['config', '--type=bool', '--default=true', 'core.fileMode']);
  return {
    top,
    prefix: prefix.replace(/\/$/, ''),
    mainTop: mainTopIn(trees, top),
    tracked: trackedIn(files),
    hasFileModes: modes.trim() === 'true',
    ...statusIn(status),
  };
}

/** A path may hold anything, also line breaks: only the last one is git's. */
async function line(dir: string, ports: GitPorts, args: readonly string[]): Promise<string> {
  return (await say(dir, ports, args)).replace(/\n$/, '');
}

async function say(dir: string, ports: GitPorts, args: readonly string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await askGit([...LOOKING, ...args], { ports, cwd: dir });
  if (exitCode === 0) return stdout;
  throw gitFailure({ exitCode, stderr, args, dir });
}

/** The first of the list is the one that came with the repository, or the bare repository itself. */
function mainTopIn(list: string, top: string): string | undefined {
  const [first = ''] = list.split('\0\0');
  const lines = first.split('\0');
  const path = lines[0]?.replace(/^worktree /, '');
  if (path === undefined || path === top || lines.includes('bare')) return undefined;
  // That of a submodule is named by the folder of its repository, which holds no files.
  return path.includes('/.git/modules/') ? undefined : path;
}

/** `<tag> <mode> <object> <stage>\t<path>`; a file in conflict is there once for each side. */
function trackedIn(list: string): readonly TrackedFile[] {
  const found = new Map<string, TrackedFile>();
  for (const entry of list.split('\0')) {
    const [, tag = '', mode = '', stage = '', path] = /^(.) (\d+) [0-9a-f]+ (\d)\t(.+)$/s.exec(entry) ?? [];
    if (path === undefined) continue;
    found.set(path, {
      path,
      kind: mode === '160000' ? 'submodule' : mode === '120000' ? 'link' : 'file',
      isExecutable: mode === '100755',
      isConflict: stage !== '0',
      isUnwatched: isUnwatchedTag(tag),
    });
  }
  return [...found.values()];
}

/** Without renames, every entry is one path: `1 <8 words>`, `u <10 words>`, `? `. */
function statusIn(status: string): Pick<WorkTree, 'commit' | 'changed' | 'untracked'> {
  let commit: string | undefined;
  const [changed, untracked]: [string[], string[]] = [[], []];
  for (const entry of status.split('\0')) {
    commit ??= /^# branch\.oid ([0-9a-f]{40,64})$/.exec(entry)?.[1];
    const path = /^(?:1(?: \S+){7}|u(?: \S+){9}) (.+)$/s.exec(entry)?.[1];
    if (path !== undefined) changed.push(path);
    if (entry.startsWith('? ')) untracked.push(entry.slice(2));
  }
  return { commit, changed, untracked };
}
