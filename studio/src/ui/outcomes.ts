import type { Outcome } from '../../../src/server/api.ts';

export type Tone = 'pass' | 'fail' | 'limit' | 'error' | 'quiet';

interface OutcomeLook {
  readonly glyph: string;
  readonly word: string;
  readonly tone: Tone;
}

/** Every state has a glyph and a word; colour comes second. An error is never red: it is not a wrong answer. */
export const OUTCOMES: Readonly<Record<Outcome | 'limit', OutcomeLook>> = {
  pass: { glyph: '✓', word: 'pass', tone: 'pass' },
  partial: { glyph: '◐', word: 'partial', tone: 'limit' },
  fail: { glyph: '✗', word: 'fail', tone: 'fail' },
  number: { glyph: '#', word: 'number', tone: 'quiet' },
  error: { glyph: '!', word: 'error', tone: 'error' },
  unscored: { glyph: '○', word: 'not scored', tone: 'quiet' },
  running: { glyph: '…', word: 'running', tone: 'quiet' },
  missing: { glyph: '·', word: 'missing', tone: 'quiet' },
  limit: { glyph: '◆', word: 'limit', tone: 'limit' },
};
