import { describe, expect, test } from 'vitest';
import { fileName } from './chart-copy.ts';
import { fitColumns, gridTemplate } from './fit-columns.ts';
import { formatMoment } from './format.ts';
import { isStep, keyNames, matchKeys } from './key-spec.ts';
import { movedRow } from './moved-row.ts';
import { placeBeside } from './placed.ts';
import { linear, sparkDomain } from './spark-scale.ts';
import { stepKeys } from './step-keys.ts';
import { offered, takeCompletion } from './take-completion.ts';

describe('keys', () => {
  const press = (
    key: string,
    held: Partial<Record<'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey', boolean>> = {},
  ) => ({
    key,
    ctrlKey: false,
    metaKey: false,
    altKey: false,
    shiftKey: false,
    ...held,
  });

  test('a plain key is silent while Ctrl, ⌘ or Alt is held', () => {
    expect(isStep('j', press('j'))).toBe(true);
    for (const held of ['ctrlKey', 'metaKey', 'altKey'])
      expect(isStep('j', press('j', { [held]: true }))).toBe(false);
  });

  test('mod is Ctrl or ⌘', () => {
    expect(isStep('mod+k', press('k', { ctrlKey: true }))).toBe(true);
    expect(isStep('mod+k', press('k', { metaKey: true }))).toBe(true);
    expect(isStep('mod+k', press('k'))).toBe(false);
  });

  test('a shifted letter is another key, and so is a shifted arrow', () => {
    expect(isStep('J', press('J', { shiftKey: true }))).toBe(true);
    expect(isStep('j', press('J', { shiftKey: true }))).toBe(false);
    expect(isStep('ArrowDown', press('ArrowDown', { shiftKey: true }))).toBe(false);
    expect(isStep('shift+ArrowDown', press('ArrowDown', { shiftKey: true }))).toBe(true);
    expect(isStep('?', press('?', { shiftKey: true }))).toBe(true);
  });

  test('keys one after another are begun, then whole', () => {
    expect(matchKeys('g r', [press('g')])).toBe('begun');
    expect(matchKeys('g r', [press('g'), press('r')])).toBe('whole');
    expect(matchKeys('g r', [press('g'), press('x')])).toBe('no');
  });

  test('they are printed as on the keyboard', () => {
    expect(keyNames('g r')).toEqual(['G', 'R']);
    expect(keyNames('J')).toEqual(['⇧J']);
    expect(keyNames('ArrowDown')).toEqual(['↓']);
  });
});

describe('what opens beside a button', () => {
  const room = { width: 1_000, height: 600 };
  const size = { width: 200, height: 100 };

  test('is below it, and above where there is no room', () => {
    expect(placeBeside({ left: 10, right: 40, top: 20, bottom: 48 }, size, room)).toEqual({
      top: 52,
      left: 10,
    });
    expect(placeBeside({ left: 10, right: 40, top: 550, bottom: 578 }, size, room)).toEqual({
      top: 446,
      left: 10,
    });
  });

  test('stays within the window', () => {
    expect(placeBeside({ left: 950, right: 990, top: 20, bottom: 48 }, size, room).left).toBe(796);
    expect(placeBeside({ left: 10, right: 40, top: 20, bottom: 48 }, size, room, 'end').left).toBe(4);
  });
});

describe('columns that fall away', () => {
  const columns = [
    { id: 'name', min: 100, grow: 1, rank: 0 },
    { id: 'cost', min: 60, rank: 2 },
    { id: 'score', min: 80, rank: 1 },
  ];

  test('the least important goes first, and the order stays', () => {
    const fitting = (width: number) => fitColumns(columns, width).map(({ id }) => id);
    expect(fitting(264)).toEqual(['name', 'cost', 'score']);
    expect(fitting(263)).toEqual(['name', 'score']);
    expect(fitting(150)).toEqual(['name']);
    expect(fitting(10)).toEqual(['name']);
  });

  test('the rest of the width goes to those that grow', () => {
    expect(gridTemplate(columns)).toBe('minmax(100px, 1fr) 60px 80px');
  });
});

describe('the axis of a trend', () => {
  test('shares have at least a quarter of it, and stay between 0 and 1', () => {
    expect(sparkDomain([{ value: 0.5 }, { value: 0.52 }])).toEqual([0.385, 0.635]);
    expect(sparkDomain([{ value: 1 }])).toEqual([0.75, 1]);
    expect(sparkDomain([{ value: 0.1, low: 0, high: 0.9 }])).toEqual([0, 0.9]);
  });

  test('other numbers have what they need', () => {
    expect(sparkDomain([{ value: 5 }, { value: 9 }])).toEqual([5, 9]);
    expect(sparkDomain([{ value: 5 }])).toEqual([4, 6]);
  });

  test('nothing is drawn beyond its ends', () => {
    const y = linear([0, 1], [20, 0]);
    expect([y(-1), y(0.5), y(7)]).toEqual([20, 10, 0]);
  });
});

describe('what is offered in a filter', () => {
  test('a field waits for its value, and a value is followed by a blank', () => {
    expect(takeCompletion('ev', { from: 0, to: 2 }, 'eval:')).toEqual({ text: 'eval:', caret: 5 });
    expect(takeCompletion('eval:sw', { from: 5, to: 7 }, 'swe-lite')).toEqual({
      text: 'eval:swe-lite ',
      caret: 14,
    });
    expect(takeCompletion('status:o', { from: 7, to: 8 }, 'ok')).toEqual({ text: 'status:ok ', caret: 10 });
    expect(takeCompletion('metadata.l', { from: 0, to: 10 }, 'metadata.level')).toEqual({
      text: 'metadata.level',
      caret: 14,
    });
  });

  test('what comes after it stays, and gets no second blank', () => {
    const taken = takeCompletion('eval:sw cost>5', { from: 5, to: 7 }, 'swe-lite');
    expect(taken).toEqual({ text: 'eval:swe-lite cost>5', caret: 14 });
  });

  test('what is there already is not offered', () => {
    const item = { text: 'eval:', about: '' };
    expect(offered('eval:', { from: 0, to: 5, items: [item] })).toEqual([]);
    expect(offered('eva', { from: 0, to: 3, items: [item] })).toEqual([item]);
  });
});

test('a moment is told by day and minute, and by its year where that is another', () => {
  const ms = new Date(2026, 10, 14, 9, 2, 59).getTime();
  expect(formatMoment(ms, new Date(2026, 11, 31).getTime())).toBe('14 Nov 09:02');
  expect(formatMoment(ms, new Date(2027, 0, 1).getTime())).toBe('14 Nov 2026 09:02');
});

describe('a row that moved', () => {
  const idAt = (index: number) => ['new', 'a', 'b', undefined, 'c', 'a'][index];

  test('is found where it is now, the nearest of several', () => {
    expect(movedRow('a', 0, idAt)).toBe(1);
    expect(movedRow('c', 2, idAt)).toBe(4);
    expect(movedRow('a', 4, idAt)).toBe(5);
  });

  test('is nowhere when it is gone', () => expect(movedRow('gone', 2, idAt)).toBe(undefined));
});

describe('keys that go from one to the next', () => {
  test('are j and k for what was chosen, and n and p for the other: never the same for both', () => {
    expect(stepKeys('samples', 'samples')).toEqual({ next: 'j', previous: 'k' });
    expect(stepKeys('turns', 'samples')).toEqual({ next: 'n', previous: 'p' });
    expect(stepKeys('turns', 'turns')).toEqual({ next: 'j', previous: 'k' });
    expect(stepKeys('samples', 'turns')).toEqual({ next: 'n', previous: 'p' });
  });
});

describe('the picture of a chart', () => {
  test('is saved under a name that every system takes', () => {
    expect(fileName('B passes 22 samples: "a/b" · +0.04')).toBe('B-passes-22-samples-a-b-0-04');
    expect(fileName('…')).toBe('chart');
    expect(fileName('x '.repeat(90)).length).toBeLessThanOrEqual(60);
  });
});
