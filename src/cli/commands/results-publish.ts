import { basename, relative } from 'node:path';
import { toJson } from '../../base/index.ts';
import { isLogName } from '../../log/index.ts';
import type { ResultsStore } from '../../results/index.ts';
import { defineCommand } from '../command.ts';
import { EXIT } from '../exit-code.ts';
import { checkLogDir, logStoreOf, openNamedLog } from '../logs/log-place.ts';
import {
  type BodiesFlags,
  bodiesOptions,
  type ResultsFlags,
  resultsOf,
  resultsOptions,
} from '../results/results-place.ts';
import { upkeepInBackground } from '../results/upkeep-in-background.ts';
import type { Terminal } from '../terminal.ts';

export const command = defineCommand<ResultsFlags & BodiesFlags>({
  summary: 'Publish finished logs: keep them in git',
  description: `Publishes logs, or all finished logs of directories. What is published already is left as it is, so it can be
said as often as one likes; another log of the same run becomes a new revision of it.`,
  arguments: [['<logs...>', 'logs, or directories of logs']],
  options: [...resultsOptions(), ...bodiesOptions()],
  examples: [
    ['holdfast results publish logs', 'all finished logs of a directory'],
    ['holdfast results publish logs/x.eval', 'one of them'],
  ],
  exits: {
    0: 'published, or there already',
    1: 'git failed',
    2: 'a log is not finished or no log, or there are no results yet (holdfast results init)',
    3: 'a log is damaged',
  },
  async run({ args, flags, terminal }) {
    await using results = await resultsOf(flags, terminal);
    const published = [];
    for (const log of await logsOf(args[0] ?? [], terminal))
      published.push(await publishOne(log, results, flags, terminal));
    if (flags.json) terminal.json(toJson({ repository: results.dir, runs: published }));
    await upkeepInBackground(results, terminal);
    return EXIT.ok;
  },
});

async function logsOf(given: string | readonly string[], { cwd }: Terminal): Promise<readonly string[]> {
  const logs: string[] = [];
  for (const place of typeof given === 'string' ? [given] : given) {
    if (isLogName(place)) {
      logs.push(place);
      continue;
    }
    await checkLogDir(place, cwd, 'holdfast results publish');
    const store = await logStoreOf(place, cwd);
    for await (const { name } of store.list()) logs.push(`${place.replace(/\/$/, '')}/${name}`);
  }
  return logs;
}

async function publishOne(place: string, results: ResultsStore, flags: ResultsFlags, terminal: Terminal) {
  const log = await openNamedLog(place, terminal.cwd);
  try {
    const { run, outcome, commit } = await results.publish(log, basename(place));
    const said = {
      published: 'published',
      revised: 'published as a new revision',
      there: 'is there already',
      restored: 'was there, and what was lost of it is there again',
    };
    if (!flags.json)
      terminal.line(
        `${run}  ${said[outcome]}  ${terminal.style.dim(relative(terminal.cwd, log.path) || log.path)}`,
      );
    return { run, outcome, commit, log: log.path };
  } finally {
    await log.close();
  }
}
