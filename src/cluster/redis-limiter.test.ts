/** Limits over many processes: an outside witness sees every call, and Redis and processes are really killed. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { describe, expect, test } from 'vitest';
import { endWithUs } from '../../test/sim/end-with-us.ts';
import type { LimiterChildArgs } from '../../test/sim/limiter-child.ts';
import { onRedis, redisObstacle, startRedis, useRedis } from '../../test/sim/redis-server.ts';
import { makeTempDir } from '../../test/sim/temp-dir.ts';
import { systemClock, systemRandom } from '../base/index.ts';
import { openLimiter } from './open-queue.ts';
import type { AskedCall } from './redis-limiter.ts';

const redis = useRedis();
const CHILD = join(import.meta.dirname, '../../test/sim/limiter-child.ts');

/** Sees calls: how many at a time, and when each began. */
async function openWitness() {
  const open = new Set<Socket>();
  const begunMs: number[] = [];
  let most = 0;
  const server = createServer((socket) => {
    open.add(socket);
    begunMs.push(Date.now());
    most = Math.max(most, open.size);
    // Before the one who calls hears that it is over.
    socket.on('end', () => open.delete(socket));
    socket.on('close', () => open.delete(socket));
    socket.on('error', () => undefined);
    socket.resume();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    begunMs,
    get most() {
      return most;
    },
    [Symbol.dispose]: () => {
      for (const socket of open) socket.destroy();
      server.close();
    },
  };
}

async function fleet() {
  const dir = await makeTempDir();
  const witness = await openWitness();
  const children: ChildProcess[] = [];
  return {
    witness,
    bucket: dir.path,
    start(args: Omit<LimiterChildArgs, 'witness' | 'bucket'>) {
      const child = spawn(
        process.execPath,
        [CHILD, JSON.stringify({ ...args, witness: witness.port, bucket: dir.path })],
        { stdio: ['ignore', 'pipe', 'inherit'] },
      );
      endWithUs(child);
      children.push(child);
      let said = '';
      child.stdout.on('data', (chunk) => {
        said += chunk;
      });
      return { child, ended: once(child, 'exit'), said: () => said };
    },
    async [Symbol.asyncDispose]() {
      for (const child of children) child.kill('SIGKILL');
      witness[Symbol.dispose]();
      await dir[Symbol.asyncDispose]();
    },
  };
}

async function until(what: () => boolean, ms = 30_000): Promise<void> {
  for (const endMs = Date.now() + ms; !what(); await sleep(20))
    if (Date.now() > endMs) throw new Error(`it did not come: ${what}`);
}

const ask = (about: Partial<AskedCall>): AskedCall => ({
  ...{ run: 'run', writer: 'w', model: 'm', limit: {}, budgetUsd: undefined, spentUsd: () => 0 },
  rebuild: async () => new Map(),
  ...about,
});

const { signal } = new AbortController();

async function limiterAt(url: string, times = {}) {
  const limiter = await openLimiter(url, { clock: systemClock, random: systemRandom, times });
  return Object.assign(limiter, { [Symbol.dispose]: () => limiter.close() });
}

describe.skipIf(redisObstacle !== undefined)(onRedis('limits over many processes'), () => {
  test('[QLIM-1] [QLIM-4] four processes never have more calls under way than may be, and together spend the budget', async () => {
    await using all = await fleet();
    const about = { url: redis.url(), limit: { concurrency: 3 }, callMs: 30, slots: 3, budgetUsd: 0.6 };
    const running = [1, 2, 3, 4].map((n) => all.start({ ...about, writer: `w${n}` }));
    await Promise.all(running.map(({ ended }) => ended));
    expect(all.witness.most).toBe(3);
    // What was under way when the last cent was spent: no more than may be under way.
    expect(all.witness.begunMs.length).toBeGreaterThanOrEqual(60);
    expect(all.witness.begunMs.length).toBeLessThanOrEqual(62);
  });

  test('[QLIM-2] together they begin no more calls in a minute than may be, and go on when the minute is over', async () => {
    await using all = await fleet();
    const url = redis.url();
    const about = { url, limit: { perMinute: 20 }, callMs: 5, slots: 2 };
    for (const n of [1, 2, 3, 4]) all.start({ ...about, writer: `w${n}` });
    await until(() => all.witness.begunMs.length === 20);
    await sleep(3_000);
    expect(all.witness.begunMs).toHaveLength(20);
    // A minute passes, for the oldest five.
    const client = new Redis({ port: redis.port });
    const key = `${new URL(url).searchParams.get('prefix')}:limits-v1:model:a/model:begun`;
    for (const id of await client.zrange(key, '0', '4')) await client.zincrby(key, -60_000, id);
    await until(() => all.witness.begunMs.length === 25);
    await sleep(1_500);
    expect(all.witness.begunMs).toHaveLength(25);
    expect(await client.pttl(key)).toBeGreaterThan(0);
    client.disconnect();
  });

  test('[QLIM-1] passes of a process that was killed come back within 15 seconds', async () => {
    await using all = await fleet();
    const about = { url: redis.url(), limit: { concurrency: 2 }, slots: 2 };
    const victim = all.start({ ...about, writer: 'victim', callMs: 60_000 });
    await until(() => all.witness.begunMs.length === 2);
    all.start({ ...about, writer: 'other', callMs: 10 });
    // As long as it lives, its passes are its own.
    await sleep(14_000);
    expect(all.witness.begunMs).toHaveLength(2);
    victim.child.kill('SIGKILL');
    const killedMs = Date.now();
    await until(() => all.witness.begunMs.length > 2);
    expect(Date.now() - killedMs).toBeLessThan(40_000);
    expect(all.witness.most).toBe(2);
  });

  test('[QLIM-5] [QLIM-6] while Redis is away no call goes out; one that came back empty counts what the bucket knows, and the budget holds', async () => {
    await using server = await startRedis();
    await using all = await fleet();
    const about = { url: server.url, limit: { concurrency: 4 }, callMs: 40, slots: 2, budgetUsd: 1.5 };
    const running = [1, 2, 3].map((n) => all.start({ ...about, writer: `w${n}` }));
    await until(() => all.witness.begunMs.length >= 50);
    running[0]?.child.kill('SIGKILL');
    await running[0]?.ended;
    await server.kill();
    await sleep(200);
    const before = all.witness.begunMs.length;
    await sleep(4_000);
    expect(all.witness.begunMs).toHaveLength(before);
    await server.start();
    await Promise.all(running.map(({ ended }) => ended));
    expect(all.witness.begunMs.length).toBeGreaterThanOrEqual(150);
    // Those under way when the money was gone, and the two that were lost with the process that was killed.
    expect(all.witness.begunMs.length).toBeLessThanOrEqual(150 + 3 + 2);
    expect(all.witness.most).toBeLessThanOrEqual(4);
    const said = running.slice(1).map((one) => one.said());
    for (const text of said) expect(text.match(/does not answer/g)).toHaveLength(1);
  });

  test('[QLIM-6] a Redis that knows nothing hears first who has passes, and which calls began in the last minute', async () => {
    await using server = await startRedis();
    using mine = await limiterAt(server.url);
    const call = ask({ limit: { concurrency: 1, perMinute: 2 } });
    (await mine.enter(call, signal)).kind;
    await server.kill();
    // Who has the pass looks less and less often whether it is back; somebody new is there at once.
    await sleep(4_000);
    await server.start();
    using other = await limiterAt(server.url);
    const stop = AbortSignal.timeout(8_000);
    await expect(other.enter(call, stop)).rejects.toThrow();
    // Another one may begin in this minute, and no third.
    const free = ask({ limit: { perMinute: 2 } });
    expect(await other.enter(free, signal)).toMatchObject({ kind: 'in' });
    await expect(other.enter(free, AbortSignal.timeout(1_500))).rejects.toThrow();
  });

  test('[QLIM-3] [QLIM-4] [QLIM-5] nobody is let in before the money was counted; one counts, the others wait, and what a living writer says of itself is in it', async () => {
    using mine = await limiterAt(redis.url(), { graceMs: 0 });
    let counted = 0;
    const counting = Promise.withResolvers<ReadonlyMap<string, number>>();
    const rebuild = () => {
      counted++;
      return counting.promise;
    };
    const budgeted = { budgetUsd: 1, rebuild };
    const entering = ['w1', 'w2'].map((writer) =>
      mine.enter(ask({ ...budgeted, writer, spentUsd: () => 0.25 }), signal),
    );
    await sleep(600);
    counting.resolve(
      new Map([
        ['w:w1', 0.1],
        ['w:dead', 0.3],
      ]),
    );
    const entered = await Promise.all(entering);
    expect(counted).toBe(1);
    expect(entered.map(({ kind }) => kind)).toEqual(['in', 'in']);
    expect(Math.max(...entered.map(({ spentUsd }) => spentUsd))).toBeCloseTo(0.8);
    const last = await mine.enter(ask({ ...budgeted, writer: 'w2', spentUsd: () => 0.45 }), signal);
    expect(last).toMatchObject({ kind: 'spent', spentUsd: expect.closeTo(1) });
    // A sum that came late takes nothing back.
    const late = await mine.enter(ask({ ...budgeted, writer: 'w2', spentUsd: () => 0.1 }), signal);
    expect(late).toMatchObject({ kind: 'spent' });
  });

  test('[QLIM-3] [QLIM-4] the sum of many writers is counted once, and is that of all of them, whoever tells what in which order', async () => {
    await using server = await startRedis();
    using mine = await limiterAt(server.url, { graceMs: 0 });
    using other = await limiterAt(server.url, { graceMs: 0 });
    const writers = 120;
    const spent = Array.from({ length: writers }, () => 0.01);
    const rebuild = async () => new Map(spent.map((usd, n) => [`w:w${n}`, usd]));
    const about = { budgetUsd: 2, rebuild };
    const enter = (n: number) =>
      (n % 2 === 0 ? mine : other).enter(
        ask({ ...about, writer: `w${n}`, spentUsd: () => spent[n] ?? 0 }),
        signal,
      );
    for (let n = 0; n < writers; n++) {
      expect((await enter(n)).kind).toBe('in');
      // What it spends is told when it leaves, by somebody else's limiter late, and again: it counts once.
      spent[n] = n % 3 === 0 ? 0.0123 : 0.01;
      const one = await enter(n);
      if (one.kind === 'in') one.leave();
    }
    const client = new Redis({ port: server.port });
    const key = (await client.keys('*:spent'))[0] ?? '';
    const { sum, ready, ...fields } = await client.hgetall(key);
    const total = Object.values(fields).reduce((all, usd) => all + Number(usd), 0);
    expect(Object.keys(fields)).toHaveLength(writers);
    expect([ready, Number(sum)]).toEqual(['1', expect.closeTo(total, 12)]);
    expect((await enter(0)).spentUsd).toBeCloseTo(40 * 0.0123 + 80 * 0.01, 9);
    // One is this test's own.
    const calls = /cmdstat_hgetall:calls=(\d+)/.exec(await client.info('commandstats'))?.[1];
    expect(Number(calls)).toBe(2);
    // A hash that has no sum is counted again, and the budget holds.
    await client.hdel(key, 'sum');
    spent[1] = 1;
    expect(await enter(1)).toMatchObject({ kind: 'spent', spentUsd: expect.closeTo(total + 0.99, 9) });
    client.disconnect();
  });

  test('[QLIM-7] nothing stays for ever, and nothing but names and numbers is in Redis', async () => {
    const url = redis.url();
    using mine = await limiterAt(url, { graceMs: 0 });
    await mine.enter(ask({ budgetUsd: 1, limit: { concurrency: 1, perMinute: 9 } }), signal);
    const client = new Redis({ port: redis.port });
    const keys = await client.keys(`${new URL(url).searchParams.get('prefix')}:*`);
    expect(keys.map((key) => key.replace(/^[^:]*:/, '')).sort()).toEqual([
      'limits-v1:model:m:begun',
      'limits-v1:model:m:passes',
      'limits-v1:run:run:spent',
      'limits-v1:since',
    ]);
    for (const key of keys) expect(await client.pttl(key), key).toBeGreaterThan(0);
    client.disconnect();
  });

  test('whoever gives up while Redis is away has no pass when it is back', async () => {
    await using server = await startRedis({ isKept: true });
    using mine = await limiterAt(server.url, { graceMs: 0 });
    const call = ask({ limit: { concurrency: 1 } });
    const first = await mine.enter(call, signal);
    if (first.kind === 'in') first.leave();
    await server.kill();
    const startedMs = Date.now();
    await expect(mine.enter(call, AbortSignal.timeout(300))).rejects.toThrow();
    expect(Date.now() - startedMs).toBeLessThan(20_000);
    await server.start();
    expect(await mine.enter(call, AbortSignal.timeout(60_000))).toMatchObject({ kind: 'in' });
  });
});
