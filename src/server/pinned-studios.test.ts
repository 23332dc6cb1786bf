import { describe, expect, test } from 'vitest';
import { PinnedStudios } from './pinned-studios.ts';
import type { Studio } from './studio.ts';

function closing(close: () => Promise<void>): Studio {
  return Object.assign({} as Studio, { [Symbol.asyncDispose]: close });
}

/** Studios that only know whether they were closed. */
function pool(open: (commit: string) => Promise<unknown> = async () => undefined) {
  const opened: string[] = [];
  const closed: string[] = [];
  const bugs: unknown[] = [];
  const pins = new PinnedStudios({
    open: async (commit) => {
      opened.push(commit);
      await open(commit);
      return closing(async () => void closed.push(commit));
    },
    onBug: (error) => bugs.push(error),
  });
  /** Uses it for a moment. */
  const use = async (commit: string) => (await pins.lease(commit))[Symbol.dispose]();
  return { pins, use, opened, closed, bugs };
}

describe('Studios of commits', () => {
  test('are opened once for all who ask, also at the same time', async () => {
    const { pins, opened } = pool();
    const [one, other] = await Promise.all([pins.lease('a'), pins.lease('a')]);
    expect([one.studio === other.studio, (await pins.lease('a')).studio === one.studio]).toEqual([
      true,
      true,
    ]);
    expect(opened).toEqual(['a']);
  });

  test('three are kept; the one that was not used for longest is closed', async () => {
    const { use, opened, closed } = pool();
    for (const commit of ['a', 'b', 'c', 'a', 'd']) await use(commit);
    await expect.poll(() => closed).toEqual(['b']);
    await use('a');
    expect(opened).toEqual(['a', 'b', 'c', 'd']);
  });

  test('none is closed under those who read it, and all but three when they have left', async () => {
    const { pins, use, closed } = pool();
    const leases = await Promise.all(['a', 'b', 'c', 'd'].map((commit) => pins.lease(commit)));
    await use('e');
    await expect.poll(() => closed).toEqual(['e']);
    leases[1]?.[Symbol.dispose]();
    await expect.poll(() => closed).toEqual(['e', 'b']);
    // Giving back twice is giving back once.
    leases[1]?.[Symbol.dispose]();
    const again = await pins.lease('a');
    leases[0]?.[Symbol.dispose]();
    await use('f');
    expect(closed).not.toContain('a');
    again[Symbol.dispose]();
  });

  test('what cannot be opened is told to whoever asked, and tried again by the next', async () => {
    let tries = 0;
    const { pins, opened } = pool(async () => {
      if (tries++ === 0) throw new Error('not fetched yet');
    });
    const both = await Promise.allSettled([pins.lease('a'), pins.lease('a')]);
    expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await pins.lease('a');
    expect(opened).toEqual(['a', 'a']);
  });

  test('all are closed at the end, and a failure to do so is told', async () => {
    const { pins, use, closed, bugs } = pool();
    await use('a');
    await pins.lease('b');
    await pins[Symbol.asyncDispose]();
    expect([closed, bugs]).toEqual([['a', 'b'], []]);
    const broken = new Error('broken');
    const failing = new PinnedStudios({
      open: async () => closing(() => Promise.reject(broken)),
      onBug: (error) => bugs.push(error),
    });
    await failing.lease('a');
    await failing[Symbol.asyncDispose]();
    expect(bugs).toEqual([broken]);
  });
});
