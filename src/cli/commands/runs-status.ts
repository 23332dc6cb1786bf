import { toJson } from '../../base/index.ts';
import { findShared } from '../../cluster/index.ts';
import { defineCommand } from '../command.ts';
import { EXIT } from '../exit-code.ts';
import { exitAfterDamage } from '../shared/damage-lines.ts';
import { seenStatus } from '../shared/seen-status.ts';
import { type BucketFlags, bucketOption } from '../shared/shared-options.ts';
import { openShared } from '../shared/shared-place.ts';
import { statusLines } from '../shared/status-lines.ts';
import { UNTOLD } from '../shared/wait-exits.ts';

export const command = defineCommand<BucketFlags>({
  summary: 'Show how far a shared run is: samples in flight, workers, failures, money',
  description: `Derived from what lies in the bucket, from any machine that has it: queued, running, stalled, interrupted, complete, cancelled, or unknown where it
cannot be told whether workers live.`,
  arguments: [['<run>', 'its id, or the beginning or the end of it']],
  options: [bucketOption()],
  examples: [['holdfast runs status 20261118', 'the run of that day']],
  exits: {
    0: 'it was shown, whatever its state',
    2: 'there is no such run, or no bucket is named',
    3: 'the same, but something stored is damaged: it is named',
    ...UNTOLD,
  },
  isOfShared: true,
  async run({ args, flags, terminal }) {
    const place = await openShared(flags, terminal);
    const shared = await findShared(place, String(args[0]));
    const status = await seenStatus(shared, place);
    const exitCode = exitAfterDamage(EXIT.ok, status.damaged);
    if (flags.json) terminal.json({ exitCode, ...(toJson(status) as object) });
    else for (const line of statusLines(status, terminal)) terminal.line(line);
    return exitCode;
  },
});
