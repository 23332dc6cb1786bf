/** What every limiter of calls must do (src/targets/call-limiter.ts). */
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { CallLimiter, CallLimits } from '../../src/targets/index.ts';

export interface LimiterUnderTest extends AsyncDisposable {
  readonly limiter: CallLimiter;
  /** Another view of the same limits. */
  readonly other: CallLimiter;
}

const LIMITS: CallLimits = { 'a/few': { concurrency: 2 }, 'a/slow': { perMinute: 3 } };

export function limiterContract(name: string, open: (limits: CallLimits) => Promise<LimiterUnderTest>): void {
  describe(name, () => {
    test('[LIM-1] no more passes are out than may be, whoever asks; the next enters when one is given back', async () => {
      await using used = await open(LIMITS);
      const first = await used.limiter.enter('a/few');
      await used.other.enter('a/few');
      let isIn = false;
      const third = used.other.enter('a/few').then(() => {
        isIn = true;
      });
      await sleep(400);
      expect(isIn).toBe(false);
      first.leave();
      first.leave();
      await third;
      const stop = new AbortController();
      const fourth = used.limiter.enter('a/few', stop.signal);
      await sleep(300);
      stop.abort(new Error('enough'));
      await expect(fourth).rejects.toThrow('enough');
    });

    test('[LIM-2] no more calls begin in a minute than may, however soon they end', async () => {
      await using used = await open(LIMITS);
      for (let n = 0; n < 3; n++) (await (n % 2 ? used.other : used.limiter).enter('a/slow')).leave();
      const stop = new AbortController();
      const fourth = used.limiter.enter('a/slow', stop.signal);
      const outcome = await Promise.race([fourth.then(() => 'in'), sleep(1_500).then(() => 'waiting')]);
      expect(outcome).toBe('waiting');
      stop.abort(new Error('enough'));
      await expect(fourth).rejects.toThrow('enough');
    });

    test('[LIM-3] who waits enters in its turn; who gives up leaves the line to the others', async () => {
      await using used = await open(LIMITS);
      const passes = [await used.limiter.enter('a/few'), await used.limiter.enter('a/few')];
      const order: string[] = [];
      const stop = new AbortController();
      const enter = (who: string, signal?: AbortSignal) =>
        used.limiter.enter('a/few', signal).then((pass) => {
          order.push(who);
          pass.leave();
        });
      const first = enter('first', stop.signal);
      const names = ['second', 'third', 'fourth', 'fifth', 'sixth'];
      const others: Promise<void>[] = [];
      for (const name of names) {
        await sleep(30);
        others.push(enter(name));
      }
      stop.abort(new Error('given up'));
      await expect(first).rejects.toThrow('given up');
      passes[0]?.leave();
      await Promise.all(others);
      expect(order).toEqual(names);
      // What was given up has taken nothing with it.
      await used.limiter.enter('a/few');
      await expect(used.limiter.enter('a/few', stop.signal)).rejects.toThrow('given up');
    });

    test('[LIM-4] what has no limit waits for nobody', async () => {
      await using used = await open(LIMITS);
      for (let n = 0; n < 50; n++) await used.limiter.enter('another/model');
    });
  });
}
