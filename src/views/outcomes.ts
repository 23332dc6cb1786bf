import type { Outcome, RunItem, SampleEpoch, SampleItem } from '../server/api.ts';

/** Every state has a glyph and a word besides its colour. */
export interface Look {
  readonly glyph: string;
  readonly word: string;
  /** The tone of its colour. */
  readonly tone: 'pass' | 'fail' | 'partial' | 'error' | 'neutral' | 'live';
}

export const OUTCOMES: Readonly<Record<Outcome, Look>> = {
  pass: { glyph: '✓', word: 'passed', tone: 'pass' },
  partial: { glyph: '◐', word: 'partly', tone: 'partial' },
  fail: { glyph: '✗', word: 'failed', tone: 'fail' },
  number: { glyph: '#', word: 'scored', tone: 'neutral' },
  error: { glyph: '!', word: 'error', tone: 'error' },
  unscored: { glyph: '○', word: 'not scored', tone: 'neutral' },
  running: { glyph: '●', word: 'running', tone: 'live' },
  interrupted: { glyph: '◇', word: 'interrupted', tone: 'partial' },
  missing: { glyph: '·', word: 'missing', tone: 'neutral' },
};

/** A limit that was hit is told beside the outcome. */
export const LIMIT: Look = { glyph: '◆', word: 'limit', tone: 'partial' };

const STATUSES: Readonly<Record<string, Look>> = {
  success: { glyph: '✓', word: 'done', tone: 'pass' },
  error: { glyph: '!', word: 'error', tone: 'error' },
  cancelled: { glyph: '⊘', word: 'cancelled', tone: 'partial' },
  started: { glyph: '●', word: 'started', tone: 'live' },
  running: { glyph: '●', word: 'running', tone: 'live' },
  interrupted: { glyph: '◇', word: 'interrupted', tone: 'partial' },
  unknown: { glyph: '?', word: 'unknown', tone: 'neutral' },
};

const DAMAGED: Look = { glyph: '✕', word: 'damaged', tone: 'error' };

export function lookOfRun({ damage, facts }: Pick<RunItem, 'damage' | 'facts'>): Look {
  if (damage !== undefined || !facts) return DAMAGED;
  return STATUSES[facts.status] ?? { glyph: '?', word: facts.status, tone: 'neutral' };
}

/**
 * What became of a sample over its epochs: what all of them say, else `partial` as soon as one of them passed, else the worst.
 * So `fail` is a sample that never passed.
 */
export function outcomeOf({ epochs }: Pick<SampleItem, 'epochs'>): Outcome {
  const outcomes = new Set(epochs.map(({ outcome }) => outcome));
  const [first = 'missing'] = outcomes;
  if (outcomes.size < 2) return first;
  if (outcomes.has('pass') || outcomes.has('partial')) return 'partial';
  return WORST_FIRST.find((outcome) => outcomes.has(outcome)) ?? first;
}

const WORST_FIRST: readonly Outcome[] = [
  'fail',
  'error',
  'number',
  'running',
  'interrupted',
  'unscored',
  'missing',
];

/** How often the outcome of an epoch is another than that of the epoch before it, of those that passed or failed. */
export function flipsOf({ epochs }: Pick<SampleItem, 'epochs'>): number {
  const judged = epochs.map(({ outcome }) => outcome).filter((one) => JUDGED.has(one));
  return judged.filter((one, at) => at > 0 && one !== judged[at - 1]).length;
}

const JUDGED: ReadonlySet<Outcome> = new Set(['pass', 'partial', 'fail']);

const NUMBERS: Partial<Readonly<Record<Outcome, number>>> = { pass: 1, partial: 0.5, fail: 0 };

/** The score of an epoch as a number: of the one that is named, else of the first, else as its outcome says. */
export function scoreOf({ scores, outcome }: SampleEpoch, name: string | undefined): number | undefined {
  if (name !== undefined) {
    const key = Object.hasOwn(scores, name) ? name : keyLike(scores, name);
    return key === undefined ? undefined : scores[key]?.number;
  }
  for (const key in scores) return scores[key]?.number ?? NUMBERS[outcome];
  return NUMBERS[outcome];
}

/** Names are taken without regard to case where that is enough to know them. */
export function keyLike(scores: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const wanted = name.toLowerCase();
  return Object.keys(scores).find((key) => key.toLowerCase() === wanted);
}
