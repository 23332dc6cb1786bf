import { relative } from 'node:path';
import { Option } from 'commander';
import { messageOf, packageVersion, systemClock, systemRandom, toJson } from '../../base/index.ts';
import { nodeDisk } from '../../disk/index.ts';
import { type ExportAccount, exportAppDir, exportStudio } from '../../server/index.ts';
import type { RunSource } from '../../sources/index.ts';
import { defineCommand } from '../command.ts';
import { EXIT } from '../exit-code.ts';
import { parseCount } from '../parse-values.ts';
import { counted, formatBytes } from '../quantities.ts';
import { openSources, type SourceFlags, sourceOptions } from '../results/run-sources.ts';
import { letHeapGrow } from '../small-heap.ts';
import { type ChosenFlags, chooseRuns } from '../studio/chosen-runs.ts';
import { exportPlace } from '../studio/export-place.ts';
import { showProgress } from '../studio/export-progress.ts';
import { untilStopped } from '../studio/until-stopped.ts';
import type { Terminal } from '../terminal.ts';

interface ExportFlags extends SourceFlags, ChosenFlags {
  readonly out: string;
  readonly force?: true;
  readonly withNotes?: true;
  readonly app?: string;
}

export const command = defineCommand<ExportFlags>({
  summary: 'Write the Studio of some runs as files that open without a server',
  description: `Writes the Studio with these runs into a folder: list, run, sample, compare and search work from the files alone, by opening index.html or from
any web host. It holds the full transcripts: whoever gets it can read everything that the models were asked and said. Notes and verdicts stay here
unless --with-notes is given. The folder is whole or not there.`,
  arguments: [
    ['[runs...]', 'ids of runs, beginnings of them, names of logs, tags (tag:<name>), @last, @prev or @main'],
  ],
  options: [
    new Option('--out <dir>', 'the folder that is written').makeOptionMandatory(),
    new Option('--all', 'all finished runs'),
    new Option('--where <filter>', 'runs that a filter of the Studio leaves: "eval:swe* since:30d -tag:ci"'),
    new Option('--limit <n>', 'with --all or --where: only so many, the newest').argParser(parseCount),
    new Option('--with-notes', 'with what people said of the runs: notes and verdicts'),
    new Option('--force', 'replace the export that is in the folder'),
    new Option('--eval <name>', 'the eval of @last, @prev, @main and tags'),
    new Option('--app <dir>', 'another app than that of the package, for those who work on it').hideHelp(),
    ...sourceOptions(),
  ],
  examples: [
    ['holdfast studio export --out report @prev @last', 'two runs, compared'],
    ["holdfast studio export --out site --where 'eval:swe* since:30d'", 'a month, for a Pages site'],
    ['holdfast studio export --out week --all --source ../inspect-logs', 'also logs of another folder'],
  ],
  exits: {
    0: 'written',
    1: 'git or the disk failed, or a source could not be read; then nothing of it is in the export',
    2: 'there is no such run, nothing was chosen, or the folder is not free',
    3: 'written, but something in it could not be read, and is told there',
    4: 'stopped; nothing was written',
  },
  async run({ args, flags, terminal, isGiven }) {
    letHeapGrow();
    const given = args[0] ?? [];
    const names = typeof given === 'string' ? [given] : given;
    const out = await exportPlace(flags.out, terminal.cwd, { force: flags.force === true });
    const appDir = await exportAppDir(nodeDisk, flags.app);
    await using opened = await openSources({ flags, terminal, isGiven, mayBeEmpty: true });
    const { sources } = opened;
    const nowMs = systemClock.nowMs();
    const chosen = await chooseRuns(names, { flags, sources, terminal, nowMs });
    for (const run of chosen.underWay) terminal.note(`${run} is left out: it is still under way.`);
    for (const { place, error } of chosen.problems) terminal.note(`${place}: ${error.message} ${error.hint}`);
    const stop = new AbortController();
    void untilStopped().then(() => stop.abort(new Error('it was stopped')));
    using progress = showProgress(terminal);
    try {
      const account = await exportStudio({
        ...chosen,
        disk: nodeDisk,
        clock: systemClock,
        random: systemRandom,
        sources,
        withNotes: flags.withNotes === true,
        about: await aboutOf(sources),
        appDir,
        out,
        signal: stop.signal,
        onProgress: progress.show,
      });
      progress.end();
      report(account, out, { flags, terminal });
      if (account.damage.length > 0) return EXIT.damage;
      return chosen.problems.length > 0 ? EXIT.failed : EXIT.ok;
    } catch (error) {
      if (!stop.signal.aborted) throw error;
      terminal.note(`Stopped: nothing was written (${messageOf(error)}).`);
      return EXIT.interrupted;
    }
  },
});

async function aboutOf(sources: readonly RunSource[]) {
  const results = sources.find((source) => source.results)?.results;
  const commit = (await results?.tree())?.commit;
  const places = sources.filter(({ kind }) => kind !== 'journals').map(({ place }) => place);
  return { version: packageVersion(), places, ...(commit === undefined ? {} : { commit }) };
}

function report(
  account: ExportAccount,
  out: string,
  { flags, terminal }: { readonly flags: ExportFlags; readonly terminal: Terminal },
): void {
  if (flags.json) {
    terminal.json(toJson({ out, ...account }));
    return;
  }
  const { style, line, cwd } = terminal;
  const { runs, samples, events, comparisons, files, bytes, damage } = account;
  line(`${style.bold(relative(cwd, out) || out)}  ${counted(files, 'file')}, ${formatBytes(bytes)}`);
  line(
    `${counted(runs, 'run')}, ${counted(samples, 'sample')}, ${counted(events, 'event')}, ${counted(comparisons, 'comparison')}.`,
  );
  for (const { run, sample, epoch, message } of damage) {
    const where = sample === undefined ? '' : `, sample ${sample} at epoch ${epoch}`;
    line(style.bad(`${run}${where}: ${message}`));
  }
  const notes = flags.withNotes ? 'and notes and verdicts' : 'but no notes';
  line(style.dim(`It holds the full transcripts, ${notes}: look before you share it.`));
  line(style.dim(`Open ${relative(cwd, out) || out}/index.html, or put the folder on any web host.`));
}
