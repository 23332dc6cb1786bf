import { expect, test } from 'vitest';
import { matchesFilter, readRow, withExtraAsMetadata } from './row.ts';
import { fillTemplate, readPath, valuesAt } from './template.ts';

test('a template is filled from paths, and what is not there stays', () => {
  const values = { input: 'q', metadata: { n: [1, { x: true }] } };
  expect(
    fillTemplate('{{input}} {{ metadata.n.1.x }} {{metadata.n}} {{nope}} {{input.length}}', valuesAt(values)),
  ).toBe('q true [1,{"x":true}] {{nope}} {{input.length}}');
  expect(readPath(values, '__proto__')).toBeUndefined();
});

test('what a value holds is never filled in again', () => {
  expect(fillTemplate('{{a}}', valuesAt({ a: '{{b}} $& $1', b: 'no' }))).toBe('{{b}} $& $1');
});

test('a filter compares fields by path', () => {
  const row = { id: 7, input: 'q', metadata: { topic: 'art', n: 1 } };
  expect(matchesFilter(row, { 'metadata.topic': 'art' })).toBe(true);
  expect(matchesFilter(row, { 'metadata.topic': ['law', 'art'], id: '7' })).toBe(true);
  expect(matchesFilter(row, { 'metadata.topic': 'law' })).toBe(false);
  expect(matchesFilter(row, { 'metadata.other': 'x' })).toBe(false);
});

test('a filter takes every JSON, also objects that cannot be made text by themselves', () => {
  const row = { id: 1, input: 'q', metadata: { odd: { toString: null }, list: [1] } };
  expect(matchesFilter(row, { 'metadata.odd': 'x' })).toBe(false);
  expect(matchesFilter(row, { 'metadata.list': { toString: false } })).toBe(false);
});

test('a row keeps its known fields; null means absent', () => {
  expect(readRow({ input: 'q', target: null, id: null, choices: null, metadata: null })).toEqual({
    row: { input: 'q' },
  });
  expect(readRow({ input: null })).toHaveProperty('problem');
});

test('further columns become metadata, and metadata wins', () => {
  expect(withExtraAsMetadata({ input: 'q', a: 1, b: 2, metadata: { a: 3 } })).toMatchObject({
    metadata: { a: 3, b: 2 },
  });
  expect(withExtraAsMetadata({ input: 'q', a: 1, metadata: 'text' })).toMatchObject({ metadata: 'text' });
});
