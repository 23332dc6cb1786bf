/** npm as a newcomer uses it, without what the test runner put into the environment. */
import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import process from 'node:process';

export const ROOT = join(import.meta.dirname, '../..');

/** The machine's own programs: the project's Node and tools are not on the path. */
const OWN_PATH = (process.env.PATH ?? '')
  .split(':')
  .filter((dir) => !dir.includes('node_modules'))
  .join(':');

/** What npm, Node and the test runner put there. How this machine reaches the network (proxies, certificates) stays. */
const INNER =
  /^(npm_(?!config_)|VITEST|NODE_(ENV|OPTIONS|PATH|V8|CHANNEL|UNIQUE|DISABLE)|TEST$|FORCE_COLOR|INIT_CWD)/;

function outerEnvironment(): NodeJS.ProcessEnv {
  const entries = Object.entries(process.env).filter(([name]) => !INNER.test(name));
  return { ...Object.fromEntries(entries), PATH: OWN_PATH };
}

export function run(
  command: string,
  args: readonly string[],
  options: { readonly cwd: string; readonly bin?: string },
): SpawnSyncReturns<string> {
  const env = outerEnvironment();
  if (options.bin !== undefined) env.PATH = `${options.bin}:${env.PATH}`;
  return spawnSync(command, args, {
    cwd: options.cwd,
    env,
    encoding: 'utf8',
    timeout: 400_000,
    maxBuffer: 2 ** 28,
  });
}

/** Why tests that install packages cannot run here; undefined when they can. */
export function whyNoRegistry(): string | undefined {
  // What npm has in its cache says nothing about the registry.
  const args = ['view', 'commander', 'version', '--prefer-online', '--fetch-retries=0'];
  const { status, error } = run('npm', args, { cwd: dirname(ROOT) });
  if (error) return `npm cannot be started (${error.message})`;
  return status === 0 ? undefined : 'the npm registry cannot be reached';
}

/** The version of the machine's own Node, as numbers. */
export function ownNodeVersion(): readonly [number, number] {
  const { stdout } = run('node', ['--version'], { cwd: ROOT });
  const [major = 0, minor = 0] = stdout.replace('v', '').split('.').map(Number);
  return [major, minor];
}
