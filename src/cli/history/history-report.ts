import { formatUsd } from '../../base/index.ts';
import type { SampleHistory } from '../../compare/index.ts';
import type { RunRow } from '../../results/index.ts';
import { counted, formatScore, formatTime } from '../quantities.ts';
import type { Style } from '../style.ts';
import { type Column, oneLine, renderTable, wrapWords } from '../table.ts';
import type { Terminal } from '../terminal.ts';

/** One figure of a run, over time. */
export interface HistoryScore {
  readonly name: string;
  readonly metric: string;
}

const BARS = '▁▂▃▄▅▆▇█';

/** The runs of an eval, newest first, under a line for each target that shows where its score went. */
export function historyReport(
  rows: readonly RunRow[],
  score: HistoryScore | undefined,
  { style, columns: width }: Pick<Terminal, 'style' | 'columns'>,
): string[] {
  const targets = new Map<string, RunRow[]>();
  for (const row of rows.toReversed()) targets.set(row.target, [...(targets.get(row.target) ?? []), row]);
  const trends = [...targets].map(([target, runs]) => trendLine(target, runs, { score, style }));
  const before = new Map<RunRow, RunRow>();
  for (const runs of targets.values())
    for (const [index, row] of runs.entries()) {
      const previous = runs[index - 1];
      if (previous) before.set(row, previous);
    }
  const table = rows.map((row) => rowCells(row, before.get(row), { score, style }));
  const shown = COLUMNS.map(({ fromWidth = 0 }) => width >= fromWidth);
  const columns = COLUMNS.filter((_, index) => shown[index]);
  const cells = table.map((row) => row.filter((_, index) => shown[index]));
  return [...trends, '', renderTable(columns, cells, { width, title: style.dim })];
}

interface Shown {
  readonly score: HistoryScore | undefined;
  readonly style: Style;
}

/** `mock/m  ▂▄▆▇  exact accuracy 0.610 → 0.740 over 12 runs` */
function trendLine(target: string, runs: readonly RunRow[], { score, style }: Shown): string {
  const values = runs.flatMap((row) => scoreIn(row, score)?.value ?? []);
  const [first] = values;
  const last = values.at(-1);
  const about = `${counted(runs.length, 'run')}`;
  if (first === undefined || last === undefined || !score)
    return `${style.bold(target)}  ${about}, none with a score`;
  const way = values.length === 1 ? formatScore(last) : `${formatScore(first)} → ${formatScore(last)}`;
  return `${style.bold(target)}  ${style.accent(spark(values))}  ${score.name} ${score.metric} ${way} over ${about}`;
}

/** A bar for each value: of scores between 0 and 1 by that range, of others by their own. */
export function spark(values: readonly number[]): string {
  const isShare = values.every((value) => value >= 0 && value <= 1);
  const [low, high] = isShare ? [0, 1] : [Math.min(...values), Math.max(...values)];
  const bar = (value: number) =>
    BARS[high === low ? 0 : Math.min(7, Math.floor(((value - low) / (high - low)) * 8))];
  return values.map(bar).join('');
}

export function scoreIn(
  { scores }: RunRow,
  score: HistoryScore | undefined,
): RunRow['scores'][number] | undefined {
  return scores.find(({ name, metric }) => name === score?.name && metric === score.metric);
}

/** A narrow screen does without what a run cost, then without the interval. */
const COLUMNS: readonly (Column & { readonly fromWidth?: number })[] = [
  { title: 'time' },
  { title: 'run' },
  { title: 'target', shrinks: true },
  { title: 'code' },
  { title: 'branch', shrinks: true },
  { title: 'score', align: 'right' },
  { title: '95 %', align: 'right', fromWidth: 88 },
  { title: 'change', align: 'right' },
  { title: 'cost', align: 'right', fromWidth: 100 },
];

function rowCells(row: RunRow, before: RunRow | undefined, { score, style }: Shown): string[] {
  const found = scoreIn(row, score);
  const [value, previous] = [found?.value ?? undefined, before && scoreIn(before, score)?.value];
  const { low, high } = found ?? {};
  const change =
    value === undefined || previous === undefined || previous === null ? undefined : value - previous;
  return [
    formatTime(row.start).slice(0, 16),
    row.run.slice(row.run.indexOf('-') + 1),
    row.target,
    row.code ? `${row.code.commit.slice(0, 8)}${row.code.isDirty ? '+' : ''}` : '',
    row.code?.branch ?? '',
    value === undefined ? '–' : formatScore(value),
    low === undefined || high === undefined ? '' : `${formatScore(low)}–${formatScore(high)}`,
    change === undefined ? '' : changeText(change, style),
    row.usd === null ? '' : formatUsd(row.usd),
  ];
}

/** Whether it is more than chance, `compare` says: here is only what happened. */
function changeText(change: number, style: Style): string {
  if (Math.abs(change) < 0.0005) return style.dim('=');
  return `${change > 0 ? '+' : '−'}${formatScore(Math.abs(change))}`;
}

/** One sample from run to run, newest first, under what is to be said of it. */
export function sampleReport(history: SampleHistory, terminal: Terminal): string[] {
  const { style, columns: width } = terminal;
  const rows = history.runs
    .toReversed()
    .map((run) => [
      formatTime(run.start).slice(0, 16),
      run.run.slice(run.run.indexOf('-') + 1),
      run.model,
      run.commit?.slice(0, 8) ?? '',
      outcomeText(run.outcome, style),
      oneLine(
        run.values
          .map((value) => (typeof value === 'number' ? String(Number(value.toPrecision(4))) : String(value)))
          .join(' '),
      ),
      run.flip ? style.warn('flipped') : '',
    ]);
  const columns: Column[] = ['time', 'run', 'target', 'code', 'result', 'values', ''].map((title) => ({
    title,
    ...((title === 'target' || title === 'values') && { shrinks: true }),
  }));
  return [...stateLines(history, terminal), '', renderTable(columns, rows, { width, title: style.dim })];
}

function stateLines(
  { sample, figure, runs, state, because }: SampleHistory,
  { style, columns }: Terminal,
): string[] {
  const about = `${style.bold(oneLine(String(sample)))}${figure === undefined ? '' : ` (${figure})`}`;
  if (state === 'stable') return [`${about} never flipped in ${counted(runs.length, 'run')}.`];
  const first = runs.find(({ flip }) => flip !== undefined);
  const head =
    state === 'flaky'
      ? `${about} is ${style.warn('flaky')}: ${because}.`
      : `${about} ${style.warn('flipped')}, and is not flaky.`;
  const changes = first?.flip?.changes.map(({ said }) => said) ?? [];
  return [
    head,
    ...(first?.flip
      ? [
          `First flip: ${outcomeWords(first.flip.from)} → ${outcomeWords(first.outcome)} in run ${first.run}, ${formatTime(first.start).slice(0, 16)}.`,
          wrapWords(
            `Changed there: ${changes.length > 0 ? changes.join('; ') : 'nothing that the logs tell'}.`,
            columns,
            2,
          ),
        ]
      : []),
  ];
}

function outcomeWords(outcome: SampleHistory['runs'][number]['outcome']): string {
  return typeof outcome === 'number' ? formatScore(outcome) : outcome;
}

function outcomeText(outcome: SampleHistory['runs'][number]['outcome'], style: Style): string {
  if (outcome === 'pass') return style.good(outcome);
  return outcome === 'fail' || outcome === 'error' ? style.bad(outcome) : outcomeWords(outcome);
}
