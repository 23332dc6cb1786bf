import { describe, expect, test } from 'vitest';
import { type LiveEvent, ROUTES, type RouteName } from '../../../src/server/api.ts';
import { addressOf } from './address.ts';
import { isConcerned, isConcernedThen } from './concerned.ts';
import { eventsOf } from './event-stream.ts';
import { pagesFor, placeOf } from './page-range.ts';
import { problemOfAnswer } from './problem-error.ts';
import { PARAMS } from './studio-data.ts';

function bodyOf(...pieces: string[]): ReadableStream<Uint8Array<ArrayBuffer>> {
  const encoder = new TextEncoder();
  return new ReadableStream({
    start(controller) {
      for (const piece of pieces) controller.enqueue(encoder.encode(piece));
      controller.close();
    },
  });
}

describe('addresses', () => {
  test('the parts that a route is asked with are those of its path', () => {
    const names = Object.keys(ROUTES) as RouteName[];
    for (const name of names) {
      const inPath = [...ROUTES[name].path.matchAll(/:(\w+)/g)].map(([, key]) => key);
      expect([name, PARAMS[name]]).toEqual([name, inPath]);
    }
  });

  test('parts are encoded, and what is empty is left out', () => {
    const address = addressOf(
      'samples',
      { run: 'a/b?c' },
      { q: 'x y&z', sort: '', score: undefined, limit: 5 },
    );
    expect(address).toBe('/api/runs/a%2Fb%3Fc/samples?q=x+y%26z&limit=5');
  });
});

test('a commit goes with every question, under another name where a route has an "at" of its own', () => {
  expect(addressOf('runs', {}, { q: 'x' }, '4df0a64')).toBe('/api/runs?q=x&at=4df0a64');
  const sample = { run: 'r', sample: 's', epoch: 1 };
  expect(addressOf('text', sample, { at: 'place' }, '4df0a64')).toBe(
    '/api/runs/r/samples/s/1/text?at=place&pin=4df0a64',
  );
});

test('of what was at a commit only whether newer results exist is asked again', () => {
  const events: LiveEvent[] = [{ kind: 'runs', runs: ['x'] }, { kind: 'reset' }];
  for (const event of events) {
    expect(isConcernedThen(event, ['about', {}, {}])).toBe(true);
    for (const key of [
      ['runs', {}, {}],
      ['run', { run: 'x' }, {}],
    ])
      expect(isConcernedThen(event, key)).toBe(false);
  }
  expect(isConcernedThen({ kind: 'notes', runs: ['x'] }, ['about', {}, {}])).toBe(false);
});

describe('problems', () => {
  test('an answer of the server is told in its words', () => {
    const error = { code: 'E_RUN_UNKNOWN', message: 'No run "x".', hint: 'Look.' };
    expect(problemOfAnswer(404, JSON.stringify({ error }))).toMatchObject({ ...error, status: 404 });
  });

  test('what is no answer of ours is told as that', () => {
    expect(problemOfAnswer(502, '<html>')).toMatchObject({ code: 'E_STUDIO_ANSWER', status: 502 });
  });
});

describe('the event stream', () => {
  test('events come whole, however the bytes were cut', async () => {
    const events = [];
    const text = ': hello\n\nid: 7\ndata: {"a":\ndata: "é"}\n\nid: 8\r\ndata: 2\r\n\r\ndata: cut off';
    const bytes = [...new TextEncoder().encode(text)];
    const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
      start(controller) {
        for (const byte of bytes) controller.enqueue(new Uint8Array([byte]));
        controller.close();
      },
    });
    for await (const event of eventsOf(body)) events.push(event);
    expect(events).toEqual([
      { id: '7', data: '{"a":\n"é"}' },
      { id: '8', data: '2' },
    ]);
  });

  test('an event without an id keeps the last', async () => {
    const ids = [];
    for await (const { id } of eventsOf(bodyOf('id: 1\ndata: a\n\n', 'data: b\n\n'))) ids.push(id);
    expect(ids).toEqual(['1', '1']);
  });
});

describe('what an event concerns', () => {
  const runs = ['runs', {}, { q: '' }];
  const runX = ['run', { run: 'x' }, {}];
  const compareXY = ['compare', {}, { runs: 'x,y' }];

  test('a run under way concerns the list and whatever is of it', () => {
    const event: LiveEvent = { kind: 'run', run: 'x', samples: [], isFinished: false };
    expect([runs, runX, compareXY].map((key) => isConcerned(event, key))).toEqual([true, true, true]);
    expect(isConcerned(event, ['run', { run: 'y' }, {}])).toBe(false);
  });

  test('a change of the list concerns lists, and the runs that it names', () => {
    const event: LiveEvent = { kind: 'runs', runs: ['y'] };
    expect([runs, runX, compareXY].map((key) => isConcerned(event, key))).toEqual([true, false, true]);
  });

  test('notes concern what shows them; a reset everything', () => {
    expect(isConcerned({ kind: 'notes', runs: ['x'] }, runX)).toBe(true);
    expect(isConcerned({ kind: 'notes', runs: ['x'] }, ['skeleton', { run: 'x' }, {}])).toBe(false);
    expect(isConcerned({ kind: 'reset' }, ['skeleton', { run: 'x' }, {}])).toBe(true);
  });
});

describe('pages of a list', () => {
  test('those that are seen are asked for, with two screens around them', () => {
    expect(pagesFor({ first: 0, last: 24 }, 10_000, 200)).toEqual([0]);
    expect(pagesFor({ first: 160, last: 184 }, 10_000, 200)).toEqual([0, 200]);
    expect(pagesFor({ first: 900, last: 924 }, 10_000, 200)).toEqual([800]);
    expect(pagesFor({ first: 990, last: 1_014 }, 10_000, 200)).toEqual([800, 1_000]);
  });

  test('none is asked for beyond the end', () => {
    expect(pagesFor({ first: 180, last: 204 }, 205, 200)).toEqual([0, 200]);
    expect(pagesFor({ first: 170, last: 199 }, 200, 200)).toEqual([0]);
    expect(pagesFor({ first: 0, last: 24 }, 0, 200)).toEqual([0]);
  });

  test('a row is known by its page and its place in it', () => {
    expect(placeOf(0, 200)).toEqual({ offset: 0, within: 0 });
    expect(placeOf(1_234, 200)).toEqual({ offset: 1_200, within: 34 });
  });
});
