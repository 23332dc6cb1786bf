import { isoSeconds, sampleKeyText } from '../base/index.ts';
import type { Disk } from '../disk/index.ts';
import { lastSignMs, type RunJournals } from '../journal/index.ts';
import type { PreviousAttempt } from './account.ts';

/** How the last writer before this process ended, and what all of them had done by then. */
export async function previousAttempt(
  disk: Disk,
  journals: RunJournals,
): Promise<PreviousAttempt | undefined> {
  const last = journals.readers.at(-1);
  if (!last) return undefined;
  const completed = new Set<string>();
  const inFlight = new Set<string>();
  for (const { id, epoch, status } of journals.outline()) {
    const name = sampleKeyText(id, epoch);
    if (status === undefined) inFlight.add(name);
    else inFlight.delete(name);
    if (status === 'completed') completed.add(name);
  }
  const ending = last.ending();
  const signMs = await lastSignMs(disk, last);
  return {
    diedAt: ending?.endedAt ?? (signMs === undefined ? last.writer().startedAt : isoSeconds(signMs)),
    saidGoodbye: ending !== undefined,
    kept: completed.size,
    inFlight: [...inFlight].filter((name) => !completed.has(name)).length,
  };
}
