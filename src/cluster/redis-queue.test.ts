import { execFile } from 'node:child_process';
import { join } from 'node:path';
import process from 'node:process';
import { inspect, promisify } from 'node:util';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { noting, samples, serving } from '../../test/contract/job-queue.ts';
import { onRedis, redisObstacle, startRedis, useRedis } from '../../test/sim/redis-server.ts';
import { sharedFixture } from '../../test/sim/shared-fixture.ts';
import type { JobQueue } from './job-queue.ts';
import { openQueue } from './open-queue.ts';
import { enqueueDue } from './reconcile.ts';

const redis = useRedis();
const opened: { close(): Promise<unknown> }[] = [];

afterEach(async () => {
  await Promise.all(opened.splice(0).map((one) => one.close()));
});

async function open(url: string, onProblem?: (error: unknown) => void): Promise<JobQueue> {
  const queue = await openQueue(url, { onProblem });
  opened.push(queue);
  return queue;
}

/** The server as it is, without any of our code. */
function raw(): Redis {
  const client = new Redis(redis.port);
  opened.push({ close: async () => client.disconnect() });
  return client;
}

function prefixOf(url: string): string {
  return new URL(url).searchParams.get('prefix') ?? '';
}

/** BullMQ's own queue of that name. */
function bull(name: string, prefix: string): Queue {
  const queue = new Queue(name, { connection: raw(), prefix, skipVersionCheck: true });
  opened.push(queue);
  return queue;
}

describe.skipIf(redisObstacle !== undefined)(onRedis('a queue in Redis'), () => {
  test('a payload holds ids and nothing else, and nothing is left of what is done', async () => {
    const url = redis.url();
    const queue = await open(url);
    await queue.add(samples(3));
    const key = `${prefixOf(url)}:jobs-v1:run-1-s2`;
    expect(JSON.parse((await raw().hget(key, 'data')) ?? '')).toEqual({ run: 'run', round: 1, job: 's2' });
    const seen: string[] = [];
    await using _served = serving(queue, { slots: 2, handle: noting(seen) });
    await expect.poll(() => queue.count('run')).toBe(0);
    const left = await raw().keys(`${prefixOf(url)}:*`);
    expect(left.filter((name) => name.includes('run-1'))).toEqual([]);
    for (const name of ['completed', 'failed'])
      expect(await raw().zcard(`${prefixOf(url)}:jobs-v1:${name}`)).toBe(0);
  });

  test('jobs are handed out in the order of the plan, and none waits for the one before it', async () => {
    const fixture = sharedFixture({ samples: 6 });
    const shared = await fixture.submit();
    const queue = await open(redis.url());
    expect(await enqueueDue(shared, queue)).toBe(6);
    const seen: string[] = [];
    await using _served = serving(queue, {
      handle: async ({ job }) => {
        seen.push(job);
        // The first is not to be had for as long as this test lasts.
        return job === 's0' ? { againMs: 60_000 } : 'done';
      },
    });
    await expect.poll(() => seen).toEqual(['s0', 's1', 's2', 's3', 's4', 's5']);
  });

  test('100,000 jobs are added in seconds, and counted without being read', async () => {
    const queue = await open(redis.url());
    const started = performance.now();
    await queue.add(samples(100_000));
    const addMs = performance.now() - started;
    expect(await queue.count('run')).toBe(100_000);
    expect(performance.now() - started - addMs).toBeLessThan(10_000);
    expect(addMs).toBeLessThan(120_000);
  });

  test('what is no job of ours is not handed out, and not kept', async () => {
    const url = redis.url();
    const queue = await open(url);
    await bull('jobs-v1', prefixOf(url)).addBulk([
      { name: 'job', data: { run: 'run', round: 1, job: '../x' } },
      { name: 'job', data: 'run' },
    ]);
    await queue.add(samples(1));
    const seen: string[] = [];
    await using _served = serving(queue, { handle: noting(seen) });
    await expect.poll(() => queue.count('run')).toBe(0);
    expect(seen).toEqual(['s0']);
  });

  test('[QUEUE-1] a job that lost many workers is handed out all the same', async () => {
    const url = redis.url();
    const queue = await open(url);
    await queue.add(samples(1));
    const client = raw();
    const base = `${prefixOf(url)}:jobs-v1`;
    // As a worker leaves it that died with it, after a hundred others.
    await client.rpoplpush(`${base}:wait`, `${base}:active`);
    await client.sadd(`${base}:stalled`, 'run-1-s0');
    await client.hset(`${base}:run-1-s0`, 'stc', 100);
    const seen: string[] = [];
    await using _served = serving(queue, { handle: noting(seen) });
    await expect.poll(() => seen).toEqual(['s0']);
  });

  test('[QUEUE-4] what was lost to somebody else is there again, and stays theirs while they have it', async () => {
    const url = redis.url();
    const queue = await open(url);
    await queue.add(samples(2));
    const client = raw();
    const base = `${prefixOf(url)}:jobs-v1`;
    const seen: string[] = [];
    await using _served = serving(queue, {
      handle: async ({ job }) => {
        seen.push(job);
        if (seen.length > 2) return 'done';
        // The first is forgotten, the second is handed out to somebody else.
        if (job === 's0') await client.del(`${base}:run-1-s0`, `${base}:run-1-s0:lock`);
        else await client.set(`${base}:run-1-s1:lock`, 'somebody', 'PX', 60_000);
        return { againMs: 0 };
      },
    });
    await expect.poll(() => seen).toEqual(['s0', 's1', 's0']);
    expect(await client.lrange(`${base}:active`, 0, -1)).toContain('run-1-s1');
    expect(await client.get(`${base}:run-1-s1:lock`)).toBe('somebody');
  });

  test('a job that a wrong clock put off for an hour is handed out when it is added again', async () => {
    const queue = await open(redis.url());
    await queue.add(samples(1));
    const first = serving(queue, { handle: async () => ({ againMs: 3_600_000 }) });
    await expect.poll(() => queue.count('run')).toBe(1);
    const seen: string[] = [];
    await new Promise((resolve) => setTimeout(resolve, 300));
    await first.stop();
    await using _served = serving(queue, { handle: noting(seen) });
    await queue.add(samples(1));
    await expect.poll(() => seen).toEqual(['s0']);
  });

  test('E_QUEUE_VERSION: jobs of another version are in the way; where none are left there is room', async () => {
    const url = redis.url();
    const other = bull('jobs-v7', prefixOf(url));
    await other.add('job', { of: 'tomorrow' });
    await raw().set(`${prefixOf(url)}:version`, '7');
    await expect(openQueue(url)).rejects.toMatchObject({
      code: 'E_QUEUE_VERSION',
      message: expect.stringContaining('version 7'),
    });
    await other.drain();
    const queue = await open(url);
    expect(await raw().get(`${prefixOf(url)}:version`)).toBe('1');
    // Another version came while nothing of ours was there.
    await raw().set(`${prefixOf(url)}:version`, '7');
    await other.add('job', { of: 'tomorrow' });
    await expect(queue.add(samples(1))).rejects.toMatchObject({ code: 'E_QUEUE_VERSION' });
    expect(await queue.count('run')).toBe(0);
  });

  test('E_QUEUE_AWAY: where nobody answers, opening fails soon, and may be tried again', async () => {
    const server = await startRedis();
    await server[Symbol.asyncDispose]();
    const started = performance.now();
    await expect(openQueue(`redis://me:secret@127.0.0.1:${server.port}`)).rejects.toMatchObject({
      code: 'E_QUEUE_AWAY',
      retryable: true,
      message: expect.stringMatching(/^redis:\/\/127\.0\.0\.1:\d+\/0 does not answer: connect ECONNREFUSED/),
    });
    expect(performance.now() - started).toBeLessThan(30_000);
  });

  test('E_QUEUE_REFUSED: a database that the server does not have is not another one', async () => {
    await expect(openQueue(`redis://127.0.0.1:${redis.port}/999`)).rejects.toMatchObject({
      code: 'E_QUEUE_REFUSED',
      retryable: false,
    });
  });

  test('E_QUEUE_DENIED: wrong, missing and superfluous passwords are told, never said, and nothing is printed', async () => {
    const printed = [vi.spyOn(console, 'warn'), vi.spyOn(console, 'error')];
    await using server = await startRedis({ password: 'right-secret' });
    const at = (words: string) => `redis://${words}127.0.0.1:${server.port}`;
    for (const words of ['', ':wrong-secret@', 'me:right-secret@']) {
      const error = await openQueue(at(words)).then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      expect(error).toMatchObject({ code: 'E_QUEUE_DENIED', retryable: false });
      // Causes as well: the error of a client has the command in it that failed.
      expect(inspect(error, { depth: Infinity, showHidden: true })).not.toMatch(/secret/);
    }
    const queue = await open(at(':right-secret@'));
    await queue.add(samples(1));
    expect(await queue.count('run')).toBe(1);
    await expect(openQueue(`redis://:secret@127.0.0.1:${redis.port}`)).rejects.toMatchObject({
      code: 'E_QUEUE_DENIED',
      message: expect.not.stringContaining('secret'),
    });
    for (const spy of printed) expect(spy).not.toHaveBeenCalled();
    vi.restoreAllMocks();
  });

  test('E_QUEUE_REFUSED: a server that has no memory left says so', async () => {
    await using server = await startRedis();
    const queue = await open(server.url);
    const client = new Redis(server.port);
    await client.config('SET', 'maxmemory', '1');
    client.disconnect();
    await expect(queue.add(samples(1))).rejects.toMatchObject({
      code: 'E_QUEUE_REFUSED',
      message: expect.stringContaining('OOM'),
    });
  });
});

test.each(['bullmq', 'ioredis'])(
  'E_QUEUE_CLIENT: without %s the command that installs it is told',
  async (missing) => {
    const hook = `import { registerHooks } from 'node:module';
registerHooks({ resolve(name, context, next) {
  if (name === '${missing}') throw Object.assign(new Error('none'), { code: 'ERR_MODULE_NOT_FOUND' });
  return next(name, context);
} });`;
    const script = `import { openQueue } from ${JSON.stringify(join(import.meta.dirname, 'open-queue.ts'))};
await openQueue('redis://me:secret@127.0.0.1:1').catch(({ name, code, message, hint }) => console.log(JSON.stringify({ name, code, message, hint })));`;
    const { stdout } = await promisify(execFile)(process.execPath, [
      '--import',
      `data:text/javascript,${encodeURIComponent(hook)}`,
      '--input-type=module',
      '--eval',
      script,
    ]);
    expect(JSON.parse(stdout)).toEqual({
      name: 'UsageError',
      code: 'E_QUEUE_CLIENT',
      message: 'redis://127.0.0.1:1/0 needs the packages bullmq and ioredis, which are not both installed.',
      hint: 'Install them beside Holdfast: npm install bullmq ioredis',
    });
  },
);
