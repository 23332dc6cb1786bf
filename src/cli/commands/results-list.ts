import { Option } from 'commander';
import { formatUsd, toJson } from '../../base/index.ts';
import type { ListedRun, RunRow } from '../../results/index.ts';
import { defineCommand } from '../command.ts';
import { EXIT } from '../exit-code.ts';
import { parseCount } from '../parse-values.ts';
import { formatDuration, formatScore, formatTime } from '../quantities.ts';
import { resultsOf, resultsOptions } from '../results/results-place.ts';
import { type FilterFlags, filterOf, filterOptions } from '../results/run-filter.ts';
import { type Column, renderTable } from '../table.ts';
import type { Terminal } from '../terminal.ts';

interface ListFlags extends FilterFlags {
  readonly limit: number;
  readonly cursor?: string;
}

export const command = defineCommand<ListFlags>({
  summary: 'List published runs, newest first',
  options: [
    new Option('--limit <n>', 'at most so many').argParser(parseCount).default(50),
    new Option('--cursor <cursor>', 'go on where the page before ended'),
    ...filterOptions(),
    ...resultsOptions(),
  ],
  examples: [
    ['holdfast results list', 'the newest fifty'],
    ['holdfast results list --eval capitals --since 7d', 'one eval, the last week'],
  ],
  exits: {
    0: 'listed',
    1: 'git failed',
    2: 'there are no results yet',
    3: 'some rows could not be read, and are listed as such',
  },
  async run({ flags, terminal }) {
    const { limit, cursor } = flags;
    await using results = await resultsOf(flags, terminal);
    const page = await results.list({
      ...filterOf(flags),
      limit,
      ...(cursor === undefined ? {} : { cursor }),
    });
    if (flags.json) terminal.json(toJson(page));
    else for (const line of report(page.runs, page.cursor, terminal)) terminal.line(line);
    return page.runs.some(({ damage }) => damage !== undefined) ? EXIT.damage : EXIT.ok;
  },
});

const COLUMNS: readonly Column[] = [
  { title: 'time' },
  { title: 'run' },
  { title: 'eval', shrinks: true },
  { title: 'target', shrinks: true },
  { title: 'status' },
  { title: 'samples', align: 'right' },
  { title: 'score', align: 'right' },
  { title: 'cost', align: 'right' },
  { title: 'took', align: 'right' },
];

function report(runs: readonly ListedRun[], cursor: string | undefined, terminal: Terminal): string[] {
  const { style, columns: width } = terminal;
  const whole = runs.flatMap(({ row }) => (row ? [rowOf(row, terminal)] : []));
  const lines = runs.length === 0 ? ['There are no such runs.'] : [];
  if (whole.length > 0) lines.push(renderTable(COLUMNS, whole, { width, title: style.dim }));
  for (const { run, damage } of runs) if (damage !== undefined) lines.push(style.bad(`${run}  ${damage}`));
  if (cursor !== undefined) lines.push('', style.dim(`More: --cursor ${cursor}`));
  return lines;
}

function rowOf(row: RunRow, { style }: Terminal): string[] {
  const paint = row.status === 'success' ? style.good : style.warn;
  const { total, completed } = row.samples;
  return [
    formatTime(row.start),
    row.run.slice(row.run.indexOf('-') + 1),
    row.eval,
    row.target,
    paint(row.status),
    `${completed}/${total}`,
    scoreOf(row),
    row.usd === null ? '' : formatUsd(row.usd),
    formatDuration(row.durationMs),
  ];
}

function scoreOf({ scores: [score] }: RunRow): string {
  if (!score || score.value === null) return '';
  const around =
    score.low === undefined || score.high === undefined
      ? ''
      : ` (${formatScore(score.low)}–${formatScore(score.high)})`;
  return `${score.metric} ${formatScore(score.value)}${around}`;
}
