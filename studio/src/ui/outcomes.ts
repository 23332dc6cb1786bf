import type { Outcome } from '../../../src/server/api.ts';
import { LIMIT, OUTCOMES as LOOKS, type Look } from '../../../src/views/index.ts';

/** The colours that say something. An error is never red: it is not a wrong answer. */
export type Tone = 'pass' | 'fail' | 'limit' | 'error' | 'live' | 'quiet';

export interface Shown {
  readonly glyph: string;
  readonly word: string;
  readonly tone: Tone;
}

const TONES: Readonly<Record<Look['tone'], Tone>> = {
  pass: 'pass',
  fail: 'fail',
  partial: 'limit',
  error: 'error',
  live: 'live',
  neutral: 'quiet',
};

/** What the views say of a state, in our colours. */
export function shownAs({ glyph, word, tone }: Look): Shown {
  return { glyph, word, tone: TONES[tone] };
}

export function outcomeShown(outcome: Outcome | 'limit'): Shown {
  return shownAs(outcome === 'limit' ? LIMIT : LOOKS[outcome]);
}
