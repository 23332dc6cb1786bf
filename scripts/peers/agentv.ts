// AgentV as npm has it, kept in a cache outside the tree, and evals that it runs without a network.

import { execFile } from 'node:child_process';
import { access, mkdir, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Place, type Ran, runTimed } from './timed-process.ts';

const run = promisify(execFile);
const INSTALL_MS_MAX = 900_000; // 812 MB of packages

/** npm, or this machine's registry, cannot be reached. */
export class AgentvUnavailableError extends Error {
  override readonly name = 'AgentvUnavailableError';
}

export interface Agentv {
  readonly version: string;
  /** The file that Node runs. */
  readonly program: string;
  /**
   * Runs one command of it in a folder; its own files go below `home`. It ends with 1 when a test failed and with 2 when all had errors,
   * so the exit code is left to the caller: what it wrote tells more.
   */
  command(args: readonly string[], place: Place): Promise<Ran>;
}

/** The newest AgentV; installed at first use, without running anybody's scripts. */
export async function newestAgentv(): Promise<Agentv> {
  const version = (await npm(['view', 'agentv', 'version'], homedir())).trim();
  const dir = join(
    process.env.HOLDFAST_PEERS ?? join(homedir(), '.cache/holdfast-peers'),
    `agentv-${version}`,
  );
  if (!(await exists(join(dir, 'ready')))) {
    await rm(dir, { recursive: true, force: true });
    await mkdir(dir, { recursive: true });
    await writeFile(join(dir, 'package.json'), '{"private":true}\n');
    await npm(['install', '--ignore-scripts', '--no-audit', '--no-fund', `agentv@${version}`], dir);
    await writeFile(join(dir, 'ready'), '');
  }
  const program = join(dir, 'node_modules/agentv/dist/cli.js');
  return { version, program, command: (args, place) => runTimed([program, ...args], place) };
}

async function npm(args: readonly string[], cwd: string): Promise<string> {
  try {
    return (await run('npm', [...args], { cwd, timeout: INSTALL_MS_MAX })).stdout;
  } catch (error) {
    throw new AgentvUnavailableError(`npm ${args[0]} failed`, { cause: error });
  }
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
