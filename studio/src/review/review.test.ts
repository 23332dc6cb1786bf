import { describe, expect, test } from 'vitest';
import type { Note, ReviewItem } from '../../../src/server/api.ts';
import {
  backFrom,
  cellsOf,
  choicesFor,
  inSeenOrder,
  isShown,
  kappaWords,
  keyOf,
  lastWords,
  nextItem,
  previousItem,
  runMoment,
  withJudged,
} from './queue.ts';

const verdict = (given: NonNullable<Note['verdict']>, by = 'Ada', time = '2026-11-14T00:00:00Z'): Note => ({
  id: `${by} ${time}`,
  run: 'r',
  kind: 'verdict',
  by,
  time,
  verdict: given,
});
const item = (sample: string, outcome: ReviewItem['outcome'], ...verdicts: readonly Note[]): ReviewItem => ({
  run: 'r',
  eval: 'e',
  target: 't',
  sample,
  epoch: 1,
  outcome,
  input: '',
  verdicts: [...verdicts],
});

describe('agreement', () => {
  test('counts the last word of each person', () => {
    const notes = [verdict('pass'), verdict('fail', 'Ada', '2026-11-15T00:00:00Z'), verdict('pass', 'Bo')];
    expect(lastWords(notes).map((note) => [note.by, note.verdict])).toEqual([
      ['Ada', 'fail'],
      ['Bo', 'pass'],
    ]);
    expect(cellsOf(item('s', 'pass', ...notes))).toEqual(['onlyScorerPasses', 'bothPass']);
  });

  test('is told only where the scorer said that it passes or fails', () => {
    expect(cellsOf(item('s', 'fail', verdict('pass')))).toEqual(['onlyPeoplePass']);
    expect(cellsOf(item('s', 'fail', verdict('fail')))).toEqual(['bothFail']);
    expect(cellsOf(item('s', 'partial', verdict('fail')))).toEqual([]);
    expect(cellsOf(item('s', 'error', verdict('unsure')))).toEqual(['unsure']);
  });

  test('each cell shows its samples, and the open ones are those that nobody judged', () => {
    const judged = item('s', 'fail', verdict('pass'));
    expect([isShown(judged, 'all'), isShown(judged, 'open'), isShown(judged, 'onlyPeoplePass')]).toEqual([
      true,
      false,
      true,
    ]);
    expect(isShown(item('s', 'fail'), 'open')).toBe(true);
  });

  test('has words', () => {
    expect([undefined, -0.1, 0.3, 0.5, 0.61, 0.9].map((kappa) => kappaWords(kappa, 10))).toEqual([
      'κ cannot be told: all verdicts are the same',
      'hardly any agreement beyond chance',
      'weak agreement',
      'moderate agreement',
      'good agreement',
      'very good agreement',
    ]);
  });
});

test('kappa is not told from a few verdicts: how many are missing is', () => {
  expect([kappaWords(0, 2), kappaWords(undefined, 0)]).toEqual([
    'κ is told from 10 verdicts on: 8 more',
    'κ is told from 10 verdicts on: 10 more',
  ]);
});

describe('the queue', () => {
  const [a, b, c, d] = [item('a', 'fail'), item('b', 'fail'), item('c', 'pass'), item('d', 'pass')];

  test('stays in its order when the server puts what was judged last; what is new comes last', () => {
    const judged = { ...a, verdicts: [verdict('fail')] };
    const ordered = inSeenOrder([a, b, c].map(keyOf), [d, b, c, judged]);
    expect(ordered.map(({ sample }) => sample)).toEqual(['a', 'b', 'c', 'd']);
    expect(inSeenOrder([], [b, a])).toEqual([b, a]);
  });

  test('goes on with the next that nobody judged, from the top again after the last', () => {
    const judged = { ...b, verdicts: [verdict('fail')] };
    const items = [a, judged, c];
    expect(nextItem(items, keyOf(a), { isOpen: true })?.sample).toBe('c');
    expect(nextItem(items, keyOf(c), { isOpen: true })?.sample).toBe('a');
    expect(nextItem(items, keyOf(a), { isOpen: false })?.sample).toBe('b');
    expect(nextItem([judged], keyOf(judged), { isOpen: true })).toBeUndefined();
    expect(previousItem(items, keyOf(c))?.sample).toBe('b');
    expect(previousItem(items, keyOf(a))).toBeUndefined();
  });

  test('Back goes the way that one came, past where one is', () => {
    expect(backFrom(['a', 'b'], 'c')).toEqual({ key: 'b', left: ['a'] });
    expect(backFrom(['a', 'b', 'b'], 'b')).toEqual({ key: 'a', left: [] });
    expect(backFrom([], 'b')).toEqual({ key: undefined, left: [] });
  });

  test('what was judged in this visit stays, also where the server does not tell it any more', () => {
    const judged = new Map([[keyOf(a), a]]);
    expect(withJudged([b, c], judged)).toEqual([b, c, a]);
    expect(withJudged([a, b], judged)).toEqual([a, b]);
  });

  test('runs are told apart by when they began', () => {
    expect(runMoment('20261114T093000000-AAAAAAAAAA')).toMatch(/^11-1\d \d\d:\d0$/);
    expect(runMoment('Kx9ab12')).toBe('x9ab12');
  });

  test('1 agrees with the scorer, 2 does not; where it said neither, they are the verdict itself', () => {
    const verdicts = (outcome: ReviewItem['outcome']) => choicesFor(outcome).map((choice) => choice.verdict);
    expect(verdicts('pass')).toEqual(['pass', 'fail', 'unsure']);
    expect(verdicts('fail')).toEqual(['fail', 'pass', 'unsure']);
    expect(verdicts('partial')).toEqual(['pass', 'fail', 'unsure']);
    expect(choicesFor('fail').map(({ hotkey }) => hotkey)).toEqual(['1', '2', '3']);
  });
});
