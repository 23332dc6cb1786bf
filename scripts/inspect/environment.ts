// Python environments with Inspect in them, one per version, kept in a cache outside the tree.

import { spawn } from 'node:child_process';
import { access, mkdir, readdir, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';

export interface Environment {
  readonly version: string;
  readonly python: string;
  /** The folder with Inspect's package in it, for a Python that is started by another path. */
  readonly sitePackages: string;
}

export interface Finished {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
  /** Called with the child's id as soon as it runs. */
  readonly onStart?: (pid: number) => void;
}

/** PyPI (or this machine's index) cannot be reached, or no fitting Python is here. */
export class InspectUnavailableError extends Error {
  override readonly name = 'InspectUnavailableError';
}

const PYTHONS = ['python3.11', 'python3.12', 'python3.13', 'python3.10', 'python3'];
const PATIENCE_MS = 300_000; // the longest step is an installation
const ALSO = ['pandas', 'pyarrow']; // what Inspect's data frames need

/** The environment of one version; made at first use, which takes about a minute. */
export async function inspectEnvironment(version: string): Promise<Environment> {
  const dir = join(cacheDir(), version);
  const environment = { version, python: join(dir, 'bin/python'), sitePackages: await sitePackages(dir) };
  if (await exists(join(dir, 'ready'))) return environment;

  await rm(dir, { recursive: true, force: true });
  await mkdir(cacheDir(), { recursive: true });
  await must(await findPython(), ['-m', 'venv', dir]);
  const wanted = [`inspect-ai==${version}`, ...ALSO];
  await must(environment.python, [
    '-m',
    'pip',
    'install',
    '--quiet',
    '--disable-pip-version-check',
    ...wanted,
  ]);
  await must(environment.python, ['-c', `open(${JSON.stringify(join(dir, 'ready'))}, 'w').close()`]);
  return { ...environment, sitePackages: await sitePackages(dir) };
}

/** The newest version that was installed here before; undefined when none was. Asks no network. */
export async function installedInspect(): Promise<Environment | undefined> {
  const versions = await readdir(cacheDir()).catch(() => []); // nothing was ever installed
  const ready: string[] = [];
  for (const version of versions) if (await exists(join(cacheDir(), version, 'ready'))) ready.push(version);
  const newest = ready.sort((one, other) => one.localeCompare(other, 'en', { numeric: true })).at(-1);
  return newest === undefined ? undefined : inspectEnvironment(newest);
}

/** The newest version that pip offers here. */
export async function newestInspect(): Promise<string> {
  const args = ['-m', 'pip', 'index', 'versions', 'inspect-ai', '--disable-pip-version-check'];
  const { stdout } = await must(await findPython(), args);
  const version = /^inspect-ai \(([^)]+)\)/m.exec(stdout)?.[1];
  if (version === undefined) throw new InspectUnavailableError('pip names no version of inspect-ai');
  return version;
}

/** The folder that a Python is installed in, links resolved. */
export async function pythonHome(python: string): Promise<string> {
  return (await must(python, ['-c', 'import sys; print(sys.base_prefix)'])).stdout.trim();
}

/** Runs a program to its end, whatever that is. */
export function run(program: string, args: readonly string[], options: RunOptions = {}): Promise<Finished> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd: options.cwd,
      env: options.env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => err.push(chunk));
    child.once('error', reject);
    const patience = setTimeout(() => child.kill('SIGTERM'), PATIENCE_MS);
    child.once('close', () => clearTimeout(patience));
    child.once('spawn', () => child.pid !== undefined && options.onStart?.(child.pid));
    child.once('close', (exitCode, signal) =>
      resolve({
        exitCode,
        signal,
        stdout: Buffer.concat(out).toString(),
        stderr: Buffer.concat(err).toString(),
      }),
    );
  });
}

function cacheDir(): string {
  return join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'holdfast', 'inspect');
}

async function sitePackages(dir: string): Promise<string> {
  const python = join(dir, 'bin/python');
  if (!(await exists(python))) return '';
  return (await must(python, ['-c', 'import sysconfig; print(sysconfig.get_path("purelib"))'])).stdout.trim();
}

async function findPython(): Promise<string> {
  for (const name of PYTHONS) {
    const found = await run(name, ['-c', 'import sys, venv; print(sys.version_info >= (3, 10))']).catch(
      () => undefined,
    ); // not installed
    if (found?.stdout.trim() === 'True') return name;
  }
  throw new InspectUnavailableError('no Python of 3.10 or later with venv is installed');
}

async function must(program: string, args: readonly string[]): Promise<Finished> {
  const finished = await run(program, args);
  if (finished.exitCode === 0) return finished;
  const said = finished.stderr.trim().split('\n').slice(-3).join(' ');
  throw new InspectUnavailableError(`${program} ${args.slice(0, 4).join(' ')} failed: ${said}`);
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
