import { describe, expect, test } from 'vitest';
import type { LiveEvent } from './api.ts';
import { RingFeed, type ToldEvent } from './live-feed.ts';

const runs = (id: string): LiveEvent => ({ kind: 'runs', runs: [id] });
const idsOf = (told: readonly ToldEvent[]) =>
  told.map(({ id, event }) => `${id} ${event.kind === 'runs' ? event.runs.join() : event.kind}`);

/** What can be had without waiting. */
async function ready(feed: RingFeed, lastId: string | undefined, most = 100): Promise<readonly ToldEvent[]> {
  const control = new AbortController();
  const told: ToldEvent[] = [];
  setTimeout(() => control.abort(), 20);
  for await (const one of feed.after(lastId, control.signal)) if (told.push(one) >= most) break;
  return told;
}

describe('RingFeed', () => {
  test('whoever comes back goes on after the last event that was seen', async () => {
    const feed = new RingFeed({ boot: 'b' });
    for (const id of ['x', 'y', 'z']) feed.tell(runs(id));
    expect(idsOf(await ready(feed, 'b-1'))).toEqual(['b-2 y', 'b-3 z']);
    expect(idsOf(await ready(feed, 'b-3'))).toEqual([]);
    expect(idsOf(await ready(feed, undefined))).toEqual([]);
  });

  test('whose last event is not known any more is told to ask for everything again, and goes on from there', async () => {
    const feed = new RingFeed({ boot: 'b', max: 2 });
    for (const id of ['v', 'w', 'x', 'y']) feed.tell(runs(id));
    expect(idsOf(await ready(feed, 'b-2'))).toEqual(['b-3 x', 'b-4 y']);
    for (const lost of ['b-1', 'other-3', 'b-9', 'b-', '', '3', 'b-3x', '-3'])
      expect(idsOf(await ready(feed, lost)), lost).toEqual(['b-4 reset']);
    const control = new AbortController();
    const events = feed.after('b-1', control.signal);
    expect((await events.next()).value?.event.kind).toBe('reset');
    feed.tell(runs('z'));
    expect((await events.next()).value).toEqual({ id: 'b-5', event: runs('z') });
    control.abort();
    expect((await events.next()).done).toBe(true);
  });

  test('a listener that is too slow is told so, and costs nothing', async () => {
    const feed = new RingFeed({ boot: 'b', max: 3 });
    const events = feed.after(undefined, new AbortController().signal);
    const first = events.next();
    feed.tell(runs('0'));
    expect((await first).value?.id).toBe('b-1');
    for (let n = 1; n <= 10; n++) feed.tell(runs(String(n)));
    expect((await events.next()).value).toEqual({ id: 'b-11', event: { kind: 'reset' } });
    await events.return(undefined);
  });

  test('whoever is new learns how much of the store was read, with an id to go on from', async () => {
    const feed = new RingFeed({ boot: 'b' });
    feed.tell({ kind: 'index', index: { isWhole: false, read: 200 } });
    feed.tell(runs('x'));
    expect(await ready(feed, undefined)).toEqual([
      { id: 'b-2', event: { kind: 'index', index: { isWhole: false, read: 200 } } },
    ]);
    feed.tell(runs('y'));
    expect(idsOf(await ready(feed, 'b-2'))).toEqual(['b-3 y']);
  });

  test('it is told when the first listener comes and the last one goes', async () => {
    const feed = new RingFeed({ boot: 'b' });
    const counts: number[] = [];
    const held = feed.onListening(() => counts.push(feed.listeners));
    const [one, other] = [new AbortController(), new AbortController()];
    const waiting = [feed.after(undefined, one.signal).next(), feed.after(undefined, other.signal).next()];
    expect(counts).toEqual([1]);
    one.abort();
    other.abort();
    await Promise.all(waiting);
    expect(counts).toEqual([1, 0]);
    held[Symbol.dispose]();
    await ready(feed, undefined);
    expect(counts).toEqual([1, 0]);
  });
});
