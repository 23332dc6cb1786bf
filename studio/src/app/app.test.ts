import { describe, expect, test } from 'vitest';
import { hasWords } from './has-words.ts';
import { addressAt } from './pinned-address.ts';
import { placeName } from './place-name.ts';
import { choiceField, numberField, textField } from './search-fields.ts';
import { parseSearch, stringifySearch } from './search-params.ts';

describe('what stands after the question mark', () => {
  test.each([
    [{ q: 'eval:swe* cost>5', sort: '-start' }, '?q=eval:swe*+cost>5&sort=-start'],
    [{ q: '', sort: undefined, cols: null }, ''],
    [{ q: 'a&b=c+d %23 #1' }, '?q=a%26b%3Dc%2Bd+%2523+%231'],
    [{ runs: 'a,b' }, '?runs=a,b'],
    [{ q: '30' }, '?q=30'],
  ])('%o is written %s', (search, text) => expect(stringifySearch(search)).toBe(text));

  test.each(['eval:swe* "a b" cost>5', 'ü日本 & = + % # ? /', '\\"'])('%s comes back as it was', (q) => {
    expect(parseSearch(stringifySearch({ q }))).toEqual({ q });
  });

  test('nonsense in an address is as if it were not there', () => {
    expect(choiceField(['table', 'plots']).parse('pie')).toBe('table');
    expect(choiceField(['table', 'plots']).parse(undefined)).toBe('table');
    expect(textField.parse('x'.repeat(10_000))).toBe('');
    expect(numberField.parse('-3')).toBe(undefined);
    expect(numberField.parse('3')).toBe(3);
  });
});

test('an address is put at a commit, and taken from it, with all else that it says', () => {
  const here = { origin: 'http://127.0.0.1:4400', pathname: '/runs/a%2Fb', search: '?q=eval:swe*+cost>5' };
  const pinned = 'http://127.0.0.1:4400/runs/a%2Fb?q=eval:swe*+cost>5&at=4df0a64';
  expect(addressAt(here, '4df0a64')).toBe(pinned);
  expect(addressAt(new URL(pinned), undefined)).toBe(`${here.origin}${here.pathname}${here.search}`);
  expect(addressAt({ ...here, search: '?at=4df0a64' }, undefined)).toBe(`${here.origin}${here.pathname}`);
});

test('the palette finds words in any order and case', () => {
  expect(hasWords('Eval swe-lite', 'LITE eval')).toBe(true);
  expect(hasWords('Eval swe-lite', 'lite run')).toBe(false);
  expect(hasWords('anything', '')).toBe(true);
});

test.each([
  ['/home/ada/evals/.git#holdfast/results', 'evals'],
  ['/home/ada/evals/logs/', 'logs'],
  ['s3://team/logs', 'logs'],
  ['/home/ada/evals/.holdfast', 'evals'],
  ['/', '/'],
])('%s is called %s', (place, name) => expect(placeName(place)).toBe(name));
