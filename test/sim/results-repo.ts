/** Real repositories for results, and logs to publish there. */
import { execFileSync } from 'node:child_process';
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

/** One commit more on a branch, of files by their paths; a branch that is not there begins with it. */
export function commitFiles(dir: string, ref: string, files: Readonly<Record<string, string>>): void {
  const isThere = git(dir, 'for-each-ref', ref) !== '';
  const changes = Object.entries(files).map(
    ([path, text]) => `M 100644 inline ${JSON.stringify(path)}\ndata ${Buffer.byteLength(text)}\n${text}\n`,
  );
  const from = isThere ? `from ${ref}^0\n` : '';
  gitInput(dir, `commit ${ref}\ncommitter x <x@y> 1 +0000\ndata 1\nx\n${from}${changes.join('')}\n`);
}
