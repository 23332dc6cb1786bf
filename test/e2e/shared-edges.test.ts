/** Edges of the commands of shared runs: what is said of samples and workers, and what a Ctrl-C leaves. */
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { onRedis, redisObstacle, useRedis } from '../sim/redis-server.ts';
import { jsonOf } from './holdfast.ts';
import { type SharedProject, sharedProject } from './shared-project.ts';

const redis = useRedis();

const CITIES = `data: ['rome', 'oslo'].map((id) => ({ id, input: id, target: id })),`;

/** Stops its own process in the moment in which it reads a file whose path holds a text. */
const STOP_AT_READ = (text: string) => `
import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
const { readFile } = fs;
let isSent = false;
fs.readFile = (path, ...rest) => {
  if (!isSent && String(path).includes(${JSON.stringify(text)})) {
    isSent = true;
    process.kill(process.pid, 'SIGINT');
  }
  return readFile(path, ...rest);
};
syncBuiltinESMExports();
`;

async function submitted(project: SharedProject, words: readonly string[] = []): Promise<string> {
  const report = jsonOf(
    await project.holdfast(['submit', 'shared.eval.ts', '--json', '--detach', '--allow-dirty', ...words]),
  );
  return report.runs[0].run;
}

async function untilInFlight(project: SharedProject, run: string) {
  for (const until = Date.now() + 60_000; Date.now() < until; await sleep(100)) {
    const status = jsonOf(await project.holdfast(['runs', 'status', run, '--json']));
    if (status.inFlight.length > 0) return status;
  }
  throw new Error('nothing was begun');
}

describe.skipIf(redisObstacle !== undefined)(onRedis('edges of shared runs'), () => {
  test('samples are called by their ids from the first moment, and who is unknown is refused with those that there are', async () => {
    // Nothing is shipped of a sample that waits for its first answer.
    await using project = await sharedProject({
      ...{ samples: 2, queue: redis.url(), more: CITIES, env: { LATENCY: '600000' } },
    });
    await project.worker(['--slots', '1', '--idle-exit', '30d', '--max-runtime', '60d']);
    const run = await submitted(project);
    const status = await untilInFlight(project, run);
    const [{ job, worker, sample }] = status.inFlight;
    expect(sample).toEqual({ id: job === 's0' ? 'rome' : 'oslo', epoch: 1 });
    const told = await project.holdfast(['runs', 'logs', run, '--sample', sample.id, '--worker', worker]);
    expect(told.code).toBe(0);
    expect(told.stdout).toContain(`begun      ${job} ${sample.id} (lease 1) on ${worker}`);
    expect((await project.holdfast(['runs', 'status', run])).stdout).toContain(`${job} ${sample.id} `);
    const refused = async (...words: readonly string[]) =>
      jsonOf(await project.holdfast(['runs', 'logs', run, '--json', ...words]));
    expect(await refused('--sample', 'rom')).toMatchObject({
      exitCode: 2,
      error: {
        code: 'E_SHARED_SAMPLE',
        message: `Run ${run} has no sample "rom"; did you mean "rome"?`,
        hint: 'It has rome, oslo. A number is a position in the plan, from 0 to 1.',
      },
    });
    expect(await refused('--worker', 'nobody')).toMatchObject({
      exitCode: 2,
      error: { code: 'E_SHARED_WORKER', hint: expect.stringContaining(worker) },
    });
    // Longer than a timer of the machine: it does not end at once.
    const waited = project.start(['runs', 'wait', run, '--timeout', '60d', '--no-progress', '60d', '--json']);
    await waited.said('running');
    waited.child.kill('SIGINT');
    expect(jsonOf(await waited.ended)).toMatchObject({ exitCode: 4, end: 'interrupted' });
  });

  test('Ctrl-C of a fetch ends it in order: no half a log, what came is kept, and the next fetch goes on', async () => {
    await using project = await sharedProject({ samples: 4, queue: redis.url() });
    await project.worker();
    const run = await submitted(project);
    expect(jsonOf(await project.holdfast(['runs', 'wait', run, '--json']))).toMatchObject({ exitCode: 0 });
    const preload = join(project.bucket, '..', 'preload.mjs');
    writeFileSync(preload, STOP_AT_READ(`${run}/segments/`));
    const stopped = await project.holdfast(['runs', 'fetch', run, '--json'], {
      NODE_OPTIONS: `--import=${preload}`,
    });
    expect(stopped).toMatchObject({ code: 4, signal: null });
    expect(jsonOf(stopped)).toMatchObject({
      exitCode: 4,
      error: { code: 'E_INTERRUPTED', hint: expect.stringContaining(`holdfast runs fetch ${run}`) },
    });
    const logs = join(project.path, 'logs');
    const left = existsSync(logs) ? readdirSync(logs, { recursive: true, encoding: 'utf8' }) : [];
    expect(left.filter((path) => path.endsWith('.eval') || path.includes('incoming/'))).toEqual([]);
    const fetched = jsonOf(await project.holdfast(['runs', 'fetch', run, '--json']));
    expect(fetched).toMatchObject({ exitCode: 0, home: { isComplete: true, samples: { completed: 4 } } });
  });

  test('a run whose budget is spent is not resumed without a larger one, and HOLDFAST_BUDGET may say it', async () => {
    await using project = await sharedProject({ samples: 6, queue: redis.url() });
    await project.worker();
    const words = ['submit', 'shared.eval.ts', '--budget', '0.05', '--json'];
    const { exitCode, runs } = jsonOf(await project.holdfast(words));
    expect(exitCode).toBe(6);
    const { run } = runs[0];
    const resume = ['runs', 'resume', run, '--json'];
    const refused = jsonOf(await project.holdfast(resume));
    expect(refused).toMatchObject({ exitCode: 2, error: { code: 'E_BUDGET_SPENT' } });
    expect(refused.error.message).toMatch(/is spent: \$0\.0\d+ of \$0\.05/);
    expect(refused.error.hint).toContain(`holdfast runs resume ${run} --budget 0.`);
    expect(jsonOf(await project.holdfast(['runs', 'status', run, '--json']))).toMatchObject({ round: 1 });
    const resumed = jsonOf(await project.holdfast(resume, { HOLDFAST_BUDGET: '5' }));
    expect(resumed).toMatchObject({ exitCode: 0, runs: [{ status: { budgetUsd: 5, round: 2 } }] });
  });
});
