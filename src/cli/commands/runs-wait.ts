import { toJson } from '../../base/index.ts';
import { findShared, type SharedRun } from '../../cluster/index.ts';
import { defineCommand } from '../command.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { exitOfWait, type WaitFlags, waitForRun } from '../shared/await-runs.ts';
import { damageLines } from '../shared/damage-lines.ts';
import { missedOf } from '../shared/fetch-run.ts';
import { exitAfterLaunch, launchedJson, stopLaunchedFor } from '../shared/launch-for.ts';
import { bucketOption, queueOption, type SharedFlags } from '../shared/shared-options.ts';
import { type OpenedPlace, openShared, openSharedQueue } from '../shared/shared-place.ts';
import { hintLines, progressLine, scorerLines } from '../shared/status-lines.ts';
import { untilStopped } from '../shared/until-stopped.ts';
import { WAIT_EXITS } from '../shared/wait-exits.ts';
import { waitOptions } from '../shared/wait-options.ts';

export const command = defineCommand<SharedFlags & WaitFlags>({
  summary: 'Wait until a shared run is over; the exit code says how it ended',
  description: `From any machine that has the bucket. With a queue it also puts back what that has lost, once it answers. It ends when the run is complete or cancelled, when workers
had begun it and for a minute none was there, or by --timeout and --no-progress. A run that nobody has begun is waited for.`,
  arguments: [['<run>', 'its id, or the beginning or the end of it']],
  options: [bucketOption(), queueOption(), ...waitOptions()],
  examples: [
    ['holdfast runs wait 20261118 --no-progress 30m && holdfast runs fetch 20261118', 'then fetch it'],
  ],
  exits: WAIT_EXITS,
  isOfShared: true,
  async run(call) {
    const { args, flags, terminal } = call;
    const place = await openShared(flags, terminal);
    const shared = await findShared(place, String(args[0]));
    // The bucket says all that is waited for.
    const queue =
      flags.queue === undefined ? undefined : await openSharedQueue(flags, place, { mayBeAway: true });
    const onStop = () => terminal.note('Not waiting any more: the run goes on.');
    return await untilStopped(
      { onStop, note: terminal.note },
      async ({ drain: signal }): Promise<ExitCode> => {
        const { note } = terminal;
        const waited = await waitForRun(shared, { place, queue, flags, signal, note, isEndSaid: true });
        const isOver = waited.end === 'complete' || waited.end === 'cancelled';
        const launched = isOver ? await stopLaunchedFor(shared.run, { place, terminal }) : [];
        const missed = waited.end === 'complete' ? await tryMissedOf(shared, place, signal) : [];
        const ownCode = missed ? exitOfWait(waited, missed) : EXIT.interrupted;
        const exitCode = exitAfterLaunch(ownCode, launched);
        if (flags.json)
          terminal.json({
            ...{ exitCode, run: shared.run, end: waited.end, missed: [...(missed ?? [])] },
            ...{ status: toJson(waited.status), launched: launchedJson(launched) },
          });
        else {
          terminal.line(progressLine(waited.status));
          const { cancelled } = waited.status;
          for (const sentence of [...hintLines(cancelled), ...scorerLines(waited.status), ...(missed ?? [])])
            terminal.line(terminal.style.bad(sentence));
          for (const line of damageLines(shared.run, waited.status.damaged, terminal.style))
            terminal.line(line);
        }
        return exitCode;
      },
    ).finally(() => queue?.close());
  },
});

/** Undefined when whoever waits was told to stop before it was known. */
async function tryMissedOf(
  shared: SharedRun,
  place: OpenedPlace,
  signal: AbortSignal,
): Promise<readonly string[] | undefined> {
  try {
    return await missedOf(shared, place, signal);
  } catch (error) {
    if (!signal.aborted || error !== signal.reason) throw error;
    return undefined;
  }
}
