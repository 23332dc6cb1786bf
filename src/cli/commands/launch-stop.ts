import { asSentence, UsageError } from '../../base/index.ts';
import { findShared } from '../../cluster/index.ts';
import { launchedFor, type Stopped, stopWorkers } from '../../launch/index.ts';
import { type CommonFlags, defineCommand } from '../command.ts';
import { EXIT } from '../exit-code.ts';
import { portsOfLaunch } from '../launch/ports-of-launch.ts';
import { listenForStop } from '../run/stop-control.ts';
import { exitAfterLaunch, launchedJson } from '../shared/launch-for.ts';
import { type BucketFlags, bucketOption } from '../shared/shared-options.ts';
import { type OpenedPlace, openShared } from '../shared/shared-place.ts';
import type { Terminal } from '../terminal.ts';

type LaunchStopFlags = CommonFlags & BucketFlags;

export const command = defineCommand<LaunchStopFlags>({
  summary: 'Stop the workers that were launched for a run',
  description: `Stops the workers that were launched for a run, from any machine that has the bucket: the commands that stop it are on record there. They are run
once, also when several people do this at the same time, and again when they failed. The run itself is left as it is, and can be resumed.`,
  arguments: [['<run>', 'its id, or the beginning or the end of it']],
  options: [bucketOption()],
  examples: [
    ['holdfast launch stop 20261115T185232123-k3QxvR2mNp --bucket s3://team/runs', 'stop all of its workers'],
  ],
  exits: {
    0: 'all of them are stopped, or were before',
    1: 'some could not be stopped; the same command tries again',
    2: 'there is no such run, no workers were launched for it, or no bucket is named',
    3: 'the record of a launch is damaged',
    4: 'interrupted (Ctrl-C) before all of them were stopped; the same command goes on',
  },
  async run({ args, flags, terminal }) {
    const place = await openShared(flags, terminal);
    const run = await launchedRun(place, String(args[0]));
    const control = listenForStop({
      onDrain: () =>
        terminal.note('Workers are being stopped. Press Ctrl-C again not to wait until they are.'),
      onAbort: () => undefined,
      note: terminal.note,
      exitCode: EXIT.interrupted,
    });
    try {
      const stopped = await stopWorkers(place, run, portsOfLaunch(terminal, control.signals));
      if (stopped.length === 0) throw nothing(run, place.bucket.url);
      const exitCode = exitAfterLaunch(EXIT.ok, stopped);
      if (flags.json) terminal.json({ exitCode, run, launched: launchedJson(stopped) });
      else for (const one of stopped) sayOutcome(one, terminal);
      return exitCode;
    } finally {
      control.dispose();
    }
  },
});

/** Of a run whose submission cannot be read, workers are stopped as well: by its whole id. */
async function launchedRun(place: OpenedPlace, named: string): Promise<string> {
  const isId = /^\w[\w.-]*$/.test(named);
  if (isId && (await launchedFor(place, named)).length > 0) return named;
  return (await findShared(place, named)).run;
}

function sayOutcome({ record, outcome, problem }: Stopped, { line, style, note }: Terminal): void {
  const where = record.hosts === undefined ? record.kind : `${record.kind}: ${record.hosts.join(', ')}`;
  const words = { stopped: 'stopped', already: 'was stopped before', failed: 'NOT stopped' }[outcome];
  line(`${record.label} (${where}) ${outcome === 'failed' ? style.bad(words) : style.good(words)}`);
  if (problem) note(`${asSentence(problem.message)}\n  ${problem.hint}`);
}

function nothing(run: string, url: string): UsageError {
  return new UsageError({
    code: 'E_LAUNCH_NONE',
    message: `No workers were launched for run ${run} of ${url}.`,
    hint: 'Check the id of the run; workers that were started by hand are stopped by hand.',
  });
}
