/**
 * Everything at once, with real parts: workers that are killed, frozen and thawed, a Redis that comes back empty, a bucket that refuses for a
 * while. Everything comes home, and what was bought is counted where it is sold.
 */
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { describe, expect, test } from 'vitest';
import type { Lease, SharedPlace } from '../../../src/cluster/index.ts';
import { chatCompletion } from '../../sim/chat-server.ts';
import { sendJson, startServer } from '../../sim/http-server.ts';
import { samplesOf } from '../../sim/read-log.ts';
import { type RedisServer, redisObstacle, startRedis } from '../../sim/redis-server.ts';
import { type FaultProxy, startFaultProxy } from '../../sim/s3/fault-proxy.ts';
import { BUCKET } from '../../sim/s3/s3-server.ts';
import { obstacle, onServer, useS3 } from '../../sim/s3/use-s3.ts';
import { type Frozen, freeze, killAll } from '../freeze.ts';
import type { Started } from '../holdfast.ts';
import { buildsAt, leasesAt, placeAt, untilLease } from '../shared-bucket.ts';
import { commitAll, sharedProject } from '../shared-project.ts';

const s3 = useS3();

const SAMPLES = 400;
const KEYS = 8;
const WORKERS = 4;
const SLOTS = 4;

/** Two calls a sample, and an artifact for each of eight keys, which takes two calls to build. Each output says which process it is of. */
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
    return (await generate(input + ' second')).text + ' by ' + process.pid;
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

/** Gives how many requests were refused by then. */
function refuseFor(proxy: FaultProxy, ms: number): () => number {
  const until = Date.now() + ms;
  let refused = 0;
  proxy.fault = () => {
    if (Date.now() >= until) return undefined;
    refused++;
    return { kind: 'status', status: 503, code: 'ServiceUnavailable' };
  };
  return () => refused;
}

/** What tells one start of a server from the next. */
async function idOf({ port }: RedisServer): Promise<string | undefined> {
  const client = new Redis({ port });
  try {
    return /run_id:(\w+)/.exec(await client.info('server'))?.[1];
  } finally {
    client.disconnect();
  }
}

function isOf({ child }: Started, { begun }: Lease): boolean {
  return begun.worker.includes(`-${child.pid}-`);
}

/** Freezes a worker that has something, so that it has something to lose. */
async function freezeBusy(worker: Started, place: SharedPlace, run: string): Promise<Frozen> {
  for (;;) {
    const frozen = freeze(worker);
    const leases = await leasesAt(place, run);
    if (leases.some((lease) => isOf(worker, lease) && !lease.ended)) return frozen;
    frozen.thawSessions();
    frozen.thawWorker();
    await sleep(50);
  }
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
    const place = await placeAt(bucket);
    await untilSold(60);
    killAll(first);
    await untilSold(160);
    const frozen = await freezeBusy(second, place, run);
    const thawed = untilLease(place, run, (lease) => isOf(second, lease) && lease.ended?.status === 'lost');
    const thawing = thawed.then(() => {
      frozen.thawSessions();
      frozen.thawWorker();
    });
    await untilSold(260);
    const queue = await idOf(redis);
    await redis.kill();
    await redis.start();
    expect(await idOf(redis)).not.toBe(queue);
    await untilSold(360);
    killAll(third);
    await untilSold(480);
    const refused = refuseFor(proxy, 10_000);
    await thawing;
    const waited = await waiting;
    expect(JSON.parse(waited.stdout), waited.stderr).toMatchObject({ exitCode: 0, end: 'complete' });
    expect(refused()).toBeGreaterThan(0);
    for (const { ended } of [first, third]) expect(await ended).toMatchObject({ signal: 'SIGKILL' });
    expect(second.child.exitCode).toBe(null);

    const fetched = JSON.parse((await project.holdfast(['runs', 'fetch', run, '--json'])).stdout);
    expect(fetched).toMatchObject({
      exitCode: 0,
      home: {
        ...{ isComplete: true, lostResults: [], problems: [], aside: [] },
        samples: { planned: SAMPLES, completed: SAMPLES, errored: 0 },
        builds: { completed: KEYS, errored: 0 },
      },
    });
    const units = fetched.artifacts.entries.map(({ unit, state }: Record<string, string>) => [unit, state]);
    expect(units).toEqual(Array.from({ length: KEYS }, (_, n) => [`reference/k${n}`, 'installed']));
    const verified = await project.holdfast(['log', 'verify', 'logs', '--json']);
    expect(verified.code, verified.stdout).toBe(0);

    const all = [
      ...Array.from({ length: SAMPLES }, (_, n) => [`q${n} first`, `q${n} second`]).flat(),
      ...Array.from({ length: KEYS }, (_, n) => [`build k${n} one`, `build k${n} two`]).flat(),
    ];
    expect(new Set(shop.sold)).toEqual(new Set(all));
    // Nothing of any job is bought more often than it lost workers, and the account names each.
    const losses = new Map<string, number>();
    for (const { job } of fetched.home.lostLeases) losses.set(job, (losses.get(job) ?? 0) + 1);
    // How many they had in hand when they were killed is a matter of luck.
    expect(losses.size).toBeGreaterThan(0);
    const builds = await buildsAt(place, run);
    const jobOf = (text: string) =>
      text.startsWith('q')
        ? `s${Number.parseInt(text.slice(1), 10)}`
        : builds.get(text.replace(/^build (k\d+) .*/, 'reference/$1'));
    const times = new Map<string, number>();
    for (const text of shop.sold) times.set(text, (times.get(text) ?? 0) + 1);
    const unnamed = [...times].filter(([text, count]) => count > 1 + (losses.get(jobOf(text) ?? '') ?? 0));
    expect(unnamed).toEqual([]);

    // What the frozen one had is another's, whatever it went on to do when it woke up.
    const leases = await leasesAt(place, run);
    const completed = leases.flatMap(({ ended }) => (ended?.status === 'completed' ? ended : []));
    expect(completed.map(({ job }) => job).sort()).toEqual(
      [...new Set(completed.map(({ job }) => job))].sort(),
    );
    const outputs = await outputsOf(fetched.home.log);
    const late = leases.filter((lease) => isOf(second, lease) && lease.ended?.status === 'lost');
    expect(late.length).toBeGreaterThan(0);
    for (const { begun } of late) {
      const { by = '', n = 0 } = completed.find(({ job }) => job === begun.job) ?? {};
      expect(n).toBeGreaterThan(begun.n);
      const isAnothers = !by.includes(`-${second.child.pid}-`);
      if (isAnothers) expect(frozen.sessions).not.toContain(outputs.get(begun.job) ?? 0);
    }
  }, 900_000);
});

/** Which process the result of each sample is of. */
async function outputsOf(log: string): Promise<ReadonlyMap<string, number>> {
  const samples = await samplesOf(log);
  return new Map(
    samples.map(({ id, output }) => {
      const text = String(output.choices[0]?.message.content);
      return [String(id), Number(/by (\d+)$/.exec(text)?.[1])];
    }),
  );
}
