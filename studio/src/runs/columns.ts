import type { RunItem } from '../../../src/server/api.ts';
import type { ListColumn } from '../ui/list-columns.ts';

const COLUMNS: readonly ListColumn[] = [
  { id: 'eval', label: 'Eval', sort: 'eval', min: 128, grow: 1, rank: 0 },
  { id: 'target', label: 'Target', sort: 'target', min: 150, grow: 2, rank: 1 },
  {
    id: 'score',
    label: 'Score',
    sort: 'score',
    align: 'right',
    min: 138,
    isFalling: true,
    rank: 2,
    about: 'The first score, with its 95 % interval',
  },
  {
    id: 'change',
    label: 'Δ prev',
    sort: 'change',
    align: 'right',
    min: 84,
    rank: 4,
    about: 'Against the previous run of the same eval and target: ! real, ? cannot tell',
  },
  {
    id: 'trend',
    label: 'Trend',
    min: 96,
    rank: 7,
    about: 'The score of the last runs of the same eval and target, with its interval',
  },
  {
    id: 'counts',
    label: 'Samples',
    sort: 'samples',
    align: 'right',
    isFalling: true,
    min: 180,
    rank: 6,
    about: 'Passed, failed, errors, and all',
  },
  { id: 'cost', label: 'Cost', sort: 'cost', align: 'right', isFalling: true, min: 62, rank: 5 },
  { id: 'time', label: 'Time', sort: 'time', align: 'right', isFalling: true, min: 64, rank: 8 },
  { id: 'when', label: 'When', sort: 'when', align: 'right', isFalling: true, min: 76, rank: 3 },
  { id: 'commit', label: 'Commit', sort: 'commit', min: 72, rank: 9 },
  { id: 'tags', label: 'Tags', sort: 'tag', min: 84, grow: 0.8, rank: 10 },
  { id: 'experiment', label: 'Experiment', sort: 'experiment', min: 100, grow: 0.6, rank: 11 },
  { id: 'tokens', label: 'Tokens', sort: 'tokens', align: 'right', isFalling: true, min: 60, rank: 12 },
  { id: 'branch', label: 'Branch', sort: 'branch', min: 80, grow: 0.4, rank: 13 },
  { id: 'by', label: 'By', sort: 'by', min: 90, grow: 0.4, rank: 14 },
  { id: 'form', label: 'Kept as', sort: 'form', min: 80, rank: 15 },
  { id: 'place', label: 'Place', sort: 'place', min: 120, grow: 1, rank: 16 },
  { id: 'run', label: 'Run', sort: 'run', min: 150, grow: 0.5, rank: 17 },
];

const USUAL = [
  'eval',
  'target',
  'score',
  'change',
  'trend',
  'counts',
  'cost',
  'time',
  'when',
  'commit',
  'tags',
];

/** The columns that are named; those that are usual when none is. `score.name` is the score of that name. */
export function columnsNamed(names: readonly string[]): readonly ListColumn[] {
  const wanted = names.length === 0 ? USUAL : names;
  const found = wanted.flatMap((name) => columnNamed(name) ?? []);
  return found.length === 0 ? columnsNamed(USUAL) : found;
}

function columnNamed(name: string): ListColumn | undefined {
  const known = COLUMNS.find(({ id }) => id === name);
  if (known !== undefined || !name.startsWith('score.') || name.length < 7) return known;
  return { id: name, label: name.slice(6), sort: name, align: 'right', min: 100, isFalling: true, rank: 4.5 };
}

/** All that can be chosen: ours, and one for each score that the runs in sight have besides their first. */
export function choosableColumns(runs: readonly (RunItem | undefined)[]): readonly ListColumn[] {
  const scores = new Set(
    runs.flatMap((run) => (run?.facts?.scores ?? []).map(({ name, metric }) => `score.${name}.${metric}`)),
  );
  return [...COLUMNS, ...[...scores].sort().flatMap((name) => columnNamed(name) ?? [])];
}
