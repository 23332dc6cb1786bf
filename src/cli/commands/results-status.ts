import { counted, toJson } from '../../base/index.ts';
import type { ResultsStatus } from '../../results/index.ts';
import { defineCommand } from '../command.ts';
import { EXIT } from '../exit-code.ts';
import { formatCount } from '../quantities.ts';
import { type ResultsFlags, resultsOf, resultsOptions } from '../results/results-place.ts';
import { renderTable } from '../table.ts';
import type { Terminal } from '../terminal.ts';

export const command = defineCommand<ResultsFlags>({
  summary: 'Say where results are kept, and what waits to be sent',
  options: resultsOptions(),
  examples: [['holdfast results status', 'the repository, the branch, the remote, and how many runs wait']],
  exits: { 0: 'said', 1: 'git failed', 2: 'there are no results yet' },
  async run({ flags, terminal }) {
    await using results = await resultsOf(flags, terminal);
    const status = await results.status();
    if (flags.json) terminal.json(toJson(status));
    else for (const line of report(status, terminal)) terminal.line(line);
    return EXIT.ok;
  },
});

function report(status: ResultsStatus, { style }: Terminal): string[] {
  const { remote, fetched, waiting } = status;
  const kinds = [status.isShallow ? 'shallow' : '', status.isPartial ? 'partial' : '', status.objectFormat];
  const shared =
    remote === undefined
      ? 'with nobody: the repository has no remote'
      : `with ${remote}${fetched === undefined ? ', of which nothing was fetched yet' : ''}`;
  const rows: [string, string][] = [
    ['repository', status.repository],
    ['branch', `${status.branch} at ${status.commit.slice(0, 12)}`],
    ['runs', formatCount(status.runs)],
    ['shared', shared],
    ['git', `${status.version} (${kinds.filter(Boolean).join(', ')}, ${counted(status.packs, 'pack')})`],
  ];
  const lines = [renderTable([{ title: '' }, { title: '' }], rows, { width: 1_000 })];
  if (waiting > 0) lines.push(style.warn(`${counted(waiting, 'run')} not sent yet: holdfast results sync`));
  for (const { reason } of status.unread) lines.push(style.bad(`${reason} It is not read.`));
  return lines;
}
