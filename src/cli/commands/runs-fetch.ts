import { Option } from 'commander';
import { ActionableError } from '../../base/index.ts';
import { findShared, type SharedRun } from '../../cluster/index.ts';
import { cacheOption } from '../artifacts/artifact-options.ts';
import { type CommandCall, defineCommand } from '../command.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { reportError } from '../report-error.ts';
import { exitCodeAfter, sayPublished } from '../results/auto-publish.ts';
import { publishOptions } from '../results/publish-options.ts';
import { logDirOption } from '../run-options.ts';
import { fetchedJson } from '../shared/bring-home-all.ts';
import { type Fetched, type FetchFlags, fetchRun, isDamaged } from '../shared/fetch-run.ts';
import { fetchedLines } from '../shared/fetched-lines.ts';
import { exitAfterLaunch, launchedJson } from '../shared/launch-for.ts';
import { bucketOption } from '../shared/shared-options.ts';
import { openShared } from '../shared/shared-place.ts';
import { untilStopped } from '../shared/until-stopped.ts';
import { UNTOLD } from '../shared/wait-exits.ts';

export const command = defineCommand<FetchFlags>({
  summary: 'Bring a shared run home: its log, its artifacts, its account',
  description: `Downloads what is new, seals one log of it, takes the artifacts that it used into the warm cache, and publishes it where results were begun.
Evidence, which is what agents and targets wrote, comes along: a folder below .holdfast/work for each attempt. A run
that was cancelled gives a log of what is there ("…-partial.eval"), one that goes on gives none yet: what is there is said, and the next fetch downloads the rest.
Fetching again changes nothing; Ctrl-C keeps what came home, and the next fetch goes on.`,
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
    4: 'the run is not complete: what is there was fetched; there is a log of it if the run was cancelled. Or interrupted (Ctrl-C): what came home is kept, and the same command goes on',
    ...UNTOLD,
  },
  isOfShared: true,
  async run(call) {
    const { args, flags, terminal } = call;
    const place = await openShared(flags, terminal);
    const onStop = () =>
      terminal.note('Stopping: what came home is kept, and the next fetch goes on. Ctrl-C again to give up.');
    return await untilStopped({ onStop, note: terminal.note }, async (signals) => {
      const shared = await findShared(place, String(args[0]));
      try {
        return sayFetched(await fetchRun(shared, { call, place, signals }), call, signals.drain.aborted);
      } catch (error) {
        if (!signals.drain.aborted || error !== signals.drain.reason) throw error;
        return sayStopped(shared, call);
      }
    });
  },
});

function sayFetched(fetched: Fetched, call: CommandCall<FetchFlags>, isStopped: boolean): ExitCode {
  const { flags, terminal } = call;
  const { launched, published } = fetched;
  const ownCode = isStopped ? EXIT.interrupted : exitOf(fetched);
  const exitCode = exitCodeAfter(exitAfterLaunch(ownCode, launched), published, flags);
  if (flags.json) terminal.json({ exitCode, ...fetchedJson(fetched), launched: launchedJson(launched) });
  else {
    for (const line of fetchedLines(fetched, terminal)) terminal.line(line);
    sayPublished(published, terminal);
  }
  return exitCode;
}

/** There is no log yet: what was downloaded is in the state directory. */
function sayStopped({ run }: SharedRun, { flags, terminal }: CommandCall<FetchFlags>): ExitCode {
  const error = new ActionableError({
    code: 'E_INTERRUPTED',
    message: `Run ${run} is not home: it was stopped before its log was written.`,
    hint: `What was downloaded is kept. Go on with: holdfast runs fetch ${run}`,
    retryable: true,
  });
  return reportError(error, terminal, { ...flags, exitCode: EXIT.interrupted });
}

function exitOf(fetched: Fetched): ExitCode {
  const { home, missed, scorerTroubles } = fetched;
  if (isDamaged(fetched)) return EXIT.damage;
  if (!home.isComplete) return EXIT.interrupted;
  const { errored, aside } = home.samples;
  return errored + aside + missed.length + scorerTroubles.length > 0 ? EXIT.failed : EXIT.ok;
}
