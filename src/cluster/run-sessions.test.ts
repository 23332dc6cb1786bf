import { expect, test } from 'vitest';
import { manualClock } from '../../test/sim/manual-clock.ts';
import { sharedFixture } from '../../test/sim/shared-fixture.ts';
import { RunSessions } from './run-sessions.ts';
import type { RunSession } from './worker.ts';

const MINUTE_MS = 60_000;

/** Sessions of one run, of which the next can be told how it is to be. */
function sessions() {
  const clock = manualClock();
  const { book } = sharedFixture();
  const said: (string | undefined)[] = [];
  let opened = 0;
  let cannot: Error | undefined;
  let current: { failure: Error | undefined } = { failure: undefined };
  const all = new RunSessions({
    clock,
    async open() {
      opened++;
      if (cannot) throw cannot;
      const one: { failure: Error | undefined } = { failure: undefined };
      current = one;
      const session: RunSession = {
        ...{ book, writer: 'w', lostMax: 3, work: async () => ({ status: 'completed' }) },
        get isGone() {
          return one.failure !== undefined;
        },
        get failure() {
          return one.failure;
        },
      };
      return session;
    },
    onRefused: (_run, reason) => said.push(reason),
  });
  let round = 1;
  const use = async () => {
    const used = await all.use('run', round);
    used?.[Symbol.dispose]();
  };
  return {
    ...{ clock, all, use, said },
    opened: () => opened,
    nextRound: () => {
      round++;
    },
    refuse: (error: Error | undefined) => {
      cannot = error;
    },
    fill: () => {
      current.failure = new Error('the disk is full');
    },
    /** After how many minutes it is opened again. */
    async minutesUntilOpened(): Promise<number> {
      const before = opened;
      for (let halves = 1; ; halves++) {
        await clock.advance(MINUTE_MS / 2);
        await use().catch(() => undefined);
        if (opened > before) return halves / 2;
      }
    },
  };
}

test('a run that cannot be opened is tried again after half a minute, then after twice as long each time, up to ten minutes', async () => {
  const run = sessions();
  run.refuse(new Error('other packages'));
  await expect(run.use()).rejects.toThrow('other packages');
  expect(run.all.isRefused('run')).toBe(true);
  const waited: number[] = [];
  for (let count = 0; count < 7; count++) waited.push(await run.minutesUntilOpened());
  expect(waited).toEqual([0.5, 1, 2, 4, 8, 10, 10]);
  run.refuse(undefined);
  await run.minutesUntilOpened();
  expect(run.all.isRefused('run')).toBe(false);
  expect(run.said.at(-1)).toBeUndefined();
});

test('a session that broke is refused with its reason and opened again after a while, longer each time until something was done', async () => {
  const run = sessions();
  await run.use();
  run.fill();
  await expect(run.use()).rejects.toThrow('the disk is full');
  expect(run.said).toEqual([undefined, 'the disk is full']);
  expect(await run.minutesUntilOpened()).toBe(0.5);
  run.fill();
  // That it could be opened says nothing of whether it can work.
  await expect(run.use()).rejects.toThrow('the disk is full');
  expect(await run.minutesUntilOpened()).toBe(1);
  run.all.didWell('run');
  run.fill();
  await expect(run.use()).rejects.toThrow('the disk is full');
  expect(await run.minutesUntilOpened()).toBe(0.5);
});

test('[SHR-25] a run that was refused in one round is tried at once in the next: what was wrong may have been put right', async () => {
  const run = sessions();
  run.refuse(new Error('no such file'));
  await expect(run.use()).rejects.toThrow('no such file');
  run.refuse(undefined);
  await expect(run.use()).rejects.toThrow('no such file');
  run.nextRound();
  await run.use();
  expect([run.opened(), run.all.isRefused('run'), run.said.at(-1)]).toEqual([2, false, undefined]);
});
