// Plain JavaScript that Node 20 runs with nothing installed: it installs what is missing, and finds the project's own Node.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('..', import.meta.url));
const BIN = join(ROOT, 'node_modules', '.bin');

/** Installs what package-lock.json says, unless exactly that is installed. */
export function ensureInstalled() {
  if (isInstalled()) return;
  say('Installing');
  // The versions of package-lock.json, which is left as it is. Not `npm ci`: it demands the binaries of every platform
  // in the lock file, and mirrors of the registry do not hold them all.
  run('npm', ['install', '--no-save', '--no-audit', '--no-fund']);
}

/** Compares versions: times of files say nothing after a checkout. */
function isInstalled() {
  const installed = readLock(join(ROOT, 'node_modules', '.package-lock.json'));
  const wanted = readLock(join(ROOT, 'package-lock.json'));
  if (!installed || !wanted || !existsSync(join(BIN, 'node'))) return false;
  return Object.entries(wanted.packages).every(([path, about]) => {
    // The root itself and parts of other platforms are not installed.
    if (path === '' || about.optional || about.peer) return true;
    return installed.packages[path]?.version === about.version;
  });
}

function readLock(path) {
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined;
}

/** Runs a command of the project with the project's own Node first on the path; a failure ends this program. */
export function run(command, args) {
  const status = tryRun(command, args);
  if (status !== 0) process.exit(status);
}

/** The same, but gives the exit code back. `options.env` is added to the environment. */
export function tryRun(command, args, options = {}) {
  const path = `${BIN}${delimiter}${process.env.PATH ?? ''}`;
  const { status, signal, error } = spawnSync(command, args, {
    cwd: ROOT,
    stdio: 'inherit',
    env: { ...process.env, PATH: path, ...options.env },
  });
  if (error) {
    say(`${command} could not be started: ${error.message}`);
    return 1;
  }
  if (signal) say(`${command} was stopped by ${signal}`);
  return status ?? 1;
}

/** One line that can be told from the output of the steps. */
export function say(text) {
  process.stdout.write(`\n▸ ${text}\n`);
}
