import { Option } from 'commander';
import { definedOf, formatUsd, toJson } from '../../base/index.ts';
import type { ListedRun, RunRow } from '../../results/index.ts';
import { defineCommand } from '../command.ts';
import { EXIT } from '../exit-code.ts';
import { parseCount } from '../parse-values.ts';
import { formatDuration, formatScore, formatTime } from '../quantities.ts';
import { parseSince } from '../results/parse-since.ts';
import { type ResultsFlags, resultsOf, resultsOptions } from '../results/results-place.ts';
import { type Column, renderTable } from '../table.ts';
import type { Terminal } from '../terminal.ts';

interface ListFlags extends ResultsFlags {
  readonly limit: number;
  readonly cursor?: string;
  readonly eval?: string;
  readonly target?: string;
  readonly experiment?: string;
  readonly tag?: string;
  readonly status?: string;
  readonly since?: number;
  readonly removed?: true;
}

export const command = defineCommand<ListFlags>({
  summary: 'List published runs, newest first',
  options: [
    new Option('--limit <n>', 'at most so many').argParser(parseCount).default(50),
    new Option('--cursor <cursor>', 'go on where the page before ended'),
    new Option('--eval <name>', 'only runs of this eval'),
    new Option('--target <name>', 'only runs on this target'),
    new Option('--experiment <name>', 'only runs of this experiment'),
    new Option('--tag <tag>', 'only runs with this tag'),
    new Option('--status <status>', 'only runs that ended so: success, error, cancelled'),
    new Option('--since <time>', 'only runs that began then or later: 2026-11-01, or 7d, 12h').argParser(
      parseSince,
    ),
    new Option('--removed', 'also runs that were removed'),
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
    const { limit, since, removed, json, cursor, eval: name, target, experiment, tag, status } = flags;
    await using results = await resultsOf(flags, terminal);
    const filter = {
      eval: name,
      target,
      experiment,
      tag,
      status,
      cursor,
      sinceMs: since,
      withRemoved: removed,
    };
    const page = await results.list({ limit, ...definedOf(filter) });
    if (json) terminal.json(toJson(page));
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
