import { describe, expect, test } from 'vitest';
import { StateTracker } from './state-tracker.ts';

const add = (path: string, value: unknown) => ({ op: 'add', path, value: value as never });

describe('the store', () => {
  test('an outer step repeats what inner steps changed, and nothing is added twice', () => {
    const tracker = new StateTracker({ state: { store: { notes: [] } } });
    tracker.beginSpan('outer');
    tracker.beginSpan('inner');
    tracker.changeStore('inner', [add('/notes/0', 'a')]);
    tracker.endSpan('inner');
    tracker.beginSpan('inner2');
    tracker.changeStore('inner2', [add('/notes/1', 'b')]);
    tracker.changeStore('outer', [add('/notes/0', 'a'), add('/notes/1', 'b'), add('/done', true)]);
    expect(tracker.state.store).toEqual({ notes: ['a', 'b'], done: true });
    expect(tracker.isExact).toBe(true);
  });

  test('steps that overlap see each other, and the last that ends tells the whole', () => {
    const tracker = new StateTracker({ state: { store: {} } });
    tracker.beginSpan('a');
    tracker.beginSpan('b');
    tracker.changeStore('a', [add('/x', 1)]);
    tracker.changeStore('b', [add('/x', 1), add('/y', 2)]);
    expect(tracker.state.store).toEqual({ x: 1, y: 2 });
  });

  test('what an open step has not told yet makes a change unclear, until that step ends', () => {
    const tracker = new StateTracker({ state: { store: {} } });
    tracker.beginSpan('outer');
    tracker.beginSpan('inner');
    tracker.changeStore('inner', [add('/untold/1', 'b')]);
    expect(tracker.isExact).toBe(false);
    tracker.changeStore('outer', [add('/untold', ['a', 'b'])]);
    expect(tracker.isExact).toBe(true);
    expect(tracker.state.store).toEqual({ untold: ['a', 'b'] });
  });

  test('events without a step change what is there', () => {
    const tracker = new StateTracker(undefined);
    tracker.changeStore(undefined, [add('/a', 1)]);
    tracker.changeStore('never-begun', [add('/b', 2)]);
    expect(tracker.state.store).toEqual({ a: 1, b: 2 });
  });
});

describe('the state', () => {
  test('tells store, metadata and messages, and nothing else', () => {
    const tracker = new StateTracker({
      state: { store: {}, metadata: { a: 1 }, messages: [{ role: 'user' }] },
    });
    tracker.beginSpan('solver');
    tracker.changeState('solver', [
      add('/messages/1', { role: 'assistant' }),
      add('/metadata/b', 2),
      add('/store/c', 3),
      add('/output', {}),
      add('/storeroom', 1),
    ]);
    expect(tracker.state).toEqual({
      store: { c: 3 },
      metadata: { a: 1, b: 2 },
      messages: [{ role: 'user' }, { role: 'assistant' }],
    });
    expect(tracker.hasMessages).toBe(true);
    expect(tracker.isExact).toBe(true);
  });

  test('begins with the metadata of the sample when the state does not say', () => {
    expect(new StateTracker({ sample: { metadata: { a: 1 } } }).state.metadata).toEqual({ a: 1 });
    expect(new StateTracker({}).hasMessages).toBe(false);
  });
});

test('a part of the state that is taken away altogether is empty', () => {
  const tracker = new StateTracker({ state: { store: { x: 1 }, metadata: { y: 1 }, messages: [{}] } });
  tracker.changeState(undefined, [
    { op: 'remove', path: '/store' },
    { op: 'remove', path: '/metadata' },
    { op: 'remove', path: '/messages' },
  ]);
  expect(tracker.state).toEqual({ store: {}, metadata: {}, messages: [] });
});
