import { describe, expect, test } from 'vitest';
import { isStep, keyNames, matchKeys } from './key-spec.ts';
import { placeBeside } from './placed.ts';

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
