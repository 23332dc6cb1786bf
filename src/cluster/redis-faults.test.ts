/** Workers and servers that really die, freeze and come back. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { noting, type ServingOptions, samples, serving } from '../../test/contract/job-queue.ts';
import { endWithUs } from '../../test/sim/end-with-us.ts';
import {
  onRedis,
  type RedisServer,
  type RedisServerOptions,
  redisObstacle,
  startRedis,
} from '../../test/sim/redis-server.ts';
import type { Handled, JobQueue } from './job-queue.ts';
import { openQueue } from './open-queue.ts';

/** Fifteen seconds, and what a machine with much to do adds to them. */
const REDELIVERY_MS = 15_000 + 25_000;
/** `expect.poll` knows only one test at a time. */
const eventually = (look: () => unknown) => vi.waitFor(look, { timeout: 120_000, interval: 20 });

const unhandled: unknown[] = [];
const note = (error: unknown) => unhandled.push(error);
let printed: ReturnType<typeof vi.spyOn>[] = [];

beforeAll(() => {
  process.on('unhandledRejection', note);
  printed = [vi.spyOn(console, 'warn'), vi.spyOn(console, 'error')];
});
afterAll(() => {
  process.off('unhandledRejection', note);
  expect(unhandled).toEqual([]);
  for (const spy of printed) expect(spy).not.toHaveBeenCalled();
});

/** What one test started, ended in the opposite order: they wait for long, so all run at once. */
class World implements AsyncDisposable {
  readonly #ends: (() => unknown)[] = [];

  async redis(options: RedisServerOptions = {}): Promise<RedisServer> {
    const server = await startRedis(options);
    this.#ends.push(() => server[Symbol.asyncDispose]());
    return server;
  }

  async open(url: string, onProblem?: (error: unknown) => void): Promise<JobQueue> {
    const queue = await openQueue(url, { onProblem });
    this.#ends.push(() => queue.close());
    return queue;
  }

  serve(queue: JobQueue, options: ServingOptions): void {
    const served = serving(queue, options);
    this.#ends.push(() => served[Symbol.asyncDispose]());
  }

  /** A worker in a process of its own, and the lines that it says. */
  async child(url: string, ms: number): Promise<{ child: ChildProcess; lines: string[] }> {
    const path = join(import.meta.dirname, '../../test/sim/queue-child.ts');
    const child = spawn(process.execPath, [path, url, String(ms)], { stdio: 'pipe' });
    endWithUs(child);
    const lines: string[] = [];
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => lines.push(...text.trim().split('\n')));
    this.#ends.push(() => child.kill('SIGKILL'));
    await eventually(() => expect(lines).toContain('serving'));
    return { child, lines };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const end of this.#ends.reverse()) await end();
  }
}

describe.skipIf(redisObstacle !== undefined).concurrent(onRedis('what dies around a queue in Redis'), () => {
  test('[QUEUE-1] the job of a worker that is killed is handed to another within 15 seconds', async () => {
    await using world = new World();
    const { url } = await world.redis();
    const queue = await world.open(url);
    const { child, lines } = await world.child(url, 600_000);
    await queue.add(samples(1));
    await eventually(() => expect(lines).toContain('begun s0'));
    const seen: string[] = [];
    world.serve(queue, { handle: noting(seen) });
    await sleep(5_000);
    expect(seen).toEqual([]);
    child.kill('SIGKILL');
    const killed = performance.now();
    await eventually(() => expect(seen).toEqual(['s0']));
    const afterMs = performance.now() - killed;
    expect(afterMs).toBeLessThan(REDELIVERY_MS);
    await eventually(async () => expect(await queue.count('run')).toBe(0));
  });

  test('[QUEUE-1] a worker that was frozen past its lock disturbs nobody when it wakes up', async () => {
    await using world = new World();
    const { url } = await world.redis();
    const queue = await world.open(url);
    const { child, lines } = await world.child(url, 1_000);
    await queue.add(samples(1));
    await eventually(() => expect(lines).toContain('begun s0'));
    child.kill('SIGSTOP');
    const gate = Promise.withResolvers<void>();
    const seen: string[] = [];
    world.serve(queue, {
      gate,
      handle: async ({ job }) => {
        seen.push(job);
        await gate.promise;
        return seen.length === 1 ? { againMs: 0 } : 'done';
      },
    });
    await eventually(() => expect(seen).toEqual(['s0']));
    child.kill('SIGCONT');
    await eventually(() => expect(lines).toContain('ended s0'));
    await sleep(500);
    // It was the other's, who wants to see it again.
    expect(await queue.count('run')).toBe(1);
    gate.resolve();
    await eventually(async () => expect(await queue.count('run')).toBe(0));
    child.kill('SIGTERM');
    await eventually(() => expect(lines).toContain('stopped'));
  });

  test('[QUEUE-1] Redis that died and came back empty: the serving goes on, and what is added again is handed out', async () => {
    await using world = new World();
    const server = await world.redis();
    const problems: unknown[] = [];
    const queue = await world.open(server.url, (error) => problems.push(error));
    await queue.add(samples(3));
    const gate = Promise.withResolvers<void>();
    const seen: string[] = [];
    world.serve(queue, {
      gate,
      handle: async ({ job }) => {
        seen.push(job);
        if (seen.length === 1) await gate.promise;
        return seen.length === 1 ? { againMs: 0 } : 'done';
      },
    });
    await eventually(() => expect(seen).toHaveLength(1));
    await server.kill();
    await sleep(3_000);
    expect(problems).toEqual([expect.objectContaining({ code: 'E_QUEUE_AWAY', retryable: true })]);
    await server.start();
    // What was in hand when it died was wanted again.
    gate.resolve();
    await eventually(() => expect(seen).toEqual(['s0', 's0']));
    await eventually(async () => expect(await queue.count('run')).toBe(0));
    await queue.add(samples(3));
    await eventually(() => expect(seen.toSorted()).toEqual(['s0', 's0', 's0', 's1', 's2']));
    await eventually(async () => expect(await queue.count('run')).toBe(0));
  });

  test('[QUEUE-1] Redis that was started again with what it had: nothing is lost', async () => {
    await using world = new World();
    const server = await world.redis({ isKept: true });
    const queue = await world.open(server.url);
    await queue.add(samples(20));
    const seen: string[] = [];
    const handle = async ({ job }: { readonly job: string }): Promise<Handled> => {
      seen.push(job);
      await sleep(300);
      return 'done';
    };
    world.serve(queue, { slots: 2, handle });
    await eventually(() => expect(seen.length).toBeGreaterThan(4));
    await server.kill();
    await sleep(500);
    await server.start();
    await eventually(async () => expect(await queue.count('run')).toBe(0));
    // At least once: an answer that was lost may have handed out a job that nobody heard of.
    expect(new Set(seen)).toEqual(new Set(samples(20).map(({ job }) => job)));
  });

  test('E_QUEUE_AWAY: nobody who adds or counts waits for ever, and all goes on when it is back', async () => {
    await using world = new World();
    const server = await world.redis({ isKept: true });
    const queue = await world.open(server.url);
    await queue.add(samples(1));
    await server.kill();
    const away = { code: 'E_QUEUE_AWAY', retryable: true, message: expect.stringContaining('ECONNREFUSED') };
    const started = performance.now();
    await expect(queue.add(samples(2))).rejects.toMatchObject(away);
    await expect(queue.count('run')).rejects.toMatchObject(away);
    expect(performance.now() - started).toBeLessThan(60_000);
    // It is served from the moment that there is something to serve from.
    const seen: string[] = [];
    world.serve(queue, { handle: noting(seen) });
    await sleep(1_500);
    await server.start();
    await eventually(() => expect(seen).toEqual(['s0']));
    await queue.add(samples(2));
    await eventually(() => expect(seen).toEqual(['s0', 's0', 's1']));
  });

  test('E_QUEUE_AWAY: one that says nothing is away as well', async () => {
    await using world = new World();
    const server = await world.redis();
    const queue = await world.open(server.url);
    const seen: string[] = [];
    world.serve(queue, { handle: noting(seen) });
    await sleep(300);
    server.freeze();
    const started = performance.now();
    await expect(queue.add(samples(1))).rejects.toMatchObject({ code: 'E_QUEUE_AWAY' });
    await expect(openQueue(server.url)).rejects.toMatchObject({ code: 'E_QUEUE_AWAY' });
    expect(performance.now() - started).toBeLessThan(100_000);
    server.thaw();
    await queue.add(samples(1));
    await eventually(() => expect(seen).toContain('s0'));
  });

  test.each(['in hand', 'not yet begun'])(
    'a worker that must go while Redis is away goes (%s)',
    async (when) => {
      await using world = new World();
      const server = await world.redis();
      const queue = await world.open(server.url);
      const { child, lines } = await world.child(server.url, 2_000);
      if (when === 'in hand') {
        await queue.add(samples(1));
        await eventually(() => expect(lines).toContain('begun s0'));
      }
      await server.kill();
      await sleep(700);
      child.kill('SIGTERM');
      const [status] = await Promise.race([once(child, 'exit'), sleep(20_000, ['it is still there'])]);
      expect(status).toBe(0);
      const said =
        when === 'in hand' ? ['serving', 'begun s0', 'ended s0', 'stopped'] : ['serving', 'stopped'];
      expect(lines).toEqual(said);
    },
  );

  test('what a worker took as it was told to stop is there for others at once', async () => {
    await using world = new World();
    const server = await world.redis();
    const queue = await world.open(server.url);
    const other = await world.open(server.url);
    const seen: string[] = [];
    world.serve(other, { handle: noting(seen) });
    const late: string[] = [];
    for (let round = 0; round < 40; round++) {
      const stop = new AbortController();
      const handle = async ({ job }: { readonly job: string }): Promise<Handled> => {
        if (stop.signal.aborted) late.push(job);
        return 'done';
      };
      const served = queue.serve({ slots: 4, signal: stop.signal, handle });
      await sleep(10);
      const added = other.add(samples(8, `run-${round}`));
      await sleep(round / 5);
      stop.abort();
      await Promise.all([served, added]);
      await eventually(async () => expect(await other.count('')).toBe(0));
    }
    expect(late).toEqual([]);
  });
});
