/** Failures of a shared run count as those of a run on one machine do: over all workers, and in the exit code. */
import { describe, expect, test } from 'vitest';
import { startServer } from '../sim/http-server.ts';
import { headerOf, samplesOf } from '../sim/read-log.ts';
import { onRedis, redisObstacle, useRedis } from '../sim/redis-server.ts';
import { sharedProject } from './shared-project.ts';

const redis = useRedis();

describe.skipIf(redisObstacle !== undefined)(onRedis('failures of shared runs'), () => {
  test('[SHR-20] --fail-on-error holds over all workers, also when nobody waits: the round is cancelled, and what is there comes home', async () => {
    const queue = redis.url();
    await using project = await sharedProject({
      ...{ samples: 30, queue, env: { LATENCY: '100' } },
      more: 'target: async ({ input }, { record }) => { await buy(record, input); throw new Error("broken"); },',
    });
    await Promise.all([project.worker(), project.worker()]);
    const submit = ['submit', 'shared.eval.ts', '--json', '--fail-on-error', '5'];
    const { run } = JSON.parse((await project.holdfast([...submit, '--detach'])).stdout).runs[0];
    const waited = JSON.parse((await project.holdfast(['runs', 'wait', run, '--json'])).stdout);
    expect(waited).toMatchObject({
      ...{ exitCode: 6, end: 'cancelled' },
      status: { cancelled: { because: 'errors', reason: expect.stringContaining('the limit is 5') } },
    });
    // Five, and what was under way in the other slots.
    expect(waited.status.samples.errored).toBeGreaterThanOrEqual(5);
    expect(waited.status.samples.errored).toBeLessThanOrEqual(8);
    const { home } = JSON.parse((await project.holdfast(['runs', 'fetch', run, '--json'])).stdout);
    expect(await headerOf(home.log)).toMatchObject({ status: 'error' });
    expect(await samplesOf(home.log)).toHaveLength(waited.status.samples.errored);
  });

  test('[SHR-22] a model that refuses every call ends the run after the first ten, and not after all', async () => {
    let asked = 0;
    await using model = await startServer((_, response) => {
      asked++;
      response.writeHead(401, { 'content-type': 'application/json' }).end('{"error":{"message":"bad key"}}');
    });
    const env = { OPENAI_COMPATIBLE_BASE_URL: `${model.url}/v1` };
    const more = 'target: async ({ input }, { generate }) => (await generate(input)).text,';
    await using project = await sharedProject({ samples: 40, queue: redis.url(), env, more });
    await project.worker();
    const submit = ['submit', 'shared.eval.ts', '-m', 'openai-compatible/m', '--json', '--retries', '0'];
    expect(JSON.parse((await project.holdfast(submit)).stdout)).toMatchObject({
      exitCode: 6,
      runs: [{ status: { cancelled: { because: 'calls', reason: expect.stringContaining('bad key') } } }],
    });
    expect(asked).toBeLessThanOrEqual(12);
  });

  test('what was submitted and is not home is not bought a second time by mistake', async () => {
    await using project = await sharedProject({ samples: 3, queue: redis.url() });
    const submit = async (...args: readonly string[]) =>
      JSON.parse(
        (await project.holdfast(['submit', 'shared.eval.ts', '--json', '--detach', ...args])).stdout,
      );
    const { run } = (await submit()).runs[0];
    const refused = await submit();
    expect(refused).toMatchObject({ exitCode: 2, error: { code: 'E_SUBMITTED_ALREADY' } });
    expect(refused.error.hint).toContain(`holdfast runs wait ${run}`);
    // Others samples, the same ones on purpose, and all of it anew are no mistakes.
    expect(await submit('--limit', '2')).toMatchObject({ exitCode: 0 });
    const again = await submit('--again');
    expect(again).toMatchObject({ exitCode: 0 });
    for (const { run: one } of [{ run }, again.runs[0]]) await project.holdfast(['runs', 'cancel', one]);
    expect((await submit()).error.hint).toContain(`holdfast runs resume ${again.runs[0].run}`);
    expect(await submit('--fresh')).toMatchObject({ exitCode: 0 });
  });

  test('a scorer that fails ends submit, wait and fetch with 1, as it ends a run', async () => {
    const queue = redis.url();
    const scorers = 'scorers: [includes(), function judge() { throw new Error("no judgement"); }],';
    await using project = await sharedProject({ samples: 2, queue, more: scorers });
    await project.worker();
    const ended = await project.holdfast(['submit', 'shared.eval.ts']);
    expect(ended).toMatchObject({ code: 1, stdout: expect.stringContaining('judge failed on 2 samples') });
    const { runs } = JSON.parse((await project.holdfast(['runs', 'list', '--json'])).stdout);
    const [{ run, scorersFailed }] = runs;
    expect(scorersFailed).toEqual({ judge: 2 });
    const waited = await project.holdfast(['runs', 'wait', run]);
    expect(waited).toMatchObject({ code: 1, stdout: expect.stringContaining('judge failed on 2 samples') });
    // How it ended is the result, and stands beside no note that says the same.
    expect(`${waited.stdout}${waited.stderr}`.split(`${run} complete`)).toHaveLength(2);
    expect(await project.holdfast(['runs', 'fetch', run])).toMatchObject({ code: 1 });
    expect((await project.holdfast(['run', 'shared.eval.ts', '--fresh'])).code).toBe(1);
  });
});
