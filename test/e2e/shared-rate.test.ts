/** What a model may be asked in a minute holds over real workers: a server counts the calls that come. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { onRedis, redisObstacle, useRedis } from '../sim/redis-server.ts';
import { startChatServer } from './chat-server.ts';
import { jsonOf } from './holdfast.ts';
import { commitAll, sharedProject, untilBought, writeEval } from './shared-project.ts';

const redis = useRedis();
const WINDOW_MS = 60_000;
/** So many calls a minute, for two workers that each would make as many at once. */
const LIMIT = 3;

const EVAL = `
import { appendFileSync, existsSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { defineEval, includes } from 'holdfast';
const { LEDGER } = process.env;
export default defineEval({
  name: 'shared',
  data: Array.from({ length: ${2 * LIMIT} }, (_, index) => ({ id: 's' + index, input: 'q' + index, target: 'q' + index })),
  target: async ({ input }, { generate }) => {
    appendFileSync(LEDGER, process.pid + ' ' + input + '\\n');
    while (existsSync(LEDGER + '-held')) await pause(20);
    return (await generate({ prompt: input })).text;
  },
  scorers: [includes()],
});
`;

describe.skipIf(redisObstacle !== undefined)(onRedis('calls a minute'), () => {
  test('[QLIM-2] two workers together begin no more calls in a minute than the project allows', async () => {
    const came: number[] = [];
    await using server = await startChatServer(() => {
      came.push(Date.now());
      return false;
    });
    const env = { OPENAI_COMPATIBLE_BASE_URL: `${server.url}/v1` };
    await using project = await sharedProject({ samples: 1, queue: redis.url(), env });
    writeEval(project, EVAL);
    const limits = { 'openai-compatible/any': { perMinute: LIMIT } };
    writeFileSync(join(project.path, 'holdfast.config.json'), JSON.stringify({ limits }));
    commitAll(project.path);
    const held = `${project.env.LEDGER}-held`;
    writeFileSync(held, '');
    const slots = ['--slots', String(LIMIT)];
    await Promise.all([project.worker(slots), project.worker(slots)]);
    const submit = project.start(['submit', 'shared.eval.ts', '-m', 'openai-compatible/any', '--json']);
    // Each has as many samples as it may begin calls, and has begun none.
    await untilBought(project, 2 * LIMIT);
    expect(project.pids().size).toBe(2);
    expect(came).toEqual([]);
    const letGo = Date.now();
    rmSync(held);
    expect(jsonOf(await submit.ended)).toMatchObject({ exitCode: 0 });
    // However slow anything is: none can come before it may begin, and the first began after they were let go.
    expect(came.filter((at) => at < letGo + WINDOW_MS).length).toBeLessThanOrEqual(LIMIT);
    expect(came).toHaveLength(2 * LIMIT);
  }, 300_000);
});
