/** What is taken from published runs that are not in the log directory: real git, and machines that are gone. */
import { readdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import process from 'node:process';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { countingModel, twoTurns } from '../../../test/interrupted-run.ts';
import { createHarness, type Harness } from '../../../test/run-harness.ts';
import { GIT_ENV, git, initRepository, withLog } from '../../../test/sim/results-repo.ts';
import { systemClock, systemRandom } from '../../base/index.ts';
import { nodeDisk } from '../../disk/index.ts';
import { defineEval, exact } from '../../evals/index.ts';
import { openResults } from '../../results/index.ts';
import type { EarlierLogs } from '../../reuse/index.ts';
import { openTerminal } from '../terminal.ts';
import { PublishedRuns } from './earlier-logs.ts';

let harness: Harness;
let earlierLogs: PublishedRuns;
beforeEach(async () => {
  harness = await createHarness();
  initRepository(harness.dir);
  const ports = { disk: nodeDisk, clock: systemClock, random: systemRandom, env: GIT_ENV };
  await using results = await openResults({ ...ports, repo: harness.dir });
  await results.init();
  earlierLogs = new PublishedRuns({}, { ...openTerminal(process), cwd: harness.dir, env: GIT_ENV });
});
afterEach(async () => {
  await earlierLogs[Symbol.asyncDispose]();
  await harness.close();
});

/** Publishes the logs that are there, and loses them with all that lies beside them. */
async function publishAndLose(): Promise<void> {
  const ports = { disk: nodeDisk, clock: systemClock, random: systemRandom, env: GIT_ENV };
  await using results = await openResults({ ...ports, repo: harness.dir });
  for (const name of readdirSync(harness.logDir).filter((one) => one.endsWith('.eval')))
    await withLog(join(harness.logDir, name), (log) => results.publish(log, name));
  rmSync(harness.logDir, { recursive: true });
}

test('a run that is published whole is done: its log comes home, and nothing is asked', async () => {
  const { model, asked } = countingModel();
  const first = await harness.run(twoTurns(3), { model });
  await publishAndLose();
  const second = await harness.run(twoTurns(3), { model, earlierLogs });
  expect(second.account).toMatchObject({
    runId: first.account.runId,
    log: first.account.log,
    samples: { reused: 3 },
  });
  expect(second.account.notes.join()).toContain(`the published run ${first.account.runId}`);
  expect(second.results?.scores).toEqual(first.results?.scores);
  expect(asked).toHaveLength(6);
  expect(await harness.samples(second.account.log)).toHaveLength(3);
});

test('what lends samples to a larger run is in the log directory before the run is sealed, and stays', async () => {
  const { model, asked } = countingModel();
  const first = await harness.run(twoTurns(2), { model });
  await publishAndLose();
  const more = await harness.run(twoTurns(3), { model, earlierLogs });
  expect(more.account).toMatchObject({
    samples: { reused: 2, fresh: 1 },
    reusedFrom: [{ log: basename(first.account.log ?? '') }],
  });
  expect(asked).toHaveLength(6);
  expect(
    readdirSync(harness.logDir)
      .filter((name) => name.endsWith('.eval'))
      .sort(),
  ).toEqual([first.account.log, more.account.log].map((log) => basename(log ?? '')).sort());
  expect((await harness.samples(more.account.log)).map(({ id }) => id).sort()).toEqual(['q0', 'q1', 'q2']);
});

test('[RES-6] an eval whose name does not fit into a row takes from its own runs, and not from those of a name that begins alike', async () => {
  const { model, asked } = countingModel();
  const named = (name: string) => defineEval({ ...twoTurns(2), name });
  const long = 'a-very-long-name-'.repeat(90);
  await harness.run(named(`${long}first`), { model });
  await publishAndLose();
  const other = await harness.run(named(`${long}other`), { model, earlierLogs });
  expect(other.account.samples).toMatchObject({ reused: 0, fresh: 2 });
  const same = await harness.run(named(`${long}first`), { model, earlierLogs });
  expect(same.account.samples).toMatchObject({ reused: 2, fresh: 0 });
  expect(asked).toHaveLength(8);
});

test('outputs are scored anew and answers are given again, from git alone', async () => {
  const { model, asked } = countingModel();
  await harness.run(twoTurns(2), { model });
  await publishAndLose();
  const scored = await harness.run(defineEval({ ...twoTurns(2), scorers: [exact()] }), {
    model,
    earlierLogs,
  });
  expect(scored.account.samples).toMatchObject({ rescored: 2 });
  rmSync(harness.logDir, { recursive: true });
  const changed = await harness.run(defineEval({ ...twoTurns(2), version: 2 }), { model, earlierLogs });
  expect(changed.account).toMatchObject({ samples: { replayed: 2 }, answers: { bought: 0 } });
  expect(asked).toHaveLength(4);
});

test('published runs are not looked for by a run that takes nothing, and a folder without results is like any other', async () => {
  const { model, asked } = countingModel();
  await harness.run(twoTurns(1), { model });
  await publishAndLose();
  let looks = 0;
  const watched: EarlierLogs = {
    changesSince(position) {
      looks++;
      return earlierLogs.changesSince(position);
    },
    open: (log) => earlierLogs.open(log),
    absent: (log) => earlierLogs.absent(log),
    isRemoved: (run) => earlierLogs.isRemoved(run),
    bringHome: (log, into) => earlierLogs.bringHome(log, into),
  };
  const fresh = await harness.run(twoTurns(1), { model, earlierLogs: watched, reuse: 'none' });
  expect(looks).toBe(0);
  expect(fresh.account).toMatchObject({ samples: { fresh: 1 }, notes: [] });
  expect(asked).toHaveLength(4);
  git(harness.dir, 'update-ref', '-d', 'refs/heads/holdfast/results');
  rmSync(harness.logDir, { recursive: true });
  const none = new PublishedRuns({}, { ...openTerminal(process), cwd: harness.dir, env: GIT_ENV });
  const alone = await harness.run(twoTurns(1), { model, earlierLogs: none });
  expect(alone.account).toMatchObject({ samples: { fresh: 1 }, notes: [] });
  await none[Symbol.asyncDispose]();
});

test('a branch that is none of ours hinders no run, and is said', async () => {
  const { model } = countingModel();
  const tree = git(harness.dir, 'hash-object', '-w', '-t', 'tree', '/dev/null');
  const commit = git(
    harness.dir,
    '-c',
    'user.name=a',
    '-c',
    'user.email=a@b',
    'commit-tree',
    tree,
    '-m',
    'x',
  );
  git(harness.dir, 'update-ref', 'refs/heads/holdfast/results', commit);
  const other = await harness.run(twoTurns(1), { model, earlierLogs });
  expect(other.account.samples).toMatchObject({ fresh: 1 });
  expect(other.account.notes.join()).toContain('Not all published runs could be looked at');
});

test('results are found however the repository keeps its refs, and from every work tree of it', async () => {
  const { model } = countingModel();
  await harness.run(twoTurns(1), { model });
  await publishAndLose();
  const added = async (cwd: string) => {
    await using runs = new PublishedRuns({}, { ...openTerminal(process), cwd, env: GIT_ENV });
    return (await runs.changesSince(undefined))?.added.length;
  };
  git(harness.dir, 'pack-refs', '--all');
  expect(await added(harness.dir)).toBe(1);
  git(harness.dir, 'worktree', 'add', '--quiet', '--detach', join(harness.dir, 'tree'), 'holdfast/results');
  expect(await added(join(harness.dir, 'tree'))).toBe(1);
  git(harness.dir, 'update-ref', '-d', 'refs/heads/holdfast/results');
  expect(await added(harness.dir)).toBeUndefined();
});
