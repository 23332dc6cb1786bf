import { mkdirSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { GIT_ENV, git, initRepository, runIdAt, withLog, writeRun } from '../../test/sim/results-repo.ts';
import { useTempDir } from '../../test/sim/use-temp-dir.ts';
import { withMethods } from '../../test/sim/with-methods.ts';
import { systemClock, systemRandom } from '../base/index.ts';
import { nodeDisk } from '../disk/index.ts';
import { directoryLogStore, type LogStore } from '../log/index.ts';
import { openPublishedMemory, openResults, type ResultsStore } from './index.ts';

const dir = useTempDir();
const OURS = { metadata: { holdfast: { version: 1 } } };
const runOf = (n: number) => runIdAt('2026-01-01T00:00:00Z', n);
const [ONE, TWO, THREE] = [runOf(1), runOf(2), runOf(3)];
let logs: LogStore;
let logDir: string;
let results: ResultsStore;

let repo: string;

async function begin(): Promise<ResultsStore> {
  const ports = { disk: nodeDisk, clock: systemClock, random: systemRandom, env: GIT_ENV };
  const begun = await openResults({ ...ports, repo });
  await begun.init();
  return begun;
}

beforeEach(async () => {
  repo = join(dir.path, 'repo');
  logDir = join(dir.path, 'logs');
  initRepository(repo);
  await nodeDisk.makeDir(logDir);
  logs = directoryLogStore(nodeDisk, logDir);
  results = await begin();
});

afterEach(() => results[Symbol.asyncDispose]());

const memoryOf = () =>
  openPublishedMemory(join(dir.path, 'memory.json'), { disk: nodeDisk, clock: systemClock });
const publish = (path: string) => withLog(path, (log) => results.publish(log, path.split('/').at(-1) ?? ''));
/** Written long ago, each later than the one before. */
const aged = (path: string, minutesAgo: number) => {
  const time = (systemClock.nowMs() - minutesAgo * 60_000) / 1_000;
  utimesSync(path, time, time);
  return path;
};
const names = async (options: Parameters<ResultsStore['pending']>[1] = {}) =>
  (await results.pending(logs, options)).logs.map(({ run }) => run);
/** How often logs are opened by a look. */
async function looked(options: Parameters<ResultsStore['pending']>[1]): Promise<number> {
  let opened = 0;
  const counting = withMethods(logs, {
    open: (name: string) => {
      opened++;
      return logs.open(name);
    },
  });
  await results.pending(counting, options);
  return opened;
}

test('finished logs that are not in the results wait, oldest first; others do not', async () => {
  aged(await writeRun(logDir, TWO), 1);
  aged(await writeRun(logDir, ONE), 5);
  const published = await writeRun(logDir, THREE);
  await publish(published);
  await writeRun(logDir, runIdAt('2026-01-02T00:00:00Z'), { header: { status: 'started' } });
  writeFileSync(join(logDir, 'torn.eval'), 'not much of a log');
  expect(await names()).toEqual([ONE, TWO]);
});

test('another log of a published run waits, and is no longer waiting when it is published', async () => {
  await publish(await writeRun(logDir, ONE));
  expect(await names()).toEqual([]);
  const scored = await writeRun(logDir, ONE, { header: { tags: ['scored'] } });
  expect(await names()).toEqual([ONE]);
  await publish(scored);
  expect(await names()).toEqual([]);
});

test('ours alone: what other tools made waits for somebody to say so', async () => {
  await writeRun(logDir, ONE, { spec: OURS });
  await writeRun(logDir, TWO);
  await writeRun(logDir, THREE, { header: { metadata: { holdfast_recovery: { events: true } } } });
  expect(new Set(await names({ only: 'ours' }))).toEqual(new Set([ONE, THREE]));
  expect(new Set(await names())).toEqual(new Set([ONE, TWO, THREE]));
});

test('what was seen is not opened again, until the log changes', async () => {
  for (const [index, run] of [ONE, TWO, THREE].entries())
    await publish(aged(await writeRun(logDir, run, { spec: OURS }), 9 - index));
  const first = await memoryOf();
  const { commit } = await results.pending(logs, { memory: first, only: 'ours' });
  await first.save(commit);
  expect(await looked({ memory: await memoryOf(), only: 'ours' })).toBe(0);
  const path = join(logDir, `${TWO}.eval`);
  renameSync(await writeRun(logDir, TWO, { spec: OURS, header: { tags: ['x'] } }), path);
  aged(path, 2);
  expect(await names({ memory: await memoryOf(), only: 'ours' })).toEqual([TWO]);
});

test('a log that changed just now is not remembered: it could change again in the same moment', async () => {
  const path = await writeRun(logDir, ONE, { spec: OURS });
  await publish(path);
  const memory = await memoryOf();
  const { commit } = await results.pending(logs, { memory });
  await memory.save(commit);
  expect(await looked({ memory: await memoryOf() })).toBeGreaterThan(0);
});

test('what is remembered as published is believed only while the branch still leads there', async () => {
  await publish(aged(await writeRun(logDir, ONE, { spec: OURS }), 3));
  const memory = await memoryOf();
  const { commit } = await results.pending(logs, { memory });
  await memory.save(commit);
  git(repo, 'update-ref', '-d', results.ref);
  await results[Symbol.asyncDispose]();
  results = await begin();
  expect(await names({ memory: await memoryOf() })).toEqual([ONE]);
});

test('what was archived is published, and does not wait', async () => {
  await publish(aged(await writeRun(logDir, ONE, { spec: OURS }), 3));
  expect(await results.archive(await results.planArchive('2026-01-02'))).toBe(true);
  const memory = await memoryOf();
  expect(await names({ memory })).toEqual([]);
  const scored = await writeRun(logDir, ONE, { spec: OURS, header: { tags: ['scored'] } });
  expect(await names({ memory })).toEqual([ONE]);
  await publish(scored);
  expect(await names({ memory })).toEqual([]);
});

test('a memory that cannot be read or written is as good as none', async () => {
  await publish(aged(await writeRun(logDir, ONE, { spec: OURS }), 3));
  for (const text of ['', '{', '[]', '{"version":1,"commit":"x","logs":{}}', '{"version":2}']) {
    writeFileSync(join(dir.path, 'memory.json'), text);
    expect(await names({ memory: await memoryOf() })).toEqual([]);
  }
  rmSync(join(dir.path, 'memory.json'));
  mkdirSync(join(dir.path, 'memory.json/in-the-way'), { recursive: true });
  const lost = await memoryOf();
  const { commit, logs: waiting } = await results.pending(logs, { memory: lost });
  expect(waiting).toEqual([]);
  await lost.save(commit);
});
