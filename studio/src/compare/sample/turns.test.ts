import { describe, expect, test } from 'vitest';
import { deedsOf, onlyHere } from './deeds.ts';
import { epochsOfBoth } from './epochs-of-both.ts';
import { type AlignedRow, changedBlocks, foldTurns, foldWords, numbered } from './fold-turns.ts';

const turn = (label: string) => ({ from: 0, to: 1, label, text: label, tools: [] });
const row = (is: AlignedRow['is']): AlignedRow => ({
  is,
  ...(is !== 'only b' && { a: turn('a') }),
  ...(is !== 'only a' && { b: turn('b') }),
});
const ROWS = ['same', 'same', 'changed', 'only a', 'same', 'only b', 'same', 'same'].map((is) =>
  row(is as AlignedRow['is']),
);

describe('turns', () => {
  test('have their own number on each side', () => {
    expect(numbered(ROWS).map(({ aNumber, bNumber }) => [aNumber, bNumber])).toEqual([
      [1, 1],
      [2, 2],
      [3, 3],
      [4, undefined],
      [5, 4],
      [undefined, 5],
      [6, 6],
      [7, 7],
    ]);
  });

  test('that are the same are folded, each stretch into one line; the first that differs is marked', () => {
    const blocks = foldTurns(ROWS, 2, new Set());
    expect(blocks.map((block) => (block.kind === 'fold' ? foldWords(block.rows) : block.row.is))).toEqual([
      'Turns 1–2 are the same',
      'changed',
      'only a',
      'Turn 5 of A is turn 4 of B',
      'only b',
      'Turns 6–7 are the same',
    ]);
    expect(
      blocks.flatMap((block, at) => (block.kind === 'row' && block.isFirstDivergence ? [at] : [])),
    ).toEqual([1]);
    expect(changedBlocks(blocks)).toEqual([1, 2, 4]);
  });

  test('a stretch that is opened keeps its line, and shows its turns after it', () => {
    const blocks = foldTurns(ROWS, 2, new Set([0]));
    expect(blocks.slice(0, 4).map(({ kind }) => kind)).toEqual(['fold', 'row', 'row', 'row']);
    expect(blocks[0]).toMatchObject({ isOpen: true });
  });

  test('transcripts that are the same all through are shown, and can be folded; nothing is none', () => {
    const rows = [row('same'), row('same'), row('same')];
    expect(foldTurns(rows, undefined, new Set()).map(({ kind }) => kind)).toEqual([
      'fold',
      'row',
      'row',
      'row',
    ]);
    expect(foldTurns(rows, undefined, new Set([0]))).toHaveLength(1);
    expect(foldTurns([], undefined, new Set())).toEqual([]);
  });
});

describe('what was done in a turn', () => {
  test('is told apart by the marks at the beginnings of lines', () => {
    expect(deedsOf('I look.\nThen I act.\n→ bash ls\n← one\ntwo\n\n! it broke')).toEqual([
      { kind: 'say', text: 'I look.\nThen I act.' },
      { kind: 'call', text: 'bash ls' },
      { kind: 'result', text: 'one\ntwo' },
      { kind: 'error', text: 'it broke' },
    ]);
    expect(deedsOf('')).toEqual([]);
    expect(deedsOf('→')).toEqual([{ kind: 'say', text: '→' }]);
  });

  test('what the other side has not got is marked', () => {
    const here = deedsOf('same\n→ bash ls\n← new');
    expect(onlyHere(here, deedsOf('same\n→ bash ls\n← old'))).toEqual([false, false, true]);
    expect(onlyHere(here, [])).toEqual([true, true, true]);
  });
});

test('epochs say how they ended on both sides', () => {
  const a = [
    { epoch: 1, outcome: 'pass' as const },
    { epoch: 2, outcome: 'pass' as const },
  ];
  const b = [
    ...a.slice(0, 1),
    { epoch: 2, outcome: 'fail' as const },
    { epoch: 3, outcome: 'fail' as const },
  ];
  expect(epochsOfBoth(a, b).map(({ said }) => said)).toEqual([
    'passed',
    'A passed, B failed',
    'A missing, B failed',
  ]);
});
