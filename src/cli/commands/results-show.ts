import { formatUsd, toJson } from '../../base/index.ts';
import type { FoundResult } from '../../results/index.ts';
import { defineCommand } from '../command.ts';
import { EXIT } from '../exit-code.ts';
import { formatBytes, formatCount, formatDuration, formatScore, formatTime } from '../quantities.ts';
import { type ResultsFlags, resultsOf, resultsOptions } from '../results/results-place.ts';
import { renderTable } from '../table.ts';
import type { Terminal } from '../terminal.ts';

export const command = defineCommand<ResultsFlags>({
  summary: 'Show a published run',
  arguments: [['<run>', 'the id of a run, or the beginning of it, or of its part after the dash']],
  options: resultsOptions(),
  examples: [['holdfast results show KvkpiQSMQs', 'what became of a run, and which commit published it']],
  exits: {
    0: 'shown',
    1: 'git failed',
    2: 'there is no such run, or there are several',
    3: 'its row is damaged',
  },
  async run({ args, flags, terminal }) {
    await using results = await resultsOf(flags, terminal);
    const found = await results.find(String(args[0]));
    const { revisions, revision, marks } = found;
    const commit = await results.commitOf(revision);
    const { row, path } = revision;
    if (flags.json) terminal.json(toJson({ ...row, tags: marks.tags, path, revisions, commit, marks }));
    else for (const line of report({ ...found, commit }, terminal)) terminal.line(line);
    return EXIT.ok;
  },
});

function report(
  {
    revision: { row, path },
    revisions,
    commit,
    marks,
  }: FoundResult & { readonly commit: string | undefined },
  { style }: Terminal,
): string[] {
  const { samples, code } = row;
  const passed = samples.passed === undefined ? '' : `, ${samples.passed} passed`;
  const errored = samples.errored === 0 ? '' : `, ${samples.errored} with errors`;
  const rows: [string, string][] = [
    ['status', row.status === 'success' ? style.good(row.status) : style.warn(row.status)],
    ['began', formatTime(row.start)],
    ['took', formatDuration(row.durationMs)],
    ['samples', `${samples.completed} of ${samples.total} completed${passed}${errored}`],
    ...row.scores.map((score): [string, string] => ['score', scoreText(score)]),
    ['tokens', formatCount(row.tokens.total)],
    ['cost', row.usd === null ? 'unknown' : formatUsd(row.usd)],
    ...(marks.tags.length > 0 ? [['tags', marks.tags.join(', ')] as [string, string]] : []),
    ...marks.removals.map((one): [string, string] => [
      'removed',
      style.warn(`by ${one.by.name}${one.reason === undefined ? '' : `: ${one.reason}`}`),
    ]),
    ...marks.notes.map((one): [string, string] => ['note', `${one.by.name}: ${one.text}`]),
    ...(code ? [['code', `${code.commit}${code.isDirty ? ' with changes' : ''}`] as [string, string]] : []),
    ['by', `${row.by.user} on ${row.by.host}`],
    ['log', `${row.log.name} (${formatBytes(row.log.sizeBytes)})`],
    ...(revisions > 1 ? [['revision', `${row.revision} of ${revisions}`] as [string, string]] : []),
    ['place', path],
    ...(commit === undefined ? [] : [['published', `by commit ${commit}`] as [string, string]]),
  ];
  return [
    `${style.bold(row.eval)} ${style.dim('·')} ${row.target} ${style.dim('·')} ${row.run}`,
    renderTable([{ title: '' }, { title: '' }], rows, { width: 1_000 }),
  ];
}

function scoreText({
  name,
  metric,
  value,
  low,
  high,
}: FoundResult['revision']['row']['scores'][number]): string {
  const around =
    low === undefined || high === undefined ? '' : ` (95 %: ${formatScore(low)} to ${formatScore(high)})`;
  return `${name}  ${metric} ${value === null ? 'none' : formatScore(value)}${around}`;
}
