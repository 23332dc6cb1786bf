import { describe, expect, test } from 'vitest';
import {
  formatAgo,
  formatBytes,
  formatDifference,
  formatDuration,
  formatMoney,
  formatNumber,
  formatShortCount,
  formatSpread,
} from './format.ts';
import { isStep, keyNames, matchKeys } from './key-spec.ts';
import { placeBeside } from './placed.ts';

describe('numbers', () => {
  test.each([
    [0.7341, '0.734'],
    [1, '1.000'],
    [0, '0.000'],
    [12.345, '12.35'],
    [123, '123'],
    [1234.5, '1,235'],
    [-0.5, '−0.500'],
    [Number.NaN, 'NaN'],
    [Number.NEGATIVE_INFINITY, '−∞'],
  ])('%d is written %s', (value, text) => expect(formatNumber(value)).toBe(text));

  test.each([
    [0.021, '+.021'],
    [-0.0441, '−.044'],
    [1.2, '+1.200'],
    [0, '+.000'],
  ])('a difference of %d is written %s', (value, text) => expect(formatDifference(value)).toBe(text));

  test('an interval is written as half its width', () => expect(formatSpread(0.7, 0.762)).toBe('±0.031'));

  test.each([
    [41.2, '$41.20'],
    [0, '$0'],
    [0.011, '$0.011'],
    [0.31, '$0.31'],
    [0.00421, '$0.0042'],
    [1234.5, '$1,235'],
    [-2, '−$2.00'],
  ])('%d dollars are written %s', (usd, text) => expect(formatMoney(usd)).toBe(text));

  test.each([
    [830, '830 ms'],
    [12_400, '12.4 s'],
    [59_990, '1m 00s'],
    [750_000, '12m 30s'],
    [3_840_000, '1h 04m'],
    [200_000_000, '2d 07h'],
  ])('%d ms are written %s', (ms, text) => expect(formatDuration(ms)).toBe(text));

  test.each([
    [5, 'now'],
    [125, '2m'],
    [7_300, '2h'],
    [86_400 * 3, '3d'],
    [86_400 * 21, '3w'],
    [86_400 * 100, '2026-08-09'],
  ])('%d seconds ago is written %s', (seconds, text) => {
    const now = Date.parse('2026-11-17T12:00:00Z');
    expect(formatAgo(new Date(now - seconds * 1_000).toISOString(), now)).toBe(text);
  });

  test('large counts and sizes are short', () => {
    expect([999, 1_200, 12_345, 2_000_000].map(formatShortCount)).toEqual(['999', '1.2k', '12k', '2M']);
    expect([12, 4_100_000].map(formatBytes)).toEqual(['12 B', '4.1 MB']);
  });
});

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
