/** Limits over all who work on a run: the budget, and what a model may be asked; by an outside ledger. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { headerOf, samplesOf } from '../sim/read-log.ts';
import { onRedis, redisObstacle, startRedis, useRedis } from '../sim/redis-server.ts';
import { jsonOf } from './holdfast.ts';
import { allAnswers, commitAll, type SharedProject, sharedProject, untilBought } from './shared-project.ts';

const redis = useRedis();
const SAMPLES = 16;

/** Each call tells the ledger when it begins and when it ends. */
const WITNESSED = `
import { appendFileSync, existsSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { defineEval, includes } from 'holdfast';
const tell = (what) => appendFileSync(process.env.LEDGER, process.pid + ' ' + what + '\\n');
export default defineEval({
  name: 'shared',
  data: Array.from({ length: 12 }, (_, index) => ({ id: 's' + index, input: 'q' + index, target: 'q' + index })),
  target: ({ input }, { record }) => record('ask', { input }, async () => {
    tell('begun');
    // The first that is asked this dies of it, in the middle of the call.
    const marker = process.env.LEDGER + '-died';
    if (input === process.env.DEADLY && !existsSync(marker)) {
      writeFileSync(marker, '');
      tell('ended');
      process.kill(process.pid, 'SIGKILL');
    }
    await sleep(150);
    tell('ended');
    return input;
  }),
  scorers: [includes()],
});
`;

const SIX_CALLS = `target: async ({ input }, { record }) => {
  for (let n = 0; n < 6; n++) await buy(record, input + ' ' + n);
  return input;
},`;

/** An agent that pays for itself: no answer of it is in any segment. */
const AGENT = `target: { command: ['/bin/sh', '-c', 'sleep 0.1; echo "agent $1" >> "$LEDGER"; echo "$1"', 'sh', '{{input}}'], env: ['LEDGER'] },
  prices: { 'command/sh': { call: 0.01 } },`;

async function witnessed(project: SharedProject, limit: object): Promise<void> {
  writeFileSync(join(project.path, 'shared.eval.ts'), WITNESSED);
  writeFileSync(
    join(project.path, 'holdfast.config.json'),
    JSON.stringify({ limits: { 'record/ask': limit } }),
  );
  commitAll(project.path);
}

function mostAtATime(project: SharedProject): number {
  let [now, most] = [0, 0];
  for (const what of project.bought()) {
    now += what === 'begun' ? 1 : -1;
    most = Math.max(most, now);
  }
  return most;
}

/** What so many calls for a cent each have cost, and a little more. */
const oneMore = (calls: number) => ((calls + 0.5) / 100).toFixed(3);

describe.skipIf(redisObstacle !== undefined)(onRedis('limits of shared runs'), () => {
  test('[SHR-18] [SHR-19] three workers stop at the budget of the run, which is cancelled and says why; resume with more goes on', async () => {
    await using project = await sharedProject({
      samples: SAMPLES,
      queue: redis.url(),
      env: { LATENCY: '150' },
    });
    await Promise.all([project.worker(), project.worker(), project.worker()]);
    const reason = 'the budget of $0.1 is spent';
    const submitted = jsonOf(
      await project.holdfast(['submit', 'shared.eval.ts', '--json', '--budget', '0.1']),
    );
    expect(submitted).toMatchObject({
      exitCode: 6,
      runs: [
        {
          ...{ end: 'cancelled', status: { cancelled: { reason, because: 'budget' }, budgetUsd: 0.1 } },
          home: { isComplete: false, cancelled: { reason }, log: expect.stringContaining('-partial.eval') },
        },
      ],
    });
    const { home } = submitted.runs[0];
    expect(await headerOf(home.log)).toMatchObject({
      status: 'error',
      error: { message: expect.stringContaining(reason) },
    });
    const whole = (await samplesOf(home.log)).filter(({ error }) => error === undefined);
    expect(whole).toHaveLength(home.samples.completed);
    const { run } = submitted.runs[0].status;
    const idle = async () =>
      jsonOf(await project.holdfast(['runs', 'status', run, '--json'])).inFlight.length === 0;
    while (!(await idle())) await sleep(200);
    // A cent a call: ten, and what was under way in the six slots.
    expect(project.bought().length).toBeGreaterThanOrEqual(10);
    expect(project.bought().length).toBeLessThanOrEqual(16);
    expect((await project.holdfast(['runs', 'fetch', run])).stdout).toContain(
      `runs resume ${run} --budget 0.2`,
    );
    const waited = await project.holdfast(['runs', 'wait', run]);
    expect(waited).toMatchObject({ code: 6, stdout: expect.stringContaining(reason) });
    expect((await project.holdfast(['runs', 'status', run])).stdout).toContain(reason);
    const bought = project.bought().length;
    // With the same budget nothing more is bought, and no round is begun.
    const again = jsonOf(await project.holdfast(['runs', 'resume', run, '--json']));
    expect(again).toMatchObject({ exitCode: 2, error: { code: 'E_BUDGET_SPENT' } });
    expect(project.bought()).toHaveLength(bought);
    const more = jsonOf(await project.holdfast(['runs', 'resume', run, '--json', '--budget', '5']));
    expect(more).toMatchObject({
      exitCode: 0,
      runs: [{ home: { round: 2, samples: { completed: SAMPLES } }, status: { budgetUsd: 5 } }],
    });
    // Nothing was cut off, so nothing was bought twice.
    expect(project.bought().sort()).toEqual(allAnswers(SAMPLES));
  });

  test('[SHR-23] several runs of one submit have one budget, also when Redis forgot what was spent', async () => {
    await using server = await startRedis();
    await using project = await sharedProject({ samples: 6, queue: server.url, env: { LATENCY: '100' } });
    await project.worker();
    const models = ['-m', 'mock/echo', '-m', 'mock/fixed:x'];
    const submit = ['submit', 'shared.eval.ts', '--json', '--budget', '0.06', ...models];
    const submitted = jsonOf(await project.holdfast(submit));
    const spent = { cancelled: { because: 'budget' }, budgetUsd: 0.06, isBudgetShared: true };
    expect(submitted).toMatchObject({ exitCode: 6, runs: [{ status: spent }, { status: spent }] });
    // A cent a call: six for both, and what was under way in the two slots.
    const bought = project.bought().length;
    expect(bought).toBeGreaterThanOrEqual(6);
    expect(bought).toBeLessThanOrEqual(8);
    await server.kill();
    await server.start();
    const { run } = submitted.runs[1].status;
    const again = jsonOf(
      await project.holdfast(['runs', 'resume', run, '--json', '--budget', oneMore(bought)]),
    );
    expect(again).toMatchObject({ exitCode: 6, runs: [{ status: { round: 2 } }] });
    // One more call is paid for, and what was under way in the two slots; whoever had forgotten would buy as many again.
    expect(project.bought().length).toBeLessThanOrEqual(bought + 2);
  });

  test('[QLIM-5] what agents paid for themselves counts against the budget also when Redis has forgotten it', async () => {
    await using server = await startRedis();
    await using project = await sharedProject({ samples: SAMPLES, queue: server.url, more: AGENT });
    const worker = await project.worker();
    const submitted = jsonOf(
      await project.holdfast(['submit', 'shared.eval.ts', '--json', '--budget', '0.05']),
    );
    expect(submitted).toMatchObject({ exitCode: 6, runs: [{ end: 'cancelled' }] });
    worker.child.kill('SIGTERM');
    await worker.ended;
    const paid = project.bought().length;
    expect(paid).toBeGreaterThanOrEqual(5);
    await server.kill();
    await server.start();
    await project.worker();
    const { run } = submitted.runs[0].status;
    const again = jsonOf(
      await project.holdfast(['runs', 'resume', run, '--json', '--budget', oneMore(paid)]),
    );
    expect(again).toMatchObject({ exitCode: 6, runs: [{ status: { round: 2 } }] });
    expect(project.bought().length).toBeLessThanOrEqual(paid + 2);
  });

  test('three workers never ask a model more at a time than the project allows', async () => {
    await using project = await sharedProject({ samples: 1, queue: redis.url() });
    await witnessed(project, { concurrency: 2 });
    await Promise.all([project.worker(), project.worker(), project.worker()]);
    expect(jsonOf(await project.holdfast(['submit', 'shared.eval.ts', '--json']))).toMatchObject({
      exitCode: 0,
    });
    expect(mostAtATime(project)).toBe(2);
    expect(project.bought()).toHaveLength(24);
  });

  test('a call that dies with its process gives its pass back, while its worker lives', async () => {
    await using project = await sharedProject({ samples: 1, queue: redis.url(), env: { DEADLY: 'q3' } });
    await witnessed(project, { concurrency: 1 });
    await project.worker();
    expect(jsonOf(await project.holdfast(['submit', 'shared.eval.ts', '--json']))).toMatchObject({
      exitCode: 0,
    });
    expect(mostAtATime(project)).toBe(1);
  });

  test('while Redis is away nothing is bought and SIGTERM is heard; when it is back, empty, the run ends within its budget', async () => {
    await using server = await startRedis();
    await using project = await sharedProject({
      samples: SAMPLES,
      queue: server.url,
      more: SIX_CALLS,
    });
    project.hold(10);
    const workers = await Promise.all([project.worker(), project.worker()]);
    const { run } = jsonOf(
      await project.holdfast(['submit', 'shared.eval.ts', '--json', '--detach', '--budget', '0.5']),
    ).runs[0];
    await untilBought(project, 10);
    await server.kill();
    const before = project.bought().length;
    project.letGo();
    await Promise.all(workers.map(({ said }) => said('nothing more is spent')));
    // Long enough to buy much more, if anything were bought.
    await sleep(3_000);
    // What had its pass already: one in each of the four slots.
    expect(project.bought().length).toBeLessThanOrEqual(before + 4);
    workers[0]?.child.kill('SIGTERM');
    expect(await workers[0]?.ended).toMatchObject({ code: 0 });
    await server.start();
    const waited = jsonOf(await project.holdfast(['runs', 'wait', run, '--json']));
    expect(waited).toMatchObject({ end: 'cancelled', status: { cancelled: { reason: expect.any(String) } } });
    expect(project.bought().length).toBeGreaterThanOrEqual(50);
    expect(project.bought().length).toBeLessThanOrEqual(54);
  });
});

describe('limits of a command', () => {
  test.each([
    ['in one process', [] as string[]],
    ['over the processes of --workers', ['--workers', '3']],
  ])('a model is asked no more at a time than the project allows, %s', async (_where, args) => {
    await using project = await sharedProject({ samples: 1, queue: '' });
    await witnessed(project, { concurrency: 2 });
    expect(await project.holdfast(['run', 'shared.eval.ts', ...args])).toMatchObject({ code: 0 });
    expect(mostAtATime(project)).toBe(2);
    expect(project.bought()).toHaveLength(24);
  });

  test('a worker that dies in the middle of a call gives its pass back', async () => {
    await using project = await sharedProject({ samples: 1, queue: '', env: { DEADLY: 'q3' } });
    await witnessed(project, { concurrency: 1 });
    const ended = await project.holdfast(['run', 'shared.eval.ts', '--workers', '2']);
    expect(ended).toMatchObject({ code: 0 });
    expect(mostAtATime(project)).toBe(1);
  });

  test('what is no limit is refused with its place', async () => {
    await using project = await sharedProject({ samples: 1, queue: '' });
    await witnessed(project, { perMinute: 0 });
    const ended = await project.holdfast(['run', 'shared.eval.ts']);
    expect(ended.code).toBe(2);
    expect(ended.stderr).toContain('limits.record/ask.perMinute');
    expect(readFileSync(project.env.LEDGER, 'utf8')).toBe('');
  });
});
