import { basename, dirname, isAbsolute, join } from 'node:path';
import { ActionableError, type Clock, type Random } from '../base/index.ts';
import type { Disk } from '../disk/index.ts';
import { type ProcessEnv, type StreamedProcess, streamProcess } from '../process/index.ts';
import { gitFailure, tooOld } from './git-errors.ts';

export interface GitPorts {
  readonly disk: Disk;
  readonly clock: Clock;
  readonly random: Random;
  /** What git sees of the environment, less what would lead it to another repository. */
  readonly env: ProcessEnv;
}

export interface GitCall {
  readonly stdin?: Uint8Array | AsyncIterable<Uint8Array>;
  readonly signal?: AbortSignal;
  /** Exit codes besides 0 that are answers, not failures. */
  readonly expects?: readonly number[];
  /** For this call only. */
  readonly env?: ProcessEnv;
}

export interface GitAnswer {
  readonly exitCode: number;
  readonly stdout: Buffer;
  readonly stderr: string;
}

const NEVER = new AbortController().signal;

/**
 * One repository, spoken to through the `git` program. Nothing here touches an index, a work tree, a hook or a key for signing,
 * and nothing ever waits for a person: what needs a password fails and says so.
 */
export class Git {
  /** The repository's own folder, shared by all its work trees. */
  readonly dir: string;
  readonly disk: Disk;
  /** Where git is started: it takes relative addresses of remotes from there. */
  readonly #place: string;
  readonly #ports: GitPorts;
  readonly #env: ProcessEnv;
  #remoteEnv: Promise<ProcessEnv> | undefined;

  constructor(dir: string, ports: GitPorts) {
    this.dir = dir;
    this.#place = basename(dir) === '.git' ? dirname(dir) : dir;
    this.disk = ports.disk;
    this.#ports = ports;
    this.#env = quietEnv(ports.env);
  }

  /** Runs it to its end; whatever it writes is taken, however much. */
  run(args: readonly string[], call: GitCall = {}): Promise<GitAnswer> {
    return this.#finish(args, call, this.start(args, call));
  }

  /** The same for what is not about a repository, or makes one: it is only started in this folder. */
  plain(args: readonly string[], call: GitCall = {}): Promise<GitAnswer> {
    return this.#finish(args, call, this.#start(args, call));
  }

  async #finish(
    args: readonly string[],
    call: GitCall,
    starting: Promise<StreamedProcess>,
  ): Promise<GitAnswer> {
    await using process = await starting;
    const chunks: Uint8Array[] = [];
    for await (const chunk of process.stdout) chunks.push(chunk);
    const { exitCode, stderr } = await process.end;
    const answer = { exitCode: exitCode ?? -1, stdout: Buffer.concat(chunks), stderr: stderr.trim() };
    if (answer.exitCode === 0 || call.expects?.includes(answer.exitCode)) return answer;
    throw gitFailure({ ...answer, args, dir: this.dir });
  }

  /** The text that it writes, without the last line break. */
  async text(args: readonly string[], call: GitCall = {}): Promise<string> {
    return (await this.run(args, call)).stdout.toString('utf8').replace(/\n$/, '');
  }

  /** What git is told of a remote: never to wait for ever. What the user has set for that is left as it is. */
  async remoteEnv(): Promise<ProcessEnv> {
    this.#remoteEnv ??= this.#askRemoteEnv();
    return this.#remoteEnv;
  }

  async #askRemoteEnv(): Promise<ProcessEnv> {
    const keys = '^(core\\.sshcommand|http\\.(.*\\.)?lowspeed(limit|time))$';
    const { stdout } = await this.plain(['config', '--get-regexp', keys], { expects: [1] });
    const set = stdout.toString('utf8');
    const hasSsh = /^core\./m.test(set) || [this.#env.GIT_SSH, this.#env.GIT_SSH_COMMAND].some(Boolean);
    return { ...(hasSsh ? {} : QUICK_SSH), ...(/^http\./m.test(set) ? {} : QUICK_HTTP) };
  }

  /** Git leaves a report in its folder when an import fails, of a failure that we have understood. */
  async removeCrashReport(stderr: string): Promise<void> {
    const [name] = /fast_import_crash_\d+/.exec(stderr) ?? [];
    if (name !== undefined) await this.disk.remove(join(this.dir, name));
  }

  start(args: readonly string[], call: GitCall = {}): Promise<StreamedProcess> {
    return this.#start(['--git-dir', this.dir, ...SETTINGS, ...args], call);
  }

  #start(args: readonly string[], { stdin, signal = NEVER, env }: GitCall): Promise<StreamedProcess> {
    return startGit(args, {
      ...this.#ports,
      env: env ? { ...this.#env, ...env } : this.#env,
      cwd: this.#place,
      signal,
      ...(stdin ? { stdin } : {}),
    });
  }
}

/** Who would be asked for a password, or does not answer, is away. */
const QUICK_SSH: ProcessEnv = {
  GIT_SSH_COMMAND: 'ssh -oBatchMode=yes -oConnectTimeout=20 -oServerAliveInterval=15 -oServerAliveCountMax=4',
};
/** Less than a byte a second for a minute. */
const QUICK_HTTP: ProcessEnv = { GIT_HTTP_LOW_SPEED_LIMIT: '1', GIT_HTTP_LOW_SPEED_TIME: '60' };

/** What is called published is on the disk; nobody's hooks run, and nothing is signed. */
const SETTINGS = [
  '-c',
  'core.fsync=all',
  '-c',
  'core.hooksPath=/dev/null',
  '-c',
  'commit.gpgSign=false',
  '-c',
  'push.gpgSign=false',
  '-c',
  'gc.auto=0',
  '-c',
  'maintenance.auto=false',
  '-c',
  'fastimport.unpackLimit=1',
];

/** The folder of the repository that holds a path. */
export async function findRepository(path: string, ports: GitPorts): Promise<Git> {
  const args = ['rev-parse', '--path-format=absolute', '--git-common-dir'];
  const { exitCode, stderr, stdout } = await askGit(args, { ports, cwd: path });
  const dir = stdout.trim();
  // One that does not know how to give a whole path says its options back.
  if (exitCode === 0 && (!isAbsolute(dir) || dir.includes('\n'))) throw tooOld('rev-parse --path-format');
  if (exitCode === 0) return new Git(dir, ports);
  throw gitFailure({ exitCode, stderr, args: ['rev-parse'], dir: path });
}

/** What git says in a folder, to the end. */
export async function askGit(
  args: readonly string[],
  { ports, cwd }: { readonly ports: GitPorts; readonly cwd: string },
): Promise<{ readonly exitCode: number; readonly stdout: string; readonly stderr: string }> {
  await using process = await startGit(args, { ...ports, env: quietEnv(ports.env), cwd, signal: NEVER });
  const chunks: Uint8Array[] = [];
  for await (const chunk of process.stdout) chunks.push(chunk);
  const { exitCode, stderr } = await process.end;
  const stdout = Buffer.concat(chunks).toString('utf8');
  return { exitCode: exitCode ?? -1, stdout, stderr: stderr.trim() };
}

/** Looks at a work tree and leaves it as it is. A watcher that missed a change would let git say that there was none. */
export const LOOKING = ['--no-optional-locks', '-c', 'core.fsmonitor=false'];

export async function startGit(
  args: readonly string[],
  settings: GitPorts & {
    readonly cwd: string;
    readonly signal: AbortSignal;
    readonly stdin?: Uint8Array | AsyncIterable<Uint8Array>;
  },
): Promise<StreamedProcess> {
  try {
    return await streamProcess({ ...settings, argv: ['git', ...args] });
  } catch (error) {
    if (!(error instanceof ActionableError) || error.code !== 'E_COMMAND_NOT_FOUND') throw error;
    throw new ActionableError({
      code: 'E_GIT_MISSING',
      message: 'The program "git" was not found.',
      hint: 'Install git 2.36 or newer, and make sure that it is on the PATH.',
      cause: error,
    });
  }
}

/** Set by a hook or an alias that we may be running in: they would lead git to another repository or index. */
const MISLEADING = [
  'GIT_DIR',
  'GIT_WORK_TREE',
  'GIT_INDEX_FILE',
  'GIT_PREFIX',
  'GIT_COMMON_DIR',
  'GIT_NAMESPACE',
  'GIT_OBJECT_DIRECTORY',
  'GIT_ALTERNATE_OBJECT_DIRECTORIES',
  'GIT_QUARANTINE_PATH',
  'GIT_SHALLOW_FILE',
  'GIT_EXTERNAL_DIFF',
  'GIT_LITERAL_PATHSPECS',
];

/** English, and without anybody to ask: a remote that wants a password fails at once. */
function quietEnv(env: ProcessEnv): ProcessEnv {
  const kept = Object.entries(env).filter(([name]) => !MISLEADING.includes(name));
  return {
    ...Object.fromEntries(kept),
    LC_ALL: 'C',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: '',
    SSH_ASKPASS: '',
    GCM_INTERACTIVE: 'never',
    GIT_OPTIONAL_LOCKS: '0',
  };
}
