import type { SamplesPage } from '../../../../src/server/api.ts';
import type { FittedColumn } from '../../ui/fit-columns.ts';

export interface SampleColumn extends FittedColumn {
  readonly label: string;
  readonly about?: string;
  readonly align?: 'right';
  /** What the server sorts by; absent where nothing can be. */
  readonly sort?: string;
  /** A first click sorts from the greatest. */
  readonly isFalling?: boolean;
}

const COLUMNS: readonly SampleColumn[] = [
  {
    id: 'outcome',
    label: 'Outcome',
    sort: 'outcome',
    min: 108,
    rank: 0,
    about: 'What became of it; with several epochs, how many passed',
  },
  { id: 'id', label: 'Sample', sort: 'id', min: 140, grow: 0.8, rank: 1 },
  {
    id: 'epochs',
    label: 'Epochs',
    sort: 'flips',
    isFalling: true,
    min: 76,
    rank: 4,
    about: 'Each epoch, in order',
  },
  { id: 'input', label: 'Input', sort: 'input', min: 160, grow: 2, rank: 6 },
  { id: 'target', label: 'Target', sort: 'target', min: 90, grow: 0.5, rank: 12 },
  { id: 'answer', label: 'Answer', min: 100, grow: 0.7, rank: 9 },
  { id: 'error', label: 'Error', sort: 'error', min: 120, grow: 1, rank: 7 },
  { id: 'limit', label: 'Limit', sort: 'limit', min: 76, rank: 8 },
  { id: 'turns', label: 'Turns', sort: 'turns', align: 'right', isFalling: true, min: 52, rank: 5 },
  { id: 'tokens', label: 'Tokens', sort: 'tokens', align: 'right', isFalling: true, min: 60, rank: 10 },
  { id: 'cost', label: 'Cost', sort: 'cost', align: 'right', isFalling: true, min: 62, rank: 2 },
  { id: 'time', label: 'Time', sort: 'time', align: 'right', isFalling: true, min: 66, rank: 3 },
  { id: 'retries', label: 'Retries', sort: 'retries', align: 'right', isFalling: true, min: 58, rank: 11 },
  { id: 'messages', label: 'Messages', sort: 'messages', align: 'right', isFalling: true, min: 68, rank: 13 },
  {
    id: 'made',
    label: 'Made',
    min: 80,
    rank: 14,
    about: 'Run here, kept from an earlier run, replayed, recovered',
  },
  { id: 'number', label: '#', sort: 'number', align: 'right', min: 44, rank: 15 },
];

type Known = Pick<SamplesPage, 'scores' | 'metadataKeys'>;

/** Columns that are there unless others are chosen: scores are, when there are several or one is a number. */
export function usualColumns(known: Known, isEpochs: boolean): readonly string[] {
  return [
    'outcome',
    'id',
    ...(isEpochs ? ['epochs'] : []),
    'input',
    ...known.scores.map((name) => `score.${name}`),
    'error',
    'limit',
    'turns',
    'tokens',
    'cost',
    'time',
  ];
}

export function columnsNamed(
  names: readonly string[],
  known: Known,
  isEpochs: boolean,
): readonly SampleColumn[] {
  const wanted = names.length === 0 ? usualColumns(known, isEpochs) : names;
  const found = wanted.flatMap((name) => columnNamed(name) ?? []);
  return found.length === 0 ? columnsNamed([], known, isEpochs) : found;
}

function columnNamed(name: string): SampleColumn | undefined {
  const own = COLUMNS.find(({ id }) => id === name);
  if (own !== undefined) return own;
  const [kind, ...rest] = name.split('.');
  const label = rest.join('.');
  if (label === '') return undefined;
  if (kind === 'score')
    return { id: name, label, sort: name, align: 'right', isFalling: true, min: headWidth(label), rank: 2.5 };
  if (kind === 'metadata') return { id: name, label, sort: name, min: 84, grow: 0.4, rank: 5.5 };
  return undefined;
}

/** Room for the name of a score, up to a point. */
function headWidth(label: string): number {
  return Math.max(64, Math.min(130, 24 + label.length * 7));
}

/** All that can be chosen in this run. */
export function choosableColumns({ scores, metadataKeys }: Known): readonly SampleColumn[] {
  const named = [...scores.map((name) => `score.${name}`), ...metadataKeys.map((key) => `metadata.${key}`)];
  return [...COLUMNS, ...named.flatMap((name) => columnNamed(name) ?? [])];
}
