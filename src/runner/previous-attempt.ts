import { isoSeconds, sampleKeyText } from '../base/index.ts';
import type { Disk } from '../disk/index.ts';
import { type JournalReader, lastSignMs, type RunJournals } from '../journal/index.ts';
import type { EarlierSession, PreviousAttempt } from './account.ts';

/** How the last writer before this process ended, what all of them had done by then, and when each was at work. */
export async function previousAttempt(
  disk: Disk,
  journals: RunJournals,
): Promise<PreviousAttempt | undefined> {
  const completed = new Set<string>();
  const inFlight = new Set<string>();
  const sessions: EarlierSession[] = [];
  for (const reader of journals.readers) {
    for (const { id, epoch, status } of reader.outline()) {
      const name = sampleKeyText(id, epoch);
      if (status === undefined) inFlight.add(name);
      else inFlight.delete(name);
      if (status === 'completed') completed.add(name);
    }
    sessions.push({ ...(await sessionOf(disk, reader)), kept: completed.size });
  }
  const last = sessions.at(-1);
  return (
    last && {
      diedAt: last.endedAt,
      saidGoodbye: last.saidGoodbye,
      kept: completed.size,
      inFlight: [...inFlight].filter((name) => !completed.has(name)).length,
      sessions,
    }
  );
}

async function sessionOf(disk: Disk, reader: JournalReader): Promise<Omit<EarlierSession, 'kept'>> {
  const { startedAt, process } = reader.writer();
  const ending = reader.ending();
  const signMs = ending ? undefined : await lastSignMs(disk, reader);
  return {
    startedAt,
    endedAt: ending?.endedAt ?? (signMs === undefined ? startedAt : isoSeconds(signMs)),
    saidGoodbye: ending !== undefined,
    host: process.host,
  };
}
