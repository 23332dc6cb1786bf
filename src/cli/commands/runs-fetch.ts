import { Option } from 'commander';
import { findShared } from '../../cluster/index.ts';
import { cacheOption } from '../artifacts/artifact-options.ts';
import { defineCommand } from '../command.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { exitCodeAfter, sayPublished } from '../results/auto-publish.ts';
import { publishOptions } from '../results/publish-options.ts';
import { logDirOption } from '../run-options.ts';
import { fetchedJson } from '../shared/bring-home-all.ts';
import { type Fetched, type FetchFlags, fetchRun, isDamaged } from '../shared/fetch-run.ts';
import { fetchedLines } from '../shared/fetched-lines.ts';
import { exitAfterLaunch, launchedJson } from '../shared/launch-for.ts';
import { bucketOption } from '../shared/shared-options.ts';
import { openShared } from '../shared/shared-place.ts';

export const command = defineCommand<FetchFlags>({
  summary: 'Bring a shared run home: its log, its artifacts, its account',
  description: `Downloads what is new, seals one log of it, takes the artifacts that it used into the warm cache, and publishes it where results were begun.
Evidence, which is what agents and targets wrote, comes along: a folder below .holdfast/work for each attempt. A run
that was cancelled gives a log of what is there ("…-partial.eval"), one that goes on gives none yet: what is there is said, and the next fetch downloads the rest.
Fetching again changes nothing.`,
  arguments: [['<run>', 'its id, or the beginning or the end of it']],
  options: [
    bucketOption(),
    logDirOption('where the log goes'),
    cacheOption(),
    ...publishOptions(),
    new Option('--no-evidence', 'leave in the bucket what agents and targets left behind'),
    new Option('--quiet', 'show no progress'),
  ],
  examples: [['holdfast runs fetch 20261118', 'into the folder of logs of this project']],
  exits: {
    0: 'the log is here, and every sample has a result',
    1: 'the log is here; samples failed, were set aside or lost, a scorer failed, a threshold is missed, or launched workers could not be stopped',
    2: 'there is no such run, or no bucket is named',
    3: 'something stored is damaged',
    4: 'the run is not complete: what is there was fetched; there is a log of it if the run was cancelled',
  },
  async run(call) {
    const { args, flags, terminal } = call;
    const place = await openShared(flags, terminal);
    const fetched = await fetchRun(await findShared(place, String(args[0])), { call, place });
    const exitCode = exitCodeAfter(
      exitAfterLaunch(exitOf(fetched), fetched.launched),
      fetched.published,
      flags,
    );
    if (flags.json)
      terminal.json({ exitCode, ...fetchedJson(fetched), launched: launchedJson(fetched.launched) });
    else {
      for (const line of fetchedLines(fetched, terminal)) terminal.line(line);
      sayPublished(fetched.published, terminal);
    }
    return exitCode;
  },
});

function exitOf(fetched: Fetched): ExitCode {
  const { home, missed, scorerTroubles } = fetched;
  if (isDamaged(fetched)) return EXIT.damage;
  if (!home.isComplete) return EXIT.interrupted;
  const { errored, aside } = home.samples;
  return errored + aside + missed.length + scorerTroubles.length > 0 ? EXIT.failed : EXIT.ok;
}
