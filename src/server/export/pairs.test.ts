import { expect, test } from 'vitest';
import type { RunItem } from '../api.ts';
import { pairsOf } from './pairs.ts';

function item(run: string, name: string, target: string): RunItem {
  return {
    run,
    form: 'log',
    place: '',
    name: run,
    facts: {
      eval: name,
      target,
      tags: [],
      status: 'success',
      samples: { total: 1, completed: 1, errored: 0 },
      scores: [],
      usd: null,
      start: '',
      end: '',
      durationMs: 0,
    },
  };
}

/** Newest first, targets in turn. */
const runs = (name: string, count: number) =>
  Array.from({ length: count }, (_, n) => item(`${99 - n}-${name}`, name, `target-${n % 3}`));

test('of each eval every run is compared with the one before it, and with the one before it of its target, however many there are', () => {
  const items = [...runs('a', 40), ...runs('b', 5)];
  const pairs = pairsOf(items, { most: 0 }).map((pair) => pair.join(' '));
  expect(pairs).toContain('60-a 61-a');
  expect(pairs).toContain('96-a 99-a');
  expect(pairs).toContain('95-b 96-b');
  expect(pairs.length).toBe(39 + 37 + 4 + 2);
  expect(new Set(pairs).size).toBe(pairs.length);
});

test('the others come newest first, and no more than are wanted', () => {
  const items = runs('a', 10);
  const all = pairsOf(items, { most: 1_000 });
  expect(all.length).toBe(45);
  expect(all.every(([before, after]) => before < after)).toBe(true);
  expect(all.slice(0, 3)).toEqual([
    ['98-a', '99-a'],
    ['97-a', '99-a'],
    ['96-a', '99-a'],
  ]);
  const some = pairsOf(items, { most: 20 }).map((pair) => pair.join(' '));
  expect(some.length).toBe(20);
  expect(some).toContain('94-a 99-a');
  expect(some).not.toContain('90-a 92-a');
});

test('runs of different evals, and what cannot be read, are compared with nothing', () => {
  const torn: RunItem = { run: '97-x', form: 'log', place: '', name: '', damage: 'torn' };
  expect(pairsOf([item('99', 'a', 't'), torn, item('98', 'b', 't')], { most: 100 })).toEqual([]);
});

test('a few runs that were named are compared each with each, whatever they are of', () => {
  const items = [item('99', 'a', 't'), item('98', 'b', 't'), item('97', 'c', 't')];
  const pairs = pairsOf(items, { named: ['97', '99'], most: 0 });
  expect(pairs).toEqual([['97', '99']]);
});
