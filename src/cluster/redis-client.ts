import type { Redis } from 'ioredis';
import { definedOf } from '../base/index.ts';
import { plainly, queueErrors, replyOf } from './queue-errors.ts';
import type { RedisAddress } from './redis-address.ts';

/** The two packages that speak to Redis: only those have them who use it. */
export interface Engine {
  readonly bullmq: typeof import('bullmq');
  readonly Redis: typeof Redis;
}

const CONNECT_MS = 5_000;
const DISCONNECT_MS = 500;
/** When a server that was asked says nothing for so long, the connection is given up. Longer than BullMQ waits for a job. */
const SILENT_MS = 15_000;
const RETRY_MS = 100;
const RETRY_MS_MAX = 1_000;
/** The oldest Redis that BullMQ wants. */
const OLDEST = [6, 2] as const;

export async function loadEngine(address: RedisAddress): Promise<Engine> {
  try {
    const [bullmq, ioredis] = await Promise.all([import('bullmq'), import('ioredis')]);
    return { bullmq, Redis: ioredis.Redis };
  } catch (error) {
    throw queueErrors.noClient(address, error);
  }
}

/**
 * A connection that is made anew whenever it is lost. What is asked meanwhile waits: for ever when `isPatient`, else until a second
 * try to connect has failed.
 */
export function connectTo(address: RedisAddress, engine: Engine, isPatient: boolean): Redis {
  const client = new engine.Redis({
    ...placeOf(address),
    ...definedOf({ username: address.username, password: address.password }),
    db: address.db,
    connectTimeout: CONNECT_MS,
    disconnectTimeout: DISCONNECT_MS,
    socketTimeout: SILENT_MS,
    maxRetriesPerRequest: isPatient ? null : 1,
    retryStrategy: (times) => Math.min(times * RETRY_MS, RETRY_MS_MAX),
  });
  return quiet(client);
}

/** Its client prints what nobody listens to. */
export function quiet(client: Redis): Redis {
  return client.on('error', () => undefined);
}

/** Ends a connection now, in whatever state it is. Told to end while it waits before its next try, a client would never say that it did. */
export function hangUp(client: Redis): void {
  if (client.status === 'end') return;
  if (client.status === 'reconnecting') client.connect().catch(() => undefined);
  client.disconnect();
}

/**
 * Looks whether the server lets us in and can do what we need, before anything is entrusted to it. The client itself would only print
 * some of what can be wrong, and go on in another database than the one that was named.
 */
export async function probe(address: RedisAddress, engine: Engine): Promise<void> {
  const { username, password, db } = address;
  const client = new engine.Redis({
    ...placeOf(address),
    connectTimeout: CONNECT_MS,
    socketTimeout: CONNECT_MS,
    lazyConnect: true,
    enableReadyCheck: false,
    protocol: 2,
    retryStrategy: () => null,
  });
  let connecting: unknown;
  client.on('error', (error) => {
    connecting = error;
  });
  try {
    await client.connect();
    if (password !== undefined) await logIn(client, address, username ? [username, password] : [password]);
    const version = /^redis_version:(\d+)\.(\d+)/m.exec(await client.info('server'));
    if (version && isOlder(version)) throw tooOld(address, version);
    await client.select(db);
  } catch (error) {
    throw replyOf(error) ? error : (connecting ?? error);
  } finally {
    client.disconnect();
  }
}

async function logIn(client: Redis, address: RedisAddress, words: readonly string[]): Promise<void> {
  try {
    await client.call('AUTH', ...words);
  } catch (error) {
    const reply = replyOf(error);
    throw reply ? queueErrors.denied(address, plainly(reply, address)) : error;
  }
}

function isOlder([, major, minor]: RegExpExecArray): boolean {
  return Number(major) < OLDEST[0] || (Number(major) === OLDEST[0] && Number(minor) < OLDEST[1]);
}

function tooOld(address: RedisAddress, [, major, minor]: RegExpExecArray): Error {
  return queueErrors.refused(address, `its version is ${major}.${minor}`);
}

function placeOf({ host, port, isTls }: RedisAddress) {
  return { host, port, ...definedOf({ tls: isTls ? {} : undefined }) };
}
