import { Option } from 'commander';
import { definedOf, formatUsd, namedOnce, systemClock, toJson } from '../../base/index.ts';
import type { RunInForms, SourceRow } from '../../sources/index.ts';
import { defineCommand } from '../command.ts';
import { EXIT } from '../exit-code.ts';
import { parseCount } from '../parse-values.ts';
import { formatDuration, formatScore, formatTime } from '../quantities.ts';
import { type FilterFlags, filterOf, filterOptions } from '../results/run-filter.ts';
import { openSources, type SourceFlags, sourceOptions } from '../results/run-sources.ts';
import { listWhere, type WhereFlags } from '../results/run-where.ts';
import { type Column, renderTable } from '../table.ts';
import type { Terminal } from '../terminal.ts';

interface ListFlags extends SourceFlags, FilterFlags, WhereFlags {
  readonly limit: number;
  readonly removed?: true;
}

export const command = defineCommand<ListFlags>({
  summary: 'List runs, newest first: published, in logs, and under way',
  options: [
    new Option('--limit <n>', 'at most so many').argParser(parseCount).default(50),
    new Option('--cursor <cursor>', 'go on where the page before ended'),
    ...filterOptions(),
    new Option(
      '--where <filter>',
      'only runs that a filter of the Studio leaves: "eval:swe* score>0.5 -tag:ci"',
    ),
    new Option('--sort <keys>', 'by these, falling with a minus: -cost,eval; all runs are read'),
    new Option('--removed', 'also runs that were removed'),
    ...sourceOptions(),
  ],
  examples: [
    ['holdfast results list', 'the newest fifty'],
    ['holdfast results list --eval capitals --since 7d', 'one eval, the last week'],
    ["holdfast results list --where 'eval:swe* score>0.5 since:30d' --sort=-cost", 'what the Studio shows'],
    ['holdfast results list --source ../inspect-logs', 'and the logs of another folder'],
    ['holdfast results list --source ../repo#agentv/results/v1', 'and a results branch of AgentV'],
  ],
  exits: {
    0: 'listed',
    1: 'git failed, or a source could not be read; the others are listed',
    2: 'there are no results yet and no other source was named, or it does not exist',
    3: 'some rows could not be read, and are listed as such',
  },
  async run({ flags, terminal, isGiven }) {
    const { limit, cursor, removed, json } = flags;
    await using opened = await openSources({ flags, terminal, isGiven });
    const page = await listWhere(opened.sources, flags, {
      limit,
      nowMs: systemClock.nowMs(),
      ...filterOf(flags),
      ...definedOf({ withRemoved: removed, cursor }),
    });
    const { runs, cursor: next } = page;
    const unread = (await opened.results?.store.unread()) ?? [];
    const problems = [...page.problems, ...unread.map(({ ref, error }) => ({ place: ref, error }))];
    const failed = problems.map(({ place, error }) => ({ place, code: error.code, message: error.message }));
    if (json)
      terminal.json(
        toJson(definedOf({ commits: opened.results?.commits, runs, cursor: next, problems: failed })),
      );
    else for (const line of report(runs, next, terminal)) terminal.line(line);
    for (const { place, error } of problems) terminal.note(`${place}: ${error.message} ${error.hint}`);
    if (problems.length > 0) return EXIT.failed;
    return runs.some(isDamaged) ? EXIT.damage : EXIT.ok;
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

function report(runs: readonly RunInForms[], cursor: string | undefined, terminal: Terminal): string[] {
  const { style, columns: width } = terminal;
  const whole = runs.flatMap((listed) => (listed.row ? [{ listed, row: listed.row }] : []));
  const lines = runs.length === 0 ? ['There are no such runs.'] : [];
  // Where a run is kept is said only when they are not all kept alike.
  const isMixed = new Set(whole.map(({ listed }) => whereOf(listed))).size > 1;
  const hasRemoved = whole.some(({ listed }) => isRemoved(listed));
  const columns = [
    ...COLUMNS,
    ...(isMixed ? [{ title: 'kept as' }] : []),
    ...(hasRemoved ? [{ title: 'removed' }] : []),
  ];
  const rows = whole.map(({ listed, row }) => [
    ...cellsOf(row, terminal),
    ...(isMixed ? [whereOf(listed)] : []),
    ...(hasRemoved ? [isRemoved(listed) ? style.warn('removed') : ''] : []),
  ]);
  if (rows.length > 0) lines.push(renderTable(columns, rows, { width, title: style.dim }));
  for (const listed of runs)
    lines.push(...damageIn(listed).map((text) => style.bad(namedOnce(listed.run, text))));
  if (cursor !== undefined) lines.push('', style.dim(`More: --cursor ${cursor}`));
  return lines;
}

function whereOf({ forms: [form = 'log'], logIs }: RunInForms): string {
  if (logIs === 'newer') return 'log, newer than published';
  return logIs === 'different' ? 'published, log differs' : form;
}

function damageIn({ damage, name, also = [] }: RunInForms): string[] {
  const others = also.flatMap((one) => (one.damage === undefined ? [] : [namedOnce(one.name, one.damage)]));
  return damage === undefined ? others : [namedOnce(name, damage), ...others];
}

function isRemoved({ marks }: RunInForms): boolean {
  return (marks?.removals.length ?? 0) > 0;
}

function isDamaged(listed: RunInForms): boolean {
  return damageIn(listed).length > 0;
}

function cellsOf(row: SourceRow, { style }: Terminal): string[] {
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

function scoreOf({ scores: [score] }: SourceRow): string {
  if (!score || score.value === null) return '';
  const around =
    score.low === undefined || score.high === undefined
      ? ''
      : ` (${formatScore(score.low)}–${formatScore(score.high)})`;
  return `${score.metric} ${formatScore(score.value)}${around}`;
}
