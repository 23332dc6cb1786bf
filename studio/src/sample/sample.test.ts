import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { SampleOrder, Skeleton } from '../../../src/server/api.ts';
import { languageNamed, languageOfFile } from './content/languages.ts';
import { countLines, firstLines, prettyJson } from './content/output-text.ts';
import { hasMarkup } from './content/prose-text.ts';
import { pieceOfRow, rowCount, stretchOfPiece, textOfRow } from './content/text-rows.ts';
import { answeredMessages, inputCount } from './events/answered.ts';
import { languageOfArgument, mainArgument } from './events/main-argument.ts';
import { firstFrom, NOTHING_FOUND, nextHit, saidOf, withLine } from './find/find-state.ts';
import { neighbour, placeIn } from './head/sample-order.ts';
import { axisScale, lanePicture, MARK } from './overview/lane-picture.ts';
import { nodeAt, outlineNodes, shownNodes } from './overview/outline-nodes.ts';
import { SkeletonStore } from './transcript/skeleton-store.ts';

describe('a long text in rows', () => {
  const line = fc.string({ maxLength: 200 });
  const text = fc
    .array(fc.oneof(line, fc.constant('x'.repeat(9_000)), fc.constant('')), { maxLength: 400 })
    .map((lines) => lines.join('\n'));

  /** Rows as they are seen: each from its own piece. */
  function rowsOf(whole: string): string[] {
    return Array.from({ length: rowCount(whole.length) }, (_, row) => {
      const { from, to } = stretchOfPiece(pieceOfRow(row), whole.length);
      return textOfRow(row, { from, text: whole.slice(from, to) });
    });
  }

  test('has every line once, and breaks only what is longer than a row', () => {
    fc.assert(
      fc.property(text, (whole) => {
        const rows = rowsOf(whole);
        const plain = whole.endsWith('\n') ? whole.slice(0, -1) : whole;
        expect(rows.join('').replaceAll('\n', '')).toBe(plain.replaceAll('\n', ''));
        const lines = new Set(whole.split('\n'));
        for (const row of rows)
          for (const seen of row.split('\n'))
            if (seen.length < 200) expect(isWholeOrLong(lines, seen)).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  function isWholeOrLong(lines: ReadonlySet<string>, seen: string): boolean {
    return lines.has(seen) || /^x*$/.test(seen);
  }

  test('a text without any line break is shown to its end', () => {
    const whole = 'y'.repeat(1_000_000);
    expect(rowsOf(whole).join('')).toBe(whole);
  });
});

describe('what a text is', () => {
  test('plain sentences need no Markdown', () => {
    expect(['Just words, and a number: 3.', 'A *word*', '1. a list', 'see https://x'].map(hasMarkup)).toEqual(
      [false, true, true, true],
    );
  });

  test('lines are counted, and the first of them cut off', () => {
    expect([countLines(''), countLines('a\nb\n'), countLines('a\nb')]).toEqual([1, 2, 2]);
    expect([firstLines('a\nb\nc', 2), firstLines('a', 2)]).toEqual(['a\nb', 'a']);
  });

  test('only JSON is laid out as JSON', () => {
    expect(prettyJson('{"a":1}')).toBe('{\n  "a": 1\n}');
    expect([prettyJson('[not json]'), prettyJson('words')]).toEqual([undefined, undefined]);
  });

  test('languages have many names', () => {
    expect([languageNamed('PY'), languageNamed('c++'), languageNamed('klingon')]).toEqual([
      'python',
      'c',
      undefined,
    ]);
    expect([languageOfFile('src/a.ts'), languageOfFile('Makefile')]).toEqual(['tsx', undefined]);
    expect([languageOfArgument('bash', 'cmd'), languageOfArgument('python', 'code')]).toEqual([
      'bash',
      'python',
    ]);
  });

  test('the argument that says most comes first', () => {
    expect(mainArgument({ timeout: 3, cwd: '/', cmd: 'ls' })).toEqual({ key: 'cmd', text: 'ls' });
    expect(mainArgument({ timeout: 3 })).toBeUndefined();
    expect(mainArgument('plain')).toBeUndefined();
  });
});

describe('what a model call answers', () => {
  const roles = ['system', 'user', 'assistant', 'tool', 'tool'];
  const told =
    (...positions: readonly number[]) =>
    (position: number) =>
      positions.includes(position) ? { role: roles[position] ?? '' } : undefined;

  test('is what came after the model spoke last', () => {
    const body = { input_refs: [[0, 5]] };
    expect(inputCount(body)).toBe(5);
    expect(answeredMessages(body, told(0, 1, 3, 4)).map(({ position }) => position)).toEqual([3, 4]);
  });

  test('is everything at first, also over several ranges', () => {
    const body = { input_refs: [[0, 1], [1, 2], ['x', 2], 7] };
    expect(answeredMessages(body, told(0, 1)).map(({ position }) => position)).toEqual([0, 1]);
    expect(inputCount({ input: [1, 2, 3] })).toBe(3);
  });
});

describe('finding', () => {
  const hit = (event: number) => ({ event, before: '', hit: 'x', after: '' });

  test('says how far it is, and never more than it knows', () => {
    let found = NOTHING_FOUND;
    expect(saidOf(found, undefined)).toBe('0 % searched');
    found = withLine(found, { scanned: 62, of: 100, isDone: false, isAll: true, hits: [hit(3), hit(9)] });
    expect(saidOf(found, 0)).toBe('1 of ≥ 2 · 62 % searched');
    found = withLine(found, { scanned: 100, of: 100, isDone: true, isAll: true, hits: [hit(80)] });
    expect(saidOf(found, 2)).toBe('3 of 3');
    expect(saidOf({ ...found, isAll: false }, 2)).toBe('3 of ≥ 3');
    expect(saidOf({ ...found, hits: [] }, undefined)).toBe('Not found');
  });

  test('begins where one is, and goes around', () => {
    const hits = [hit(3), hit(9), hit(80)];
    expect([firstFrom(hits, 5), firstFrom(hits, 99), firstFrom([], 5)]).toEqual([1, 0, undefined]);
    expect([nextHit(3, 2, 1), nextHit(3, 0, -1), nextHit(3, undefined, 1), nextHit(0, undefined, 1)]).toEqual(
      [0, 2, 0, undefined],
    );
  });
});

describe('samples beside this one', () => {
  const keys: SampleOrder['keys'] = [
    ['a', 1, 'pass'],
    ['a', 2, 'fail'],
    [7, 1, 'pass'],
    ['c', 1, 'error'],
  ];

  test('are found by id and epoch, whether ids are words or numbers', () => {
    expect([placeIn(keys, { id: '7', epoch: 1 }), placeIn(keys, { id: 'x', epoch: 1 })]).toEqual([2, -1]);
  });

  test('are the next, or the next that fails, and nothing after the last', () => {
    expect(neighbour(keys, { from: 0, step: 1, isFailing: false })).toEqual({ id: 'a', epoch: 2 });
    expect(neighbour(keys, { from: 1, step: 1, isFailing: true })).toEqual({ id: 'c', epoch: 1 });
    expect(neighbour(keys, { from: 3, step: 1, isFailing: false })).toBeUndefined();
    expect(neighbour(keys, { from: -1, step: 1, isFailing: false })).toEqual({ id: 'a', epoch: 1 });
    expect(neighbour(keys, { from: -1, step: -1, isFailing: false })).toEqual({ id: 'c', epoch: 1 });
  });
});

/** main: span, turn 1, tool, turn 2, then a sub-agent. */
function smallStore(): SkeletonStore {
  const store = new SkeletonStore();
  const columns: Skeleton['columns'] = {
    kind: [0, 1, 2, 1, 0, 1, 3],
    lane: [0, 0, 0, 0, 1, 1, 0],
    depth: [0, 1, 1, 1, 1, 2, 0],
    turn: [0, 1, 1, 2, 2, 2, 2],
    start: [0, 10, 20, 30, 50, 60, 90],
    durationMs: [0, 10, 10, 20, 30, 30, 10],
    tokens: [0, 5, 0, 5, 0, 5, 0],
    usd: [0, 0, 0, 0, 0, 0, 0],
    flags: [0, 0, 1, 0, 0, 0, 16],
    sizeBytes: [1, 1, 1, 1, 1, 1, 1],
    label: ['main', 'said', 'bash', 'said', 'reviewer', 'fine', 'C'],
  };
  store.put({
    from: 0,
    known: 7,
    isWhole: true,
    progress: 1,
    kinds: ['span_begin', 'model', 'tool', 'score'],
    kindsFrom: 0,
    lanes: ['main', 'reviewer'],
    lanesFrom: 0,
    columns,
  });
  return store;
}

describe('the overview', () => {
  test('has a place for every event on either axis, in order', () => {
    const store = smallStore();
    for (const axis of ['events', 'time'] as const) {
      const scale = axisScale(store, axis, 700);
      const places = Array.from({ length: 7 }, (_, event) => scale.x(event));
      expect(places.toSorted((a, b) => a - b)).toEqual(places);
      for (let event = 0; event < 7; event++) expect(scale.event(scale.x(event))).toBe(event);
    }
  });

  test('marks who did what, and where it failed', () => {
    const picture = lanePicture(smallStore(), 'events', 70);
    expect(picture.lanes).toEqual(['main', 'reviewer']);
    expect([picture.marks[10], picture.marks[20], picture.marks[70 + 50]]).toEqual([
      MARK.model,
      MARK.tool,
      MARK.model,
    ]);
    expect([picture.failures[20], picture.failures[30], picture.gaps[60]]).toEqual([1, 0, 1]);
  });

  test('the outline has turns with what was done in them', () => {
    const store = smallStore();
    const nodes = outlineNodes(store);
    expect(Array.from(nodes.events.subarray(0, nodes.count))).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expect(Array.from(nodes.within.subarray(0, nodes.count))).toEqual([0, 1, 0, 2, 0, 0, 0]);
    const folded = shownNodes(nodes, new Set([1, 3]));
    expect(Array.from(folded)).toEqual([0, 1, 3, 6]);
    expect([nodeAt(nodes, folded, 2), nodeAt(nodes, folded, 5), nodeAt(nodes, folded, 6)]).toEqual([1, 2, 3]);
  });
});
