import { ActionableError, DamageError, UsageError } from '../base/index.ts';

export interface GitEnd {
  readonly exitCode: number;
  readonly stderr: string;
  readonly args: readonly string[];
  readonly dir: string;
}

interface Known {
  readonly sign: RegExp;
  readonly make: (end: GitEnd, line: string) => ActionableError;
}

/**
 * Git tells its failures apart by text only. It is asked to speak English, and what is not recognised is told in its own words.
 */
const KNOWN: readonly Known[] = [
  {
    sign: /unknown option .?batch-command|is not a git command|unknown option/,
    make: ({ args }) => tooOld(args.slice(0, 2).join(' ')),
  },
  {
    sign: /not a git repository|does not appear to be a git repository/,
    make: ({ dir }) =>
      new UsageError({
        code: 'E_NO_REPOSITORY',
        message: `${dir} is not in a git repository.`,
        hint: 'Run "git init" there, or name another repository with --repo.',
      }),
  },
  {
    sign: /dubious ownership/,
    make: ({ dir }) =>
      new UsageError({
        code: 'E_REPOSITORY_OWNER',
        message: `Git does not trust the repository of ${dir}, because it belongs to another user.`,
        hint: 'Run as its owner, or add it to safe.directory as "git help config" says.',
      }),
  },
  {
    sign: /\.lock'?: File exists|Unable to create .*\.lock|cannot lock ref/,
    make: ({ dir }, line) =>
      new ActionableError({
        code: 'E_REPOSITORY_LOCKED',
        message: `The repository ${dir} is locked by another git (${line}).`,
        hint: 'Try again when it has ended. When no git is running, remove the lock file that is named.',
      }),
  },
  {
    sign: /Permission denied|Read-only file system|insufficient permission/,
    make: ({ dir }, line) =>
      new ActionableError({
        code: 'E_REPOSITORY_READ_ONLY',
        message: `The repository ${dir} cannot be written (${line}).`,
        hint: 'Check who owns it, or keep results in another repository with --repo.',
      }),
  },
  {
    sign: /No space left on device|Disk quota exceeded|Out of diskspace/,
    make: ({ dir }) =>
      new ActionableError({
        code: 'E_DISK_FULL',
        message: `The disk of ${dir} is full.`,
        hint: 'Nothing was lost: the log is whole. Make room, then publish it again with "holdfast results publish".',
      }),
  },
  {
    sign: /bad object|is corrupt|inflate: data stream error|missing (blob|tree|commit)|unable to read (sha1|tree|object)|object file .* is empty|did not match any file|Can't load tree|not a tree object/,
    make: ({ dir }, line) =>
      new DamageError({
        code: 'E_GIT_OBJECT',
        message: `An object in ${dir} is damaged or missing (${line}).`,
        hint: 'Run "git fsck" there. What is missing comes back by publishing the log again, or by "git fetch --refetch" from a remote that has it.',
      }),
  },
];

export function tooOld(what: string): UsageError {
  return new UsageError({
    code: 'E_GIT_VERSION',
    message: `This git is too old: it does not know "git ${what}".`,
    hint: 'Results need git 2.36 or newer; "git --version" says which one this is.',
  });
}

/** Failures of a remote: they are told before those of the repository here, since their words are alike. */
const REMOTE: readonly (Omit<Known, 'make'> & {
  readonly make: (remote: string, line: string) => ActionableError;
})[] = [
  {
    sign: /terminal prompts disabled|could not read (Username|Password)|Authentication failed|Permission denied \(|Host key verification failed|HTTP (401|403)|returned error: (401|403)/,
    make: (remote, line) =>
      new ActionableError({
        code: 'E_REMOTE_AUTH',
        message: `The remote "${remote}" did not let us in (${line}).`,
        hint: `Nothing is asked for here. Log in once by hand ("git fetch ${remote}", a credential helper, an SSH key in the agent), then do it again.`,
      }),
  },
  {
    sign: /\[remote rejected\]/,
    make: (remote, line) =>
      new ActionableError({
        code: 'E_REMOTE_REFUSED',
        message: `The remote "${remote}" refused the results (${line}).`,
        hint: 'A rule or a hook there forbids it: allow pushes to that branch, or name another with --branch. What was published is kept here.',
      }),
  },
  {
    sign: /Could not resolve host|Connection (refused|reset|timed out|closed)|Operation timed out|Network is unreachable|unable to access|No route to host|early EOF|the remote end hung up|Operation too slow/,
    make: (remote, line) =>
      new ActionableError({
        code: 'E_REMOTE_AWAY',
        message: `The remote "${remote}" cannot be reached (${line}).`,
        hint: 'What was published is kept here: "holdfast results sync" sends it when the remote is back.',
      }),
  },
  {
    sign: /does not appear to be a git repository|repository .* (not found|does not exist)|Could not read from remote repository|No such remote|not a git repository/i,
    make: (remote, line) =>
      new UsageError({
        code: 'E_REMOTE_UNKNOWN',
        message: `There is no repository at the remote "${remote}" (${line}).`,
        hint: 'Check it with "git remote -v", or name another with --remote.',
      }),
  },
];

/** Undefined when nothing says that the remote was at fault. */
export function remoteFailure({ stderr }: GitEnd, remote: string): ActionableError | undefined {
  const lines = stderr.split('\n').filter((line) => line.trim() !== '');
  for (const { sign, make } of REMOTE) {
    const line = lines.find((one) => sign.test(one));
    if (line !== undefined) return make(remote, [tidyLine(line), ...saidThere(lines)].join('; '));
  }
  return undefined;
}

/** What a hook or a rule of the remote says for itself tells more than git's own line. */
function saidThere(lines: readonly string[]): readonly string[] {
  const said = lines.flatMap((line) => /^remote: (?:error: )?(.*\S)\s*$/.exec(line)?.[1] ?? []);
  return said.slice(0, 5);
}

/** Without git's own prefixes, tabs and the names of refs that porcelain output repeats. */
function tidyLine(line: string): string {
  return line
    .replace(/^(fatal|error|remote): /, '')
    .replace(/^!\t\S+\t/, '')
    .trim();
}

/** What git could not do, with a next step. */
export function gitFailure(end: GitEnd): ActionableError {
  const lines = end.stderr.split('\n').filter((line) => line.trim() !== '');
  for (const { sign, make } of KNOWN) {
    const line = lines.find((one) => sign.test(one));
    if (line !== undefined) return make(end, line.replace(/^(fatal|error): /, ''));
  }
  const said = lines.slice(-3).join(' ').slice(0, 1_000) || `it ended with ${end.exitCode}`;
  return new ActionableError({
    code: 'E_GIT',
    message: `"git ${end.args[0] ?? ''}" failed in ${end.dir}: ${said}.`,
    hint: 'Try the same with git itself to see more.',
  });
}
