import type { GenerationView, MergeReportView, RecipeRow } from '../../../src/server/api.ts';
import type { Shown } from '../ui/outcomes.ts';

/** How many digits of a digest tell it from others for people. */
const DIGITS = 12;

export function shortDigest(digest: string): string {
  return digest.slice(0, DIGITS);
}

export function recipeShown({ current, unusable }: Pick<RecipeRow, 'current' | 'unusable'>): Shown {
  const inTheWay = unusable.find(({ isCurrent }) => isCurrent);
  if (inTheWay !== undefined && current === null)
    return inTheWay.isNewer
      ? { glyph: '?', word: 'newer format', tone: 'quiet' }
      : { glyph: '✕', word: 'damaged', tone: 'error' };
  if (current === null) return { glyph: '✕', word: 'unusable', tone: 'error' };
  return { glyph: '✓', word: 'current', tone: 'pass' };
}

const GENERATIONS: Readonly<Record<GenerationView['is'], Shown>> = {
  current: { glyph: '✓', word: 'current', tone: 'pass' },
  superseded: { glyph: '↷', word: 'superseded', tone: 'quiet' },
  other: { glyph: '○', word: 'not used', tone: 'quiet' },
};

export function generationShown({ is }: Pick<GenerationView, 'is'>): Shown {
  return GENERATIONS[is];
}

type MergeState = MergeReportView['counts'][number]['state'];

const MERGED: Readonly<Record<MergeState, Shown>> = {
  installed: { glyph: '✓', word: 'merged', tone: 'pass' },
  'kept-current': { glyph: '○', word: 'kept the one here', tone: 'quiet' },
  superseded: { glyph: '↷', word: 'superseded', tone: 'quiet' },
  'already-here': { glyph: '=', word: 'was here', tone: 'quiet' },
  incomplete: { glyph: '◐', word: 'incomplete', tone: 'error' },
  corrupt: { glyph: '✕', word: 'damaged', tone: 'error' },
  conflicting: { glyph: '≠', word: 'conflicting', tone: 'limit' },
  'never-seen': { glyph: '?', word: 'never seen', tone: 'limit' },
  failed: { glyph: '!', word: 'failed', tone: 'error' },
};

export function mergedAs(state: MergeState): Shown {
  return MERGED[state];
}
