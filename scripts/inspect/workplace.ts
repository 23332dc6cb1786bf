// A folder in which Inspect runs as if nothing else were on the machine: its own home, data, logs and
// task files, reached through links, so that no path of this machine gets into what it writes.

import { cp, mkdir, rm, symlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Environment, type Finished, pythonHome, type RunOptions, run } from './environment.ts';

export interface Workplace {
  readonly root: string;
  readonly logDir: string;
  readonly dataDir: string;
  readonly ledger: string;
  readonly environment: Environment;
}

const SCRIPTS = dirname(fileURLToPath(import.meta.url));
const SCRIPT_FILES = /\.py$/;

/** Empties `root` and furnishes it for one run with the environment's Inspect. */
export async function openWorkplace(root: string, environment: Environment): Promise<Workplace> {
  const place = {
    root,
    logDir: join(root, 'logs'),
    dataDir: join(root, 'data'),
    ledger: join(root, 'ledger.jsonl'),
    environment,
  };
  await rm(root, { recursive: true, force: true });
  for (const dir of ['logs', 'data', 'home', 'task']) await mkdir(join(root, dir), { recursive: true });
  await cp(SCRIPTS, join(root, 'task'), {
    recursive: true,
    filter: (path) => path === SCRIPTS || SCRIPT_FILES.test(path),
  });
  await useEnvironment(place, environment);
  return place;
}

/** The same folder and files, with another version of Inspect. */
export async function useEnvironment(place: Workplace, environment: Environment): Promise<Workplace> {
  await relink(await pythonHome(environment.python), join(place.root, 'python'));
  await relink(environment.sitePackages, join(place.root, 'packages'));
  return { ...place, environment };
}

/** Runs one of the scripts beside this file, or (with `-m`) a module such as `inspect_ai`. */
export function runPython(
  place: Workplace,
  args: readonly string[],
  options: RunOptions = {},
): Promise<Finished> {
  const [script = '', ...rest] = args;
  const command = script === '-m' ? args : [join(place.root, 'task', basename(script)), ...rest];
  return run(join(place.root, 'python/bin/python3'), command, {
    cwd: place.logDir,
    ...options,
    env: { ...pythonEnv(place), ...options.env },
  });
}

function pythonEnv(place: Workplace): NodeJS.ProcessEnv {
  return {
    HOME: join(place.root, 'home'),
    XDG_DATA_HOME: place.dataDir,
    PATH: `${join(place.root, 'python/bin')}:/usr/bin:/bin`,
    PYTHONPATH: join(place.root, 'packages'),
    PYTHONDONTWRITEBYTECODE: '1',
    LANG: 'C.UTF-8',
    TZ: 'UTC',
    USER: 'nobody',
    LOGNAME: 'nobody',
  };
}

async function relink(target: string, link: string): Promise<void> {
  await rm(link, { force: true });
  await symlink(target, link);
}
