/** Real repositories for results, and logs to publish there. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type RunId, systemClock, systemRandom } from '../../src/base/index.ts';
import { nodeDisk } from '../../src/disk/index.ts';
import { CatFile } from '../../src/git/cat-file.ts';
import { findRepository } from '../../src/git/git.ts';
import { type LogReader, openLog } from '../../src/log/index.ts';
import { RESULTS_REF } from '../../src/results/layout.ts';
import { type Published, type PublishPorts, publishLog } from '../../src/results/publish-log.ts';
import { type FixtureLog, writeFixtureLog } from './log-fixture.ts';

/** Nothing of the user's own settings. */
export const GIT_ENV = {
  PATH: process.env.PATH,
  HOME: '/nonexistent',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
};

export function git(dir: string, ...args: string[]): string {
  return execFileSync('git', ['-C', dir, ...args], { encoding: 'utf8', env: GIT_ENV }).trim();
}

export function initRepository(dir: string, ...flags: string[]): void {
  execFileSync('git', ['init', '--quiet', '--initial-branch=main', ...flags, dir], { env: GIT_ENV });
}

export interface ResultsRepo extends AsyncDisposable, PublishPorts {
  publish(path: string): Promise<Published>;
}

export async function openResults(dir: string): Promise<ResultsRepo> {
  const ports = { disk: nodeDisk, clock: systemClock, random: systemRandom, env: GIT_ENV };
  const repository = await findRepository(dir, ports);
  const objects = new CatFile(repository);
  const publishing: PublishPorts = {
    ...ports,
    git: repository,
    objects,
    ref: RESULTS_REF,
    author: { name: 'Ada', email: 'ada@example.test' },
    by: { user: 'ada', host: 'here' },
  };
  return {
    ...publishing,
    publish: (path) => withLog(path, (log) => publishLog(log, path.split('/').at(-1) ?? '', publishing)),
    [Symbol.asyncDispose]: () => objects[Symbol.asyncDispose](),
  };
}

export async function withLog<T>(path: string, work: (log: LogReader) => Promise<T>): Promise<T> {
  const log = await openLog(nodeDisk, path);
  try {
    return await work(log);
  } finally {
    await log.close();
  }
}

export function runIdAt(iso: string, n = 0): RunId {
  const time = new Date(iso).toISOString().replace(/[-:.Z]/g, '');
  return `${time}-${String(n).padStart(10, '0')}` as RunId;
}

/** A finished log of a run; `more` makes other content of the same run. */
export function writeRun(dir: string, run: string, more: FixtureLog = {}): Promise<string> {
  const path = join(dir, `${run}${more.header?.tags?.join('') ?? ''}.eval`);
  return writeFixtureLog(nodeDisk, path, { ...more, spec: { run_id: run, ...more.spec } });
}

/** A stream for `git fast-import`. */
export function gitInput(dir: string, stream: string): void {
  execFileSync('git', ['-C', dir, 'fast-import', '--quiet'], { input: stream, env: GIT_ENV });
}

/** Takes an object away from a repository that is one pack: what a bad disk does. */
export function dropObject(dir: string, id: string): void {
  const packs = join(dir, '.git/objects/pack');
  const pack = readdirSync(packs).find((name) => name.endsWith('.pack')) ?? '';
  const input = readFileSync(join(packs, pack));
  rmSync(packs, { recursive: true });
  execFileSync('git', ['-C', dir, 'unpack-objects', '-q'], { input, env: GIT_ENV });
  rmSync(join(dir, '.git/objects', id.slice(0, 2), id.slice(2)));
}
