import { describe, expect, test } from 'vitest';
import { systemClock, systemRandom } from '../../src/base/index.ts';
import { openLimiter } from '../../src/cluster/index.ts';
import { type CallLimits, createCallLimiter } from '../../src/targets/index.ts';
import { manualClock } from '../sim/manual-clock.ts';
import { onRedis, redisObstacle, useRedis } from '../sim/redis-server.ts';
import { limiterContract } from './call-limiter.ts';

limiterContract('the limiter of one process', async (limits) => {
  const limiter = createCallLimiter(limits, systemClock);
  return { limiter, other: limiter, [Symbol.asyncDispose]: async () => undefined };
});

test('[LIM-2] a minute after a call began another may, and not before', async () => {
  const clock = manualClock();
  const limiter = createCallLimiter({ m: { perMinute: 2 } }, clock);
  await limiter.enter('m');
  await clock.advance(30_000);
  await limiter.enter('m');
  let entered = 0;
  for (let n = 0; n < 3; n++) void limiter.enter('m').then(() => entered++);
  await clock.advance(29_999);
  expect(entered).toBe(0);
  await clock.advance(1);
  expect(entered).toBe(1);
  await clock.advance(30_000);
  expect(entered).toBe(2);
});

const redis = useRedis();

describe.skipIf(redisObstacle !== undefined)(onRedis('on a real server'), () => {
  limiterContract('limits in Redis', async (limits: CallLimits) => {
    const url = redis.url();
    const open = async (writer: string) => {
      const times = { graceMs: 0 };
      const limiter = await openLimiter(url, { clock: systemClock, random: systemRandom, times });
      return {
        close: () => limiter.close(),
        enter: async (model: string, signal = new AbortController().signal) => {
          const about = { run: 'run', writer, model, limit: limits[model] ?? {}, budgetUsd: undefined };
          const entered = await limiter.enter(
            { ...about, spentUsd: () => 0, rebuild: async () => new Map() },
            signal,
          );
          if (entered.kind === 'spent') throw new Error('there is no budget');
          return entered;
        },
      };
    };
    const [limiter, other] = [await open('a'), await open('b')];
    return {
      limiter,
      other,
      [Symbol.asyncDispose]: async () => {
        limiter.close();
        other.close();
      },
    };
  });
});
