import type { Counts, SamplesPage } from '../../../../src/server/api.ts';
import type { ListColumn } from '../../ui/list-columns.ts';

const COLUMNS: readonly ListColumn[] = [
  {
    id: 'outcome',
    label: 'Result',
    sort: 'outcome',
    min: 112,
    rank: 0,
    about: 'By the score that decides; k/n: so many of the epochs passed',
  },
  { id: 'number', label: '#', sort: 'number', align: 'right', min: 44, rank: 20, about: 'Place in the run' },
  { id: 'id', label: 'Sample', sort: 'id', min: 136, grow: 1, rank: 1 },
  {
    id: 'history',
    label: 'History',
    min: 144,
    rank: 4.5,
    about: 'Its last results on the same target, oldest at the left; the last one is of this run',
  },
  { id: 'input', label: 'Input', sort: 'input', min: 150, grow: 3, rank: 4 },
  { id: 'target', label: 'Target', sort: 'target', min: 110, grow: 1, rank: 16 },
  { id: 'answer', label: 'Answer', min: 120, grow: 1, rank: 15 },
  {
    id: 'turns',
    label: 'Turns',
    sort: 'turns',
    align: 'right',
    isFalling: true,
    min: 48,
    rank: 9,
    about: 'Most of any epoch',
  },
  {
    id: 'tokens',
    label: 'Tokens',
    sort: 'tokens',
    align: 'right',
    isFalling: true,
    min: 60,
    rank: 10,
    about: 'All epochs together',
  },
  {
    id: 'cost',
    label: 'Cost',
    sort: 'cost',
    align: 'right',
    isFalling: true,
    min: 62,
    rank: 5,
    about: 'All epochs together',
  },
  {
    id: 'time',
    label: 'Time',
    sort: 'time',
    align: 'right',
    isFalling: true,
    min: 66,
    rank: 6,
    about: 'The longest epoch',
  },
  { id: 'limit', label: 'Limit', sort: 'limit', min: 72, rank: 8, about: 'A limit that was hit' },
  { id: 'error', label: 'Error', sort: 'error', min: 96, grow: 0.6, rank: 3 },
  { id: 'messages', label: 'Messages', sort: 'messages', align: 'right', isFalling: true, min: 76, rank: 13 },
  {
    id: 'retries',
    label: 'Retries',
    sort: 'retries',
    align: 'right',
    isFalling: true,
    min: 60,
    rank: 12,
    about: 'Tries that failed',
  },
  {
    id: 'flips',
    label: 'Flips',
    sort: 'flips',
    align: 'right',
    isFalling: true,
    min: 50,
    rank: 14,
    about: 'How often an epoch ends otherwise than the one before it',
  },
  { id: 'made', label: 'Made', min: 84, rank: 17, about: 'How it came to be' },
  { id: 'verdict', label: 'Judged', min: 84, rank: 11, about: 'What people said of it' },
];

/** What is known of the samples of a run before any column is chosen. */
export interface SampleFacts {
  readonly scores: readonly string[];
  /** The one that decides: the result tells it already. */
  readonly score: string | undefined;
  readonly metadataKeys: readonly string[];
  readonly hasErrors: boolean;
  readonly hasLimits: boolean;
  /** Whether earlier results can be told: an export has none. */
  readonly hasHistory: boolean;
  /** There is room for what is not needed at once. */
  readonly isWide: boolean;
}

const SCORES_USUAL = 3;

/** The columns that are named; those that are usual when none is. */
export function sampleColumnsNamed(names: readonly string[], facts: SampleFacts): readonly ListColumn[] {
  const wanted = names.length === 0 ? usual(facts) : names;
  const found = wanted.flatMap((name) => columnNamed(name) ?? []).filter(isThere(facts));
  return found.length === 0 ? sampleColumnsNamed(usual(facts), facts) : found;
}

function isThere({ hasHistory }: SampleFacts): (column: ListColumn) => boolean {
  return ({ id }) => id !== 'history' || hasHistory;
}

function usual({ scores, score, hasErrors, hasLimits, isWide }: SampleFacts): readonly string[] {
  const others = scores.filter((name) => name !== score).slice(0, SCORES_USUAL);
  return [
    'outcome',
    'id',
    ...(isWide ? ['history'] : []),
    'input',
    ...(hasErrors ? ['error'] : []),
    ...(hasLimits ? ['limit'] : []),
    ...others.map((name) => `score.${name}`),
    'turns',
    'tokens',
    'cost',
    'time',
  ];
}

function columnNamed(name: string): ListColumn | undefined {
  const known = COLUMNS.find(({ id }) => id === name);
  if (known !== undefined) return known;
  const [, kind, path] = /^(score|metadata)\.(.+)$/s.exec(name) ?? [];
  if (path === undefined) return undefined;
  if (kind === 'score')
    return {
      id: name,
      label: path,
      sort: name,
      align: 'right',
      min: 72,
      isFalling: true,
      rank: 7,
      about: path,
    };
  return { id: name, label: path, sort: name, min: 88, grow: 0.5, rank: 7.5, about: name };
}

/** All that can be chosen: ours, the scores and the metadata of the run. */
export function choosableSampleColumns(facts: SampleFacts): readonly ListColumn[] {
  const { scores, metadataKeys } = facts;
  const named = [...scores.map((name) => `score.${name}`), ...metadataKeys.map((key) => `metadata.${key}`)];
  return [...COLUMNS.filter(isThere(facts)), ...named.flatMap((name) => columnNamed(name) ?? [])];
}

export function sampleFactsOf(
  page: SamplesPage | undefined,
  counts: Counts,
): Omit<SampleFacts, 'hasHistory' | 'isWide'> {
  return {
    scores: page?.scores ?? [],
    score: page?.score,
    metadataKeys: page?.metadataKeys ?? [],
    hasErrors: counts.error > 0,
    hasLimits: page?.samples.some(({ epochs }) => epochs.some(({ limit }) => limit !== undefined)) === true,
  };
}
