import { describe, expect, test } from 'vitest';
import { EVENT_FLAGS, type Skeleton } from '../../../../src/server/api.ts';
import { EventBodies, PAGE_EVENTS } from './event-bodies.ts';
import { AUTO_FOLDING, foldedOrOpened, heightGuess, isOpen, opened, toggled } from './folding.ts';
import { findRow, isMarker, isTurnStart, rowOfTurn } from './landmarks.ts';
import { HIDDEN_BY_DEFAULT, ShownEvents } from './shown-events.ts';
import { SkeletonStore } from './skeleton-store.ts';

type Columns = Skeleton['columns'];

/** A part in which every event is a model call, then a tool, and so on; `kinds` may say otherwise. */
function partOf(
  from: number,
  count: number,
  changed: Omit<Partial<Skeleton>, 'columns'> & { readonly columns?: Partial<Columns> } = {},
): Skeleton {
  const each = (of: (event: number) => number) => Array.from({ length: count }, (_, at) => of(from + at));
  const { columns, ...rest } = changed;
  return {
    from,
    known: from + count,
    isWhole: true,
    progress: 1,
    kinds: from === 0 ? ['model', 'tool', 'state', 'error'] : [],
    kindsFrom: from === 0 ? 0 : 4,
    lanes: from === 0 ? ['main', 'reviewer'] : [],
    lanesFrom: from === 0 ? 0 : 2,
    columns: {
      kind: each((event) => event % 2),
      lane: each(() => 0),
      depth: each(() => 1),
      turn: each((event) => Math.floor(event / 2) + 1),
      start: each((event) => event * 1_000),
      durationMs: each(() => 500),
      tokens: each(() => 10),
      usd: each(() => 0.01),
      flags: each(() => 0),
      sizeBytes: each(() => 100),
      label: Array.from({ length: count }, (_, at) => `event ${from + at}`),
      ...columns,
    },
    ...rest,
  };
}

function storeOf(...parts: readonly Skeleton[]): SkeletonStore {
  const store = new SkeletonStore();
  for (const part of parts) store.put(part);
  return store;
}

const ALL = { hidden: new Set<string>(), lane: '' };

describe('the skeleton', () => {
  test('is put together from parts, whose names only add to those before', () => {
    const store = storeOf(
      partOf(0, 3_000, { known: 5_000 }),
      partOf(3_000, 2_000, { kinds: ['score'], columns: { kind: Array.from({ length: 2_000 }, () => 4) } }),
    );
    expect([store.count, store.isWhole, store.kind(1), store.kind(4_999), store.label(4_999)]).toEqual([
      5_000,
      true,
      'tool',
      'score',
      'event 4999',
    ]);
  });

  test('is written anew from an event on, without what was there', () => {
    const store = storeOf(partOf(0, 10, { isWhole: false }));
    expect(store.rewritten).toBe(0);
    store.put(partOf(8, 1, { isWhole: false, columns: { label: ['another'] } }));
    expect([store.count, store.label(8), store.label(9), store.rewritten]).toEqual([9, 'another', '', 1]);
  });

  test('takes labels that come later without being written anew', () => {
    const store = storeOf(partOf(0, 10));
    store.relabel(partOf(4, 2, { columns: { label: ['four', 'five'] } }));
    expect([store.count, store.label(3), store.label(5), store.label(6), store.rewritten]).toEqual([
      10,
      'event 3',
      'five',
      'event 6',
      0,
    ]);
  });

  test('is short by what is known at first: that it grows does not fold it', () => {
    const store = storeOf(partOf(0, 1_999, { isWhole: false }));
    expect(store.isShort).toBe(true);
    store.put(partOf(1_999, 3_000));
    expect(store.isShort).toBe(true);
    // A tenth of the sample has been read, so there will be ten times as many.
    expect(storeOf(partOf(0, 1_000, { isWhole: false, progress: 0.1 })).isShort).toBe(false);
  });
});

describe('events that are shown', () => {
  const store = storeOf(
    partOf(0, 12, {
      columns: { kind: [0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 3], lane: [0, 0, 0, 1, 1, 1, 0, 0, 0, 0, 0, 0] },
    }),
  );

  test('leave out what tells of the machinery', () => {
    const shown = new ShownEvents(store, { hidden: HIDDEN_BY_DEFAULT, lane: '' });
    expect(Array.from({ length: shown.count }, (_, row) => shown.eventOf(row))).toEqual([
      0, 1, 3, 4, 6, 7, 9, 10, 11,
    ]);
    expect([shown.has(3), shown.has(2), shown.rowOf(2), shown.rowOf(99)]).toEqual([true, false, 2, 8]);
  });

  test('are those of one lane when it is chosen', () => {
    const shown = new ShownEvents(store, { hidden: new Set(), lane: 'reviewer' });
    expect(Array.from({ length: shown.count }, (_, row) => shown.eventOf(row))).toEqual([3, 4, 5]);
  });

  test('every row leads to an event and back', () => {
    const shown = new ShownEvents(storeOf(partOf(0, 5_000)), { hidden: new Set(['tool']), lane: '' });
    for (let row = 0; row < shown.count; row++) expect(shown.rowOf(shown.eventOf(row))).toBe(row);
  });
});

describe('going through a transcript', () => {
  const flags = Array.from({ length: 20 }, (_, event) =>
    event === 7 ? EVENT_FLAGS.error : event === 12 ? EVENT_FLAGS.gapBefore : 0,
  );
  const store = storeOf(partOf(0, 20, { columns: { flags } }));
  const shown = new ShownEvents(store, ALL);

  test('from turn to turn, one at a time', () => {
    const is = (event: number) => isTurnStart(store, event);
    const first = findRow(shown, { from: -1, step: 1, is });
    expect(first).toBe(0);
    expect(findRow(shown, { from: 0, step: 1, is })).toBe(2);
    expect(findRow(shown, { from: 2, step: -1, is })).toBe(0);
    expect(findRow(shown, { from: 18, step: 1, is })).toBeUndefined();
    expect(rowOfTurn(store, shown, 5)).toBe(8);
  });

  test('from error to gap', () => {
    const is = (event: number) => isMarker(store, event);
    expect(findRow(shown, { from: 0, step: 1, is })).toBe(7);
    expect(findRow(shown, { from: 7, step: 1, is })).toBe(12);
  });
});

describe('folding', () => {
  test('short transcripts are unfolded where there is something to read, long ones are not', () => {
    const short = storeOf(partOf(0, 6, { columns: { kind: [0, 1, 2, 3, 0, 1] } }));
    expect([0, 1, 2, 3].map((event) => isOpen(short, AUTO_FOLDING, event))).toEqual([
      true,
      true,
      false,
      true,
    ]);
    const long = storeOf(partOf(0, 2_001));
    expect(isOpen(long, AUTO_FOLDING, 0)).toBe(false);
  });

  test('one event is unfolded against the rule, and all by one key', () => {
    const long = storeOf(partOf(0, 2_001));
    const one = toggled(AUTO_FOLDING, 5);
    expect([isOpen(long, one, 5), isOpen(long, one, 4)]).toEqual([true, false]);
    expect(opened(long, one, 5)).toBe(one);
    const all = foldedOrOpened(long, one);
    expect([isOpen(long, all, 4), isOpen(long, foldedOrOpened(long, all), 4)]).toEqual([true, false]);
  });

  test('a gap needs a line more', () => {
    const store = storeOf(partOf(0, 2_001, { columns: { flags: [0, EVENT_FLAGS.gapBefore] } }));
    expect(heightGuess(store, AUTO_FOLDING, 1) - heightGuess(store, AUTO_FOLDING, 0)).toBe(28);
  });
});

describe('bodies', () => {
  const settled = () => new Promise((resolve) => setTimeout(resolve, 5));

  test('are asked for in pages, again where an answer is short, and the oldest go', async () => {
    const asked: number[] = [];
    const bodies = new EventBodies(async (from, limit) => {
      asked.push(from);
      const count = Math.min(limit, 20);
      return {
        from,
        events: Array.from({ length: count }, (_, at) => ({ event: from + at })),
        messages: { 3: 'm' },
      };
    });
    bodies.want([5, 6, 120]);
    expect(bodies.get(5)).toBeUndefined();
    await settled();
    expect(asked.sort((a, b) => a - b)).toEqual([0, 20, 40, 100, 120, 140]);
    expect(bodies.get(5)).toEqual({ event: 5 });
    expect(bodies.messageOf(5, 3)).toBe('m');
    for (let page = 10; page < 60; page++) {
      bodies.want([page * PAGE_EVENTS]);
      await settled();
    }
    expect(bodies.size).toBeLessThanOrEqual(20);
    expect(bodies.get(5)).toBeUndefined();
    expect(bodies.get(59 * PAGE_EVENTS)).toEqual({ event: 59 * PAGE_EVENTS });
  });

  test('what nobody wants any more is not loaded to its end', async () => {
    const signals: AbortSignal[] = [];
    const bodies = new EventBodies((from, _, signal) => {
      signals.push(signal);
      return new Promise((resolve) => signal.addEventListener('abort', () => resolve({ from, events: [] })));
    });
    bodies.want([0]);
    bodies.want([500]);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
  });

  test('an error is told for the events of its page, and can be tried again', async () => {
    let isBroken = true;
    const bodies = new EventBodies(async (from) => {
      if (isBroken) throw new Error('gone');
      return { from, events: Array.from({ length: 50 }, (_, at) => from + at) };
    });
    bodies.want([3]);
    await settled();
    expect(bodies.errorOf(3)).toEqual(new Error('gone'));
    isBroken = false;
    bodies.retry(3);
    await settled();
    expect([bodies.get(3), bodies.errorOf(3)]).toEqual([3, undefined]);
  });
});
