import { messageOf } from '../base/index.ts';
import { streamProcess } from '../process/index.ts';
import type { BundlePorts, BundleSettings } from './bundle.ts';
import { bundleErrors } from './bundle-errors.ts';
import type { BundleProgram } from './manifest.ts';

const ANSWER_MS = 30_000;

/** What each declared program says of its version here, by name. */
export async function readPrograms(
  declared: NonNullable<BundleSettings['programs']>,
  about: { readonly ports: BundlePorts; readonly dir: string },
): Promise<readonly BundleProgram[]> {
  const programs: BundleProgram[] = [];
  for (const [name, command] of Object.entries(commandsOf(declared)).sort(byName)) {
    const version = await versionOf(name, command, about);
    programs.push({ command: [...command], name, version });
  }
  return programs;
}

function commandsOf(declared: NonNullable<BundleSettings['programs']>): Record<string, readonly string[]> {
  const entries = Array.isArray(declared)
    ? (declared as readonly string[]).map((name) => [name, [name, '--version']] as const)
    : Object.entries(declared).map(([name, text]) => [name, text.trim().split(/\s+/)] as const);
  return Object.fromEntries(entries);
}

/** The first line that it says; most say it on stdout, some on stderr. */
export async function versionOf(
  name: string,
  command: readonly string[],
  { ports, dir }: { readonly ports: BundlePorts; readonly dir: string },
): Promise<string> {
  const { disk, clock, random, env, signal = new AbortController().signal } = ports;
  try {
    const settings = { disk, clock, random, env, signal, argv: command, cwd: dir, timeoutMs: ANSWER_MS };
    await using child = await streamProcess(settings);
    const chunks: Uint8Array[] = [];
    for await (const chunk of child.stdout) chunks.push(chunk);
    const { exitCode, stderr } = await child.end;
    const lines = `${Buffer.concat(chunks).toString('utf8')}\n${stderr}`.split('\n').map((one) => one.trim());
    const first = lines.find((one) => one !== '');
    if (exitCode !== 0) throw new Error(`"${command.join(' ')}" ended with ${exitCode ?? 'a signal'}`);
    if (first === undefined) throw new Error(`"${command.join(' ')}" says nothing`);
    return first;
  } catch (error) {
    signal.throwIfAborted();
    throw bundleErrors.program(name, messageOf(error).replace(/\.$/, ''));
  }
}

function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1;
}
