import { dirname, join } from 'node:path';
import { ActionableError } from '../base/index.ts';
import { streamProcess } from '../process/index.ts';
import type { BundlePorts } from './bundle.ts';
import { bundleErrors } from './bundle-errors.ts';
import type { BundleManifest } from './manifest.ts';
import { type Installer, installerFor } from './packages.ts';

export interface PackagesOptions {
  readonly ports: BundlePorts;
  readonly root: string;
  readonly onLine?: ((line: string) => void) | undefined;
}

/** Installs what the lock file of a bundle names; without one, or without a package, there is nothing to do. */
export async function installPackages({ lock }: BundleManifest, options: PackagesOptions): Promise<void> {
  const { ports, root } = options;
  const { disk } = ports;
  if (lock === null) return;
  const cwd = dirname(join(root, lock));
  if (!(await disk.stat(join(cwd, 'package.json')))) return;
  const text = Buffer.from((await disk.read(join(root, lock))) ?? []).toString('utf8');
  const installer = installerFor(lock, text);
  if (!installer) return;
  const { exitCode, reason } = await runInstaller(installer, { ...options, cwd });
  if (exitCode === 0) return;
  const command = installer.argv.join(' ');
  throw bundleErrors.packages(command, `ended with ${exitCode ?? 'a signal'}: ${reason}`);
}

interface InstallerEnd {
  readonly exitCode: number | null;
  /** What it said is wrong; empty when it said nothing. */
  readonly reason: string;
}

/** Runs the program that a lock file is of, to its end. */
export async function runInstaller(
  { argv, lock, env: more }: Installer,
  { ports, cwd, onLine }: Omit<PackagesOptions, 'root'> & { readonly cwd: string },
): Promise<InstallerEnd> {
  const { disk, clock, random, env, signal = new AbortController().signal } = ports;
  await using child = await streamProcess({
    ...{ disk, clock, random, signal, argv, cwd, env: { ...env, ...more } },
  }).catch((error: unknown) => {
    const isMissing = error instanceof ActionableError && error.code === 'E_COMMAND_NOT_FOUND';
    throw isMissing ? bundleErrors.noInstaller(argv[0] ?? '', lock) : error;
  });
  const said: string[] = [];
  for await (const line of linesOf(child.stdout)) {
    said.push(line);
    onLine?.(line);
  }
  const { exitCode, stderr } = await child.end;
  signal.throwIfAborted();
  const complaints = stderr.split('\n').filter((line) => line.trim() !== '');
  for (const line of complaints) onLine?.(line);
  return { exitCode, reason: reasonIn(complaints.length > 0 ? complaints : said) };
}

const REASON_LINES = 6;

/** All of them say first what is wrong, and then, at length, how they are used. */
function reasonIn(lines: readonly string[]): string {
  const errors = lines.filter((line) => /^\W*(npm error|error|ERR_)/i.test(line));
  const plain = errors.map((line) => line.replace(/^npm error\s*/, '').trim()).filter((line) => line !== '');
  const told = plain.length > 0 ? plain.slice(0, REASON_LINES) : lines.slice(-REASON_LINES);
  return told.join(' ');
}

async function* linesOf(stream: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of stream) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest !== '') yield rest;
}
