/** A real redis-server on this machine's own address, in a folder of its own; it can be killed and started again. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Redis } from 'ioredis';
import { afterAll, beforeAll } from 'vitest';
import { endWithUs } from './end-with-us.ts';
import { makeTempDir } from './temp-dir.ts';

export interface RedisServer extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  /** With -9, as when a machine dies. */
  kill(): Promise<void>;
  /** Stops it in the middle of whatever it does, without an end to its connections; `thaw` lets it go on. */
  freeze(): void;
  thaw(): void;
  /** After `kill`: empty, unless it keeps what it was told. */
  start(): Promise<void>;
}

export interface RedisServerOptions {
  /** Whether it writes everything to its disk before it answers. */
  readonly isKept?: boolean;
  readonly password?: string;
}

const PROGRAM = 'redis-server';

/** Why there is none for the tests; undefined when there is one. */
export const redisObstacle = await promisify(execFile)(PROGRAM, ['--version']).then(
  () => undefined,
  () => `${PROGRAM} is not installed`,
);

export const onRedis = (what: string) => (redisObstacle === undefined ? what : `${what} (${redisObstacle})`);

export async function startRedis(options: RedisServerOptions = {}): Promise<RedisServer> {
  const { isKept = false, password } = options;
  const dir = await makeTempDir();
  const port = await freePort();
  const conf = join(dir.path, 'redis.conf');
  const lines = [
    `port ${port}`,
    'bind 127.0.0.1',
    `dir ${dir.path}`,
    'save ""',
    `appendonly ${isKept ? 'yes' : 'no'}`,
    'appendfsync always',
    ...(password === undefined ? [] : [`requirepass ${password}`]),
  ];
  writeFileSync(conf, `${lines.join('\n')}\n`);
  let running: ChildProcess | undefined;
  const server: RedisServer = {
    url: `redis://127.0.0.1:${port}`,
    port,
    async start() {
      running = spawn(PROGRAM, [conf], { stdio: 'ignore' });
      endWithUs(running);
      await untilAnswering(port, password);
    },
    async kill() {
      const dying = running;
      running = undefined;
      if (!dying || dying.exitCode !== null) return;
      const ended = once(dying, 'exit');
      dying.kill('SIGKILL');
      await ended;
    },
    freeze: () => void running?.kill('SIGSTOP'),
    thaw: () => void running?.kill('SIGCONT'),
    async [Symbol.asyncDispose]() {
      await server.kill();
      await dir[Symbol.asyncDispose]();
    },
  };
  await server.start();
  return server;
}

/** One server for the tests of a file; `url()` is a place of its own in it, empty. */
export function useRedis(): { url(): string; readonly port: number } {
  let used: RedisServer | undefined;
  if (redisObstacle === undefined) {
    beforeAll(async () => {
      used = await startRedis();
    });
    afterAll(() => used?.[Symbol.asyncDispose]());
  }
  const started = () => {
    if (used === undefined) throw new Error('the server has not been started');
    return used;
  };
  return {
    url: () => `${started().url}?prefix=${randomUUID()}`,
    get port() {
      return started().port;
    },
  };
}

async function untilAnswering(port: number, password: string | undefined): Promise<void> {
  const client = new Redis({
    port,
    ...(password === undefined ? {} : { password }),
    retryStrategy: () => 50,
  });
  client.on('error', () => undefined);
  try {
    await Promise.race([
      client.ping(),
      sleep(20_000, undefined, { ref: false }).then(() =>
        Promise.reject(new Error(`${PROGRAM} does not answer`)),
      ),
    ]);
  } finally {
    client.disconnect();
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
