import { expect, test } from 'vitest';
import { nodesOf } from './nodes-of.ts';

test('of each writer it is known with which Node it ran, and those that are alike are only counted', () => {
  const records = [
    { writer: 'd', node: '24.10.0' },
    { writer: 'a', node: '24.11.1' },
    { writer: 'c', node: '24.10.0' },
    { writer: 'e' },
    { writer: 'b', node: '24.11.1' },
    { writer: 'f', node: '24.11.1' },
  ];
  expect(nodesOf(records)).toEqual([
    { version: '24.11.1', writers: 3 },
    { version: '24.10.0', writers: 2, names: ['c', 'd'] },
    { version: 'unknown', writers: 1, names: ['e'] },
  ]);
  expect(nodesOf([])).toEqual([]);
});
