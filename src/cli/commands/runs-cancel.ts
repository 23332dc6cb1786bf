import { DamageError, systemClock } from '../../base/index.ts';
import { cancelRound, cancelUnread, findShared, findSharedId, type SharedRun } from '../../cluster/index.ts';
import { defineCommand } from '../command.ts';
import { EXIT } from '../exit-code.ts';
import { damagedJson, damageLines, exitAfterDamage } from '../shared/damage-lines.ts';
import { exitAfterLaunch, launchedJson, stopLaunchedFor } from '../shared/launch-for.ts';
import { type BucketFlags, bucketOption } from '../shared/shared-options.ts';
import { type OpenedPlace, openShared, submitterName } from '../shared/shared-place.ts';
import { UNTOLD } from '../shared/wait-exits.ts';
import type { Terminal } from '../terminal.ts';

export const command = defineCommand<BucketFlags>({
  summary: 'Stop a shared run everywhere; it can be resumed',
  description: `Says in the bucket that nothing more of the run is wanted. Workers, wherever they are, give back within seconds what they have of it. What ended stays,
what was paid for stays, and "holdfast runs resume" goes on.`,
  arguments: [['<run>', 'its id, or the beginning or the end of it']],
  options: [bucketOption()],
  examples: [['holdfast runs cancel 20261118', 'from any machine that has the bucket']],
  exits: {
    0: 'it is cancelled, or was complete already',
    1: 'the same, but workers that were launched for it could not be stopped',
    2: 'there is no such run, or no bucket is named',
    3: 'the same, but something that is stored of it is damaged: it is named',
    ...UNTOLD,
  },
  isOfShared: true,
  async run({ args, flags, terminal }) {
    const place = await openShared(flags, terminal);
    const shared = await openOrCancel(place, await findSharedId(place, String(args[0])), terminal);
    const isOver = shared.isComplete;
    if (!isOver) await cancelRound(shared, place, { clock: systemClock, by: submitterName() });
    const launched = await stopLaunchedFor(shared.run, { place, terminal });
    const { run, round, damaged } = shared;
    const exitCode = exitAfterDamage(exitAfterLaunch(EXIT.ok, launched), damaged);
    const state = isOver ? 'complete' : 'cancelled';
    for (const line of damageLines(run, damaged, terminal.noteStyle)) terminal.note(line);
    if (flags.json)
      terminal.json({
        ...{ exitCode, run, round, state, launched: launchedJson(launched) },
        damaged: damagedJson(damaged),
      });
    else
      terminal.line(
        isOver
          ? `${shared.run} is complete: there is nothing to cancel.`
          : `${shared.run} is cancelled. Go on with: holdfast runs resume ${shared.run}`,
      );
    return exitCode;
  },
});

/** Damage is told, and keeps nobody from spending less: the run is cancelled before. */
async function openOrCancel(place: OpenedPlace, run: string, terminal: Terminal): Promise<SharedRun> {
  try {
    return await findShared(place, run);
  } catch (error) {
    if (!(error instanceof DamageError)) throw error;
    await cancelUnread(place, { run, clock: systemClock, by: submitterName() });
    terminal.note(`cancelled ${run}`);
    await stopLaunchedFor(run, { place, terminal });
    throw error;
  }
}
