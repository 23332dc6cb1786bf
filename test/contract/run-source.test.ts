import { mkdirSync, readdirSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type RunId, systemClock, systemRandom } from '../../src/base/index.ts';
import { directoryBucket } from '../../src/bucket/index.ts';
import { nodeDisk } from '../../src/disk/index.ts';
import { findRepository } from '../../src/git/index.ts';
import { journalPath, StateDir } from '../../src/journal/index.ts';
import { bucketLogStore, directoryLogStore, type LogStore, openLog } from '../../src/log/index.ts';
import { foreignRunId, openResults } from '../../src/results/index.ts';
import { agentvSource } from '../../src/sources/agentv/agentv-source.ts';
import { journalSource } from '../../src/sources/journal-source.ts';
import { logSource } from '../../src/sources/log-source.ts';
import { resultsSource } from '../../src/sources/results-source.ts';
import { openRowMemory } from '../../src/sources/row-memory.ts';
import { AGENTV_REF, addAgentv4, addAgentv5, agentvName } from '../sim/agentv-branch.ts';
import { filledJournal, runRecord } from '../sim/journal-fixture.ts';
import { commitFiles, GIT_ENV, git, initRepository, writeRun } from '../sim/results-repo.ts';
import { makeTempDir } from '../sim/temp-dir.ts';
import { runSourceContract, type SourceUnderTest } from './run-source.ts';

const PORTS = { disk: nodeDisk, clock: systemClock, random: systemRandom, env: GIT_ENV };

runSourceContract('resultsSource', inResults, { form: 'published', isPinned: true, isLog: true });
runSourceContract('logSource of a directory', () => inLogs(directoryLogStore.bind(undefined, nodeDisk)), {
  form: 'log',
  isPinned: false,
  isLog: true,
});
runSourceContract(
  'logSource of a bucket',
  () => inLogs((dir) => bucketLogStore(directoryBucket(nodeDisk, dir), '', { disk: nodeDisk })),
  { form: 'log', isPinned: false, isLog: true },
);
runSourceContract('journalSource', inJournals, { form: 'interrupted', isPinned: false, isLog: false });
runSourceContract('agentvSource of 4.x', () => inAgentv(4), { form: 'agentv', isPinned: true, isLog: true });
runSourceContract('agentvSource of 5.x', () => inAgentv(5), { form: 'agentv', isPinned: true, isLog: true });

async function inResults(): Promise<SourceUnderTest> {
  const dir = await makeTempDir();
  initRepository(dir.path);
  const store = await openResults({ ...PORTS, repo: dir.path });
  await store.init();
  const source = resultsSource(store);
  return {
    source,
    async add(time) {
      const run = foreignRunId(time, time);
      const path = await writeRun(dir.path, run);
      const log = await openLog(nodeDisk, path);
      await store.publish(log, `${run}.eval`);
      await log.close();
      return run;
    },
    async damage(run) {
      const path = git(dir.path, 'ls-tree', '-r', '--name-only', store.ref)
        .split('\n')
        .find((one) => one.endsWith(`${run}/run.json`));
      commitFiles(dir.path, store.ref, { [path ?? '']: '{"broken":' });
    },
    async [Symbol.asyncDispose]() {
      await source[Symbol.asyncDispose]();
      await dir[Symbol.asyncDispose]();
    },
  };
}

/** Names in another order than times: only headers tell when a run began. */
async function inLogs(storeOf: (dir: string) => LogStore): Promise<SourceUnderTest> {
  const dir = await makeTempDir();
  const logs = join(dir.path, 'logs');
  mkdirSync(logs);
  const memory = await openRowMemory({ disk: nodeDisk, place: logs, cacheDir: join(dir.path, 'cache') });
  const source = logSource(storeOf(logs), { clock: systemClock, memory });
  const paths = new Map<RunId, string>();
  return {
    source,
    async add(time) {
      const run = foreignRunId(time, time);
      paths.set(run, await writeRun(logs, run));
      return run;
    },
    async damage(run) {
      truncateSync(paths.get(run) ?? '', 20);
    },
    async [Symbol.asyncDispose]() {
      await source[Symbol.asyncDispose]();
      await dir[Symbol.asyncDispose]();
    },
  };
}

async function inJournals(): Promise<SourceUnderTest> {
  const dir = await makeTempDir();
  const state = StateDir.of(dir.path);
  const logs = directoryLogStore(nodeDisk, dir.path);
  const source = journalSource({ disk: nodeDisk, clock: systemClock, state, logs });
  return {
    source,
    async add(time) {
      const run = foreignRunId(time, time);
      const record = runRecord();
      const spec = { ...record.start.eval, run_id: run };
      const journal = await filledJournal(state.path, {
        ...record,
        runId: run,
        start: { ...record.start, eval: spec },
      });
      journal.close();
      return run;
    },
    async damage(run) {
      const runDir = state.runDir(run);
      for (const writer of readdirSync(runDir)) {
        const folder = join(runDir, writer);
        if (writer === 'lock') continue;
        for (const file of readdirSync(folder))
          if (file !== 'lock') writeFileSync(join(folder, file), 'no journal');
        writeFileSync(journalPath(runDir, writer), 'no database');
      }
    },
    [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose](),
  };
}

async function inAgentv(version: 4 | 5): Promise<SourceUnderTest> {
  const dir = await makeTempDir();
  initRepository(dir.path);
  const tree = git(dir.path, 'mktree', '--missing');
  const commit = git(
    dir.path,
    '-c',
    'user.name=x',
    '-c',
    'user.email=x@y',
    'commit-tree',
    tree,
    '-m',
    'begin',
  );
  git(dir.path, 'update-ref', AGENTV_REF, commit);
  const repository = await findRepository(dir.path, PORTS);
  const source = agentvSource({ git: repository, ref: AGENTV_REF });
  const folders = new Map<RunId, string>();
  return {
    source,
    async add(time) {
      const name = version === 4 ? addAgentv4(dir.path, { time }) : addAgentv5(dir.path, { time });
      const run = foreignRunId(name, time);
      folders.set(run, version === 4 ? `runs/default/${agentvName(time)}` : agentvName(time));
      return run;
    },
    async damage(run) {
      const file = version === 4 ? 'benchmark.json' : 'summary.json';
      commitFiles(dir.path, AGENTV_REF, { [`${folders.get(run)}/${file}`]: '{"metadata":' });
    },
    async [Symbol.asyncDispose]() {
      await source[Symbol.asyncDispose]();
      await dir[Symbol.asyncDispose]();
    },
  };
}
