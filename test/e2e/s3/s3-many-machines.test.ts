/**
 * Everything at once, with real parts: workers that are killed, frozen and thawed, a Redis that comes back empty, a bucket that refuses for a
 * while. Everything comes home, and what was bought is counted where it is sold.
 */
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { chatCompletion } from '../../sim/chat-server.ts';
import { sendJson, startServer } from '../../sim/http-server.ts';
import { redisObstacle, startRedis } from '../../sim/redis-server.ts';
import { type FaultProxy, startFaultProxy } from '../../sim/s3/fault-proxy.ts';
import { BUCKET } from '../../sim/s3/s3-server.ts';
import { obstacle, onServer, useS3 } from '../../sim/s3/use-s3.ts';
import type { Started } from '../holdfast.ts';
import { commitAll, sharedProject } from '../shared-project.ts';

const s3 = useS3();

const SAMPLES = 400;
const KEYS = 8;
const WORKERS = 4;
const SLOTS = 4;

/** Two calls a sample, and an artifact for each of eight keys, which takes two calls to build. */
const evalText = (model: string) => `
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineArtifact, defineEval, includes } from 'holdfast';
const reference = (key: string) => defineArtifact({
  kind: 'reference', key, version: 1, model: '${model}', inputs: { key: { value: key } },
  async build({ dir, generate }) {
    const first = await generate('build ' + key + ' one');
    const second = await generate('build ' + key + ' two');
    writeFileSync(join(dir, 'reference.md'), first.text + '\\n' + second.text);
  },
});
export default defineEval({
  name: 'many',
  data: Array.from({ length: ${SAMPLES} }, (_, index) => ({
    id: 's' + index, input: 'q' + index, target: 'q' + index, metadata: { key: 'k' + (index % ${KEYS}) },
  })),
  requires: ({ metadata }) => [reference(String(metadata?.key))],
  target: async ({ input, metadata }, { generate, artifact }) => {
    const read = readFileSync(join(artifact(reference(String(metadata?.key))), 'reference.md'), 'utf8');
    if (!read.includes('build ' + metadata?.key)) throw new Error('another reference');
    await generate(input + ' first');
    return (await generate(input + ' second')).text;
  },
  scorers: [includes()],
});
`;

async function openShop() {
  const sold: string[] = [];
  const server = await startServer(async (request, response) => {
    const { messages } = JSON.parse(request.body) as { messages: { content: string }[] };
    const text = String(messages.at(-1)?.content);
    await sleep(text.startsWith('build') ? 500 : 100);
    sold.push(text);
    sendJson(response, chatCompletion(request, `heard ${text}`));
  });
  return Object.assign(server, { sold });
}

/** A worker and what it started. */
function signalAll({ child }: Started, signal: NodeJS.Signals): void {
  const pid = child.pid ?? 0;
  const children = execFileSync('ps', ['-o', 'pid=', '--ppid', String(pid)], { encoding: 'utf8' });
  process.kill(pid, signal);
  for (const one of children.split('\n').filter((line) => line.trim() !== ''))
    process.kill(Number(one), signal);
}

function refuseFor(proxy: FaultProxy, ms: number): void {
  const until = Date.now() + ms;
  proxy.fault = () =>
    Date.now() < until ? { kind: 'status', status: 503, code: 'ServiceUnavailable' } : undefined;
}

const whyNot = obstacle ?? redisObstacle;

describe.skipIf(whyNot !== undefined)(onServer('many machines'), () => {
  test('whatever happens to workers, queue and bucket, everything comes home, and nothing is bought twice but what the account names', async () => {
    await using shop = await openShop();
    await using redis = await startRedis();
    await using proxy = await startFaultProxy(s3.server.endpoint);
    const bucket = `s3://${BUCKET}/${randomUUID()}`;
    const env = {
      ...s3.env,
      AWS_ENDPOINT_URL_S3: proxy.endpoint,
      OPENAI_COMPATIBLE_BASE_URL: `${shop.url}/v1`,
    };
    await using project = await sharedProject({ samples: 1, queue: redis.url, bucket, env });
    writeFileSync(join(project.path, 'many.eval.ts'), evalText('openai-compatible/m'));
    commitAll(project.path);
    const workers: Started[] = [];
    for (let n = 0; n < WORKERS; n++) workers.push(await project.worker(['--slots', String(SLOTS)]));
    const submit = ['submit', 'many.eval.ts', '-m', 'openai-compatible/m', '--detach', '--json'];
    const submitted = await project.holdfast(submit);
    expect(submitted.code, submitted.stderr).toBe(0);
    const { run } = JSON.parse(submitted.stdout).runs[0];
    const waiting = project.holdfast(['runs', 'wait', run, '--json', '--no-progress', '3m']);
    const untilSold = async (count: number) => {
      while (shop.sold.length < count) await sleep(20);
    };
    const [first, second, third] = workers;
    if (!first || !second || !third) throw new Error('there are four');
    await untilSold(60);
    signalAll(first, 'SIGKILL');
    await untilSold(160);
    signalAll(second, 'SIGSTOP');
    await untilSold(260);
    await redis.kill();
    await redis.start();
    await untilSold(360);
    signalAll(third, 'SIGKILL');
    signalAll(second, 'SIGCONT');
    await untilSold(480);
    refuseFor(proxy, 10_000);
    const waited = await waiting;
    expect(JSON.parse(waited.stdout), waited.stderr).toMatchObject({ exitCode: 0, end: 'complete' });

    const fetched = JSON.parse((await project.holdfast(['runs', 'fetch', run, '--json'])).stdout);
    expect(fetched).toMatchObject({
      exitCode: 0,
      home: {
        ...{ isComplete: true, lostResults: [], problems: [], aside: [] },
        samples: { planned: SAMPLES, completed: SAMPLES, errored: 0 },
        builds: { completed: KEYS, errored: 0 },
      },
    });
    const verified = await project.holdfast(['log', 'verify', 'logs', '--json']);
    expect(verified.code, verified.stdout).toBe(0);

    const all = [
      ...Array.from({ length: SAMPLES }, (_, n) => [`q${n} first`, `q${n} second`]).flat(),
      ...Array.from({ length: KEYS }, (_, n) => [`build k${n} one`, `build k${n} two`]).flat(),
    ];
    expect(new Set(shop.sold)).toEqual(new Set(all));
    // Every job of which something was bought twice lost a worker, and the account names it.
    const twice = shop.sold.filter((text, at) => shop.sold.indexOf(text) !== at);
    const lost = new Set(fetched.home.lostLeases.map(({ job }: { job: string }) => job));
    const unnamed = twice.filter(
      (text) => text.startsWith('q') && !lost.has(`s${Number.parseInt(text.slice(1), 10)}`),
    );
    expect(unnamed).toEqual([]);
    // Two calls a sample: with each lease that was lost no more is lost than what its worker had not sent yet.
    expect(twice.length).toBeLessThanOrEqual(2 * fetched.home.lostLeases.length);
    // How many they had in hand when they were killed is a matter of luck.
    expect(fetched.home.lostLeases.length).toBeGreaterThan(0);
  }, 900_000);
});
