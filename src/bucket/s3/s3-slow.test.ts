/** Servers that are slow, silent, busy or of another time. */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type FaultProxy, startFaultProxy } from '../../../test/sim/s3/fault-proxy.ts';
import { BUCKET } from '../../../test/sim/s3/s3-server.ts';
import { obstacle, onServer, useS3 } from '../../../test/sim/s3/use-s3.ts';
import { useTempDir } from '../../../test/sim/use-temp-dir.ts';
import { systemClock } from '../../base/index.ts';
import { nodeDisk } from '../../disk/index.ts';
import type { Bucket } from '../bucket.ts';
import { openS3Bucket, type S3BucketOptions } from './s3-bucket.ts';

const s3 = useS3();
const dir = useTempDir();
let proxy: FaultProxy;
let url: string;
/** How long it was waited before each new try. */
let waits: number[];

beforeEach(async () => {
  waits = [];
  if (obstacle !== undefined) return;
  proxy = await startFaultProxy(s3.server.endpoint);
  url = `s3://${BUCKET}/${randomUUID()}`;
});
afterEach(async () => {
  vi.useRealTimers();
  if (obstacle === undefined) await proxy[Symbol.asyncDispose]();
});

const SILENT_MS = 700;

function open(more: Partial<S3BucketOptions> = {}): Promise<Bucket> {
  const sleep = (ms: number, signal?: AbortSignal) => {
    waits.push(ms);
    return systemClock.sleep(1, signal);
  };
  const clock = { ...systemClock, sleep };
  return openS3Bucket(url, { disk: nodeDisk, clock, endpoint: proxy.endpoint, silentMs: SILENT_MS, ...more });
}

const text = (words: string) => new TextEncoder().encode(words);
const large = Uint8Array.from({ length: 200_000 }, (_, index) => (index * 31) % 251);
const gets = () => methods().filter((method) => method === 'GET').length;
const methods = () => proxy.seen.map(({ method }) => method);

describe.skipIf(obstacle !== undefined)(onServer('a server that is slow'), () => {
  test('[BUCKET-3] a body that comes slowly is waited for, as long as it comes', async () => {
    const bucket = await open();
    await bucket.create('a', large);
    proxy.fault = ({ method }) =>
      method === 'GET' ? { kind: 'trickle', bytes: 10_000, everyMs: SILENT_MS / 4 } : undefined;
    const begun = performance.now();
    expect(Buffer.compare((await bucket.read('a')) ?? Buffer.of(), large)).toBe(0);
    expect(performance.now() - begun).toBeGreaterThan(3 * SILENT_MS);
    expect(gets()).toBe(1);
    expect(await bucket.download('a', join(dir.path, 'a'))).toEqual({ sizeBytes: large.length });
    expect(gets()).toBe(2);
  });

  test.each([
    ['read', (bucket: Bucket) => bucket.read('a')],
    ['readRange', (bucket: Bucket) => bucket.readRange('a', { start: 0, length: large.length })],
    [
      'download',
      async (bucket: Bucket) => {
        const path = join(dir.path, randomUUID());
        await bucket.download('a', path);
        return nodeDisk.read(path);
      },
    ],
  ] as const)('[BUCKET-3] a body that stops in the middle is asked for again: %s', async (_, read) => {
    const bucket = await open();
    await bucket.create('a', large);
    proxy.fault = ({ method }) =>
      method === 'GET' && gets() <= 2 ? { kind: 'stall', bytes: 50_000 } : undefined;
    expect(Buffer.compare((await read(bucket)) ?? Buffer.of(), large)).toBe(0);
    expect(gets()).toBe(3);
  });

  test('[BUCKET-10] a server that stops each time, or never answers, is away after a bounded time', async () => {
    const bucket = await open({ answerMs: SILENT_MS });
    await bucket.create('a', large);
    for (const fault of [{ kind: 'stall', bytes: 0 }, { kind: 'silence' }] as const) {
      proxy.fault = () => fault;
      const begun = performance.now();
      await expect(bucket.read('a')).rejects.toMatchObject({ code: 'E_BUCKET_AWAY', retryable: true });
      expect(performance.now() - begun).toBeLessThan(100 * SILENT_MS);
    }
    proxy.fault = () => ({ kind: 'silence' });
    await expect(bucket.create('b', text('x'))).rejects.toMatchObject({ code: 'E_BUCKET_AWAY' });
  });

  test('[BUCKET-9] waiting for a body that has stopped ends with the signal', async () => {
    const bucket = await open({ silentMs: 60_000 });
    await bucket.create('a', large);
    proxy.fault = () => ({ kind: 'stall', bytes: 50_000 });
    for (const read of [
      (signal: AbortSignal) => bucket.read('a', signal),
      (signal: AbortSignal) => bucket.download('a', join(dir.path, 'a'), signal),
    ]) {
      const stop = new AbortController();
      const reading = read(stop.signal);
      setTimeout(() => stop.abort(new Error('enough')), 300);
      await expect(reading).rejects.toThrow('enough');
      proxy.fault = ({ method }) => (method === 'GET' ? { kind: 'stall', bytes: 50_000 } : undefined);
    }
    expect(await nodeDisk.stat(join(dir.path, 'a'))).toBe(undefined);
  });

  test('[BUCKET-10] in a storm of SlowDown each waits longer from time to time, and everything is done once', async () => {
    const bucket = await open();
    const seen = new Map<string, number>();
    proxy.fault = ({ method, path }) => {
      const count = (seen.get(path) ?? 0) + 1;
      seen.set(path, count);
      return method === 'PUT' && count <= 4 ? { kind: 'status', status: 503, code: 'SlowDown' } : undefined;
    };
    const keys = Array.from({ length: 20 }, (_, index) => `k${String(index).padStart(2, '0')}`);
    const made = await Promise.all(keys.map((key) => bucket.create(key, text(key))));
    expect(made.every(Boolean)).toBe(true);
    expect((await Array.fromAsync(bucket.list(''))).map(({ key }) => key)).toEqual(keys);
    expect([...seen.values()].filter((count) => count === 5)).toHaveLength(20);
    expect(waits).toHaveLength(80);
    waits = [];
    seen.clear();
    await bucket.create('alone', text('x'));
    for (const [index, ms] of waits.entries()) {
      const longest = 200 * 2 ** index;
      expect(ms).toBeGreaterThanOrEqual(longest / 2);
      expect(ms).toBeLessThanOrEqual(longest);
    }
    // Not all at the same moment again.
    expect(new Set(waits.map((ms, index) => ms / 2 ** index)).size).toBeGreaterThan(1);
  });

  test('[BUCKET-10] a storm without an end is given up after some ten seconds of waiting', async () => {
    const bucket = await open();
    proxy.fault = () => ({ kind: 'status', status: 503, code: 'SlowDown' });
    await expect(bucket.create('a', text('x'))).rejects.toMatchObject({ code: 'E_BUCKET_AWAY' });
    expect(waits).toHaveLength(6);
    expect(waits.reduce((sum, ms) => sum + ms, 0)).toBeLessThan(15_000);
  });

  test.each([-3_600_000, 3_600_000])(
    'a clock that is wrong by %i ms is put right by the answer of the server: one request more, whatever it was',
    async (byMs) => {
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + byMs });
      const one = await open();
      expect(await one.create('a', text('one'))).toBe(true);
      expect(methods()).toEqual(['PUT', 'PUT']);
      // From now on it knows.
      expect(await one.read('a')).toEqual(text('one'));
      expect(methods()).toEqual(['PUT', 'PUT', 'GET']);
      // The answer to such a question has no words.
      const other = await open();
      expect(await other.stat('a')).toMatchObject({ sizeBytes: 3 });
      expect(methods().slice(3)).toEqual(['HEAD', 'HEAD']);
      expect(waits).toEqual([]);
    },
  );

  test('[BUCKET-10] a server that calls every time wrong is told after one more request', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_600_000 });
    const date = new Date(Date.now() - 3_600_000).toUTCString();
    proxy.fault = () => ({ kind: 'status', status: 403, code: 'RequestTimeTooSkewed', headers: { date } });
    await expect((await open()).create('a', text('x'))).rejects.toMatchObject({
      code: 'E_BUCKET_DENIED',
      hint: expect.stringMatching(/clock/),
    });
    expect(methods()).toEqual(['PUT', 'PUT']);
  });
});
