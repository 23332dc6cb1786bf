/** The program behind a command-line agent: where it is, and what tells whether it is still the same one. */
import { createHash } from 'node:crypto';
import { delimiter, isAbsolute, join, relative } from 'node:path';
import { digestOf, type Json, systemClock, systemRandom, UsageError } from '../base/index.ts';
import { type Disk, isExecutable } from '../disk/index.ts';
import { placeholdersIn } from '../evals/index.ts';
import { streamProcess } from '../process/index.ts';
import type { Env } from './open-model.ts';

export interface ProgramOptions {
  readonly disk: Disk;
  /** The folder of the eval file. */
  readonly baseDir: string;
  /** The folder that becomes the workspace. */
  readonly template: string | undefined;
  /** What the program sees. */
  readonly env: Env;
}

export interface AgentProgram {
  /** What is to be started, as `argv[0]`. */
  readonly command: string;
  /** The file that is the user's own; undefined for one that is installed, or that the template holds. */
  readonly file: string | undefined;
  /** True when it is the same for all samples: it is neither in the workspace nor named by a row. */
  readonly isShared: boolean;
}

/** Finds the program as it will be run, or says that it is not there, or why it cannot be run. */
export async function findProgram(command: string, options: ProgramOptions): Promise<AgentProgram> {
  const program = await locate(command, options);
  if (program.file !== undefined) await refuseUnrunnable(program.file, options.disk);
  return program;
}

async function locate(command: string, options: ProgramOptions): Promise<AgentProgram> {
  const { disk, baseDir, template, env } = options;
  if (placeholdersIn(command).length > 0) return { command, file: undefined, isShared: false };
  const isFile = async (path: string) => (await disk.stat(path).catch(() => undefined))?.kind === 'file';
  if (isAbsolute(command)) {
    if (await isFile(command)) return { command, file: command, isShared: true };
    throw notFound(command, '');
  }
  if (command.includes('/')) {
    if (template !== undefined && (await isFile(join(template, command)))) {
      await refuseUnrunnable(join(template, command), disk);
      return { command, file: undefined, isShared: false };
    }
    const beside = join(baseDir, command);
    if (await isFile(beside)) return { command: beside, file: beside, isShared: true };
    throw notFound(command, template === undefined ? ` in ${baseDir}` : ` in ${template} or ${baseDir}`);
  }
  for (const dir of (env.PATH ?? '').split(delimiter)) {
    const path = join(dir, command);
    if ((await isFile(path)) && isExecutable(path))
      return { command, file: isInside(baseDir, path) ? path : undefined, isShared: true };
  }
  throw notFound(command, ' on the PATH');
}

/** The system would only say EACCES or ENOENT, and that for each sample. */
async function refuseUnrunnable(path: string, disk: Disk): Promise<void> {
  if (!isExecutable(path))
    throw new UsageError({
      code: 'E_COMMAND_NOT_EXECUTABLE',
      message: `${path} may not be executed.`,
      hint: `Run: chmod +x ${path}`,
    });
  const line = await firstLineOf(path, disk);
  const interpreter = line.startsWith('#!') ? (/^#!\s*(\S+)/.exec(line)?.[1] ?? '') : undefined;
  if (interpreter === undefined) return;
  const hasReturn = line.endsWith('\r');
  if (!hasReturn && (await disk.stat(interpreter).catch(() => undefined))) return;
  throw new UsageError({
    code: 'E_COMMAND_INTERPRETER',
    message: hasReturn
      ? `The first line of ${path} ends in a carriage return, so its interpreter is not found.`
      : `The first line of ${path} names the interpreter ${interpreter || '""'}, which is not there.`,
    hint: hasReturn
      ? 'Save the file with line ends of Unix (LF).'
      : 'Correct the line that begins with #!, such as #!/bin/sh or #!/usr/bin/env node.',
  });
}

const FIRST_LINE_BYTES_MAX = 256;

async function firstLineOf(path: string, disk: Disk): Promise<string> {
  await using file = await disk.open(path, 'read');
  const bytes = new Uint8Array(FIRST_LINE_BYTES_MAX);
  const count = await file.read(bytes, 0);
  return Buffer.from(bytes.subarray(0, count)).toString('latin1').split('\n')[0] ?? '';
}

/** Digests of files that are the user's own: the program, and arguments that are whole paths of files. */
export async function digestsOfFiles(
  argv: readonly string[],
  { program, disk }: { readonly program: AgentProgram; readonly disk: Disk },
): Promise<readonly Json[]> {
  const named = argv.slice(1).filter((argument) => isAbsolute(argument));
  const paths = [program.file, ...named].filter((path) => path !== undefined);
  const digests = await Promise.all(paths.map((path) => digestOfFile(disk, path)));
  return digests.filter((digest) => digest !== undefined);
}

const VERSION_BYTES_MAX = 4 * 2 ** 10;
const VERSION_MS_MAX = 20_000;

/** What `<program> --version` prints; null when it prints nothing, fails or takes too long. */
export async function versionOf(
  command: string,
  { disk, baseDir, env }: ProgramOptions,
): Promise<string | null> {
  await using program = await streamProcess({
    argv: [command, '--version'],
    cwd: baseDir,
    env,
    disk,
    clock: systemClock,
    random: systemRandom,
    signal: new AbortController().signal,
    timeoutMs: VERSION_MS_MAX,
  });
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const chunk of program.stdout) {
    chunks.push(chunk);
    sizeBytes += chunk.length;
    if (sizeBytes > VERSION_BYTES_MAX) return null;
  }
  const { exitCode } = await program.end;
  const text = Buffer.concat(chunks).toString('utf8').trim();
  return exitCode === 0 && text !== '' ? text : null;
}

/** Who asks, and where things lie on this machine: neither changes what an agent does. */
const NOT_SETTINGS = /(KEY|TOKEN|SECRET|PASSWORD|PASSWD|AUTH|CREDENTIALS?)$|_(HOME|DIR|PATH)$/i;

/** Variables that are set and say how the agent is to work, such as the address or the name of its model. */
export function settingsIn(env: Env, names: readonly string[]): Readonly<Record<string, string>> {
  const set = names.flatMap((name) => {
    const value = NOT_SETTINGS.test(name) ? undefined : env[name];
    // Its digest only: it may be a secret all the same.
    return value === undefined ? [] : [[name, digestOf(value)] as const];
  });
  return Object.fromEntries(set);
}

const CHUNK_BYTES = 2 ** 20;

async function digestOfFile(disk: Disk, path: string): Promise<string | undefined> {
  if ((await disk.stat(path))?.kind !== 'file') return undefined;
  await using file = await disk.open(path, 'read');
  const hash = createHash('sha256');
  const chunk = new Uint8Array(CHUNK_BYTES);
  for (let position = 0; ; ) {
    const count = await file.read(chunk, position);
    hash.update(chunk.subarray(0, count));
    position += count;
    if (count < CHUNK_BYTES) return hash.digest('hex');
  }
}

function isInside(dir: string, path: string): boolean {
  const way = relative(dir, path);
  return way !== '' && !way.startsWith('..') && !isAbsolute(way);
}

function notFound(command: string, where: string): UsageError {
  return new UsageError({
    code: 'E_COMMAND_NOT_FOUND',
    message: `The command "${command}" was not found${where}.`,
    hint: 'Install it, or give its full path in `command`; a path such as ./agent.sh starts in the workspace folder or beside the eval file.',
  });
}
