/** Real repositories for results, and logs to publish there. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type RunId, systemClock, systemRandom } from '../../src/base/index.ts';
import { nodeDisk } from '../../src/disk/index.ts';
import { type LogReader, openLog } from '../../src/log/index.ts';
import type { BodiesSetting } from '../../src/results/bodies.ts';
import type { ResultsPorts } from '../../src/results/change-results.ts';
import type { Published } from '../../src/results/publish-log.ts';
import { openResults as openStore, type ResultsStore } from '../../src/results/results-store.ts';
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

export function cloneRepository(from: string, to: string, ...flags: string[]): void {
  execFileSync('git', ['clone', '--quiet', ...flags, from, to], { env: GIT_ENV, stdio: 'pipe' });
}

/** A clone of a remote, with a folder for its logs. */
export function cloneWithLogs(remote: string, dir: string): { readonly path: string; readonly logs: string } {
  cloneRepository(remote, dir);
  const logs = `${dir}-logs`;
  mkdirSync(logs);
  return { path: dir, logs };
}

export interface ResultsRepo extends AsyncDisposable {
  readonly store: ResultsStore;
  readonly ports: ResultsPorts;
  publish(path: string): Promise<Published>;
}

export interface OpenRepoOptions {
  readonly author?: string;
  readonly isBegun?: boolean;
  readonly remote?: string;
  readonly branch?: string;
  readonly bodies?: BodiesSetting;
}

/** The results of a repository, begun if need be, as somebody who is told to git. */
export async function openResults(
  dir: string,
  { author = 'Ada', isBegun = true, remote, branch, bodies }: OpenRepoOptions = {},
): Promise<ResultsRepo> {
  const base = { disk: nodeDisk, clock: systemClock, random: systemRandom };
  const email = `${author.toLowerCase()}@example.test`;
  const count = { GIT_CONFIG_COUNT: '2', GIT_CONFIG_KEY_0: 'user.name', GIT_CONFIG_VALUE_0: author };
  const env = { ...GIT_ENV, ...count, GIT_CONFIG_KEY_1: 'user.email', GIT_CONFIG_VALUE_1: email };
  const store = await openStore({ ...base, env, repo: dir, remote, branch, bodies });
  if (isBegun) await store.init();
  return {
    store,
    ports: await store.ports(),
    publish: (path) => withLog(path, (log) => store.publish(log, path.split('/').at(-1) ?? '')),
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
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

/** A run of the given day of March. */
export function runOfDay(n: number): RunId {
  return runIdAt(`2026-03-0${n}T00:00:00Z`, n);
}

export async function listedIds({ store }: ResultsRepo): Promise<readonly RunId[]> {
  return (await store.list({ limit: 1_000 })).runs.map(({ run }) => run);
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

/** Takes an object away from a repository that is one pack: what a bad disk does. */
export function dropObject(dir: string, id: string): void {
  const packs = join(dir, '.git/objects/pack');
  const pack = readdirSync(packs).find((name) => name.endsWith('.pack')) ?? '';
  const input = readFileSync(join(packs, pack));
  rmSync(packs, { recursive: true });
  execFileSync('git', ['-C', dir, 'unpack-objects', '-q'], { input, env: GIT_ENV });
  rmSync(join(dir, '.git/objects', id.slice(0, 2), id.slice(2)));
}
