import { expect, test } from 'vitest';
import type { ComparedCell, ComparedSample } from '../server/api.ts';
import { compileComparedQuery } from './compared-query.ts';
import { completeComparedQuery } from './complete-query.ts';

const cell = (outcome: ComparedCell['outcome'], number?: number): ComparedCell => ({
  outcome,
  epochs: 1,
  usd: null,
  ...(number === undefined ? {} : { number }),
});
const sample = (id: string, ...cells: readonly ComparedCell[]): ComparedSample => ({
  id,
  input: `input of ${id}`,
  cells: [...cells],
  is: 'same',
});

const ALL = [
  sample('both', cell('pass', 1), cell('pass', 1), cell('fail', 0)),
  sample('lost', cell('pass', 1), cell('fail', 0), cell('pass', 1)),
  sample('half', cell('partial', 0.5), cell('pass', 1), cell('error')),
  sample('new', cell('missing'), cell('fail', 0), cell('missing')),
];
const idsOf = (q: string) => ALL.filter(compileComparedQuery(q).matches).map(({ id }) => id);

test('a letter asks for what became of a sample in that run alone', () => {
  expect(idsOf('a:pass b:fail')).toEqual(['lost']);
  expect(idsOf('a:pass c:fail')).toEqual(['both']);
  expect(idsOf('a:missing -b:missing')).toEqual(['new']);
  expect(idsOf('c:error')).toEqual(['half']);
  expect(idsOf('-a:missing -b:missing -((a:pass or a:fail) (b:pass or b:fail))')).toEqual(['half']);
});

test('a letter with a number asks for the score in that run; what has none matches no comparison', () => {
  expect(idsOf('a>=0.5 a<1')).toEqual(['half']);
  expect(idsOf('c<=1')).toEqual(['both', 'lost']);
  expect(idsOf('b:1')).toEqual(['both', 'half']);
});

test('up and down name the run that moved', () => {
  expect(idsOf('down:b')).toEqual(['lost']);
  expect(idsOf('up:b')).toEqual(['half']);
  expect(idsOf('down:c')).toEqual(['both']);
  expect(compileComparedQuery('up:a').wrong?.message).toBe('"up" takes one of these: b, c, d, e, f.');
});

test('what is no number is told where a number is compared', () => {
  expect(compileComparedQuery('b>much').wrong).toEqual({
    at: 2,
    message: '"much" is no value of b: write 0.5, pass or fail.',
  });
});

test('letters and outcomes are offered while a filter is written', () => {
  expect(completeComparedQuery('b:', 2).items.map(({ text }) => text)).toEqual(
    expect.arrayContaining(['pass', 'fail', 'missing']),
  );
  expect(completeComparedQuery('', 0).items.map(({ text }) => text)).toEqual(
    expect.arrayContaining(['flips:', 'is:']),
  );
});
