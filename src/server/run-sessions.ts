import { counted, definedOf, isoSeconds } from '../base/index.ts';
import { nodeDisk } from '../disk/index.ts';
import {
  type JournalReader,
  lastSignMs,
  lookAtRun,
  type RunJournals,
  writerLiveness,
} from '../journal/index.ts';
import type { LogHeader } from '../log/index.ts';
import { formatUsd } from '../views/index.ts';
import type { RunSession } from './api.ts';
import { accountIn, type LoggedAccount, recoveryIn } from './run-account.ts';
import type { SampleRows } from './sample-rows.ts';
import type { OpenRun } from './studio.ts';

/** The times that a run was worked on, oldest first, as far as its log or its journals tell. */
export async function sessionsOf(open: OpenRun, rows: SampleRows): Promise<RunSession[]> {
  const { form } = open.found.item;
  if (form === 'running' || form === 'interrupted' || form === 'unknown') {
    const journals = await lookAtRun({ disk: nodeDisk, runDir: open.reader.place });
    if (journals) {
      try {
        return await sessionsOfJournals(journals);
      } finally {
        journals.close();
      }
    }
  }
  return sessionsOfLog(rows);
}

function sessionsOfLog({ header, more }: SampleRows): RunSession[] {
  const account = accountIn(header);
  const { start, end } = timesOf(header);
  const previous = account?.previous;
  if (!account || !previous) return [lastSession(header, start, end)];
  const earlier = previous.sessions.map((session, at): RunSession => {
    const isLast = at === previous.sessions.length - 1;
    return {
      start: session.startedAt ?? start,
      end: session.endedAt,
      ...definedOf({ host: session.host }),
      ended: session.saidGoodbye ? 'stopped' : 'died',
      how: session.saidGoodbye ? 'stopped' : 'died',
      // What was replayed and lost is known over all of them, and told where the last of them ended.
      said: isLast ? seamSaid({ ...account, kept: session.kept }) : `${session.kept} kept`,
      ...(isLast && { lostUsd: account.lostUsd }),
    };
  });
  // Nothing says when the last session began but its first sample.
  const diedMs = Date.parse(previous.diedAt);
  const firstMs = more.reduce(
    (least, { startMs }) => (startMs > diedMs ? Math.min(least, startMs) : least),
    Number.POSITIVE_INFINITY,
  );
  const again = Number.isFinite(firstMs) ? isoSeconds(firstMs) : previous.diedAt;
  return [...earlier, lastSession(header, again, end)];
}

/** "112 kept, 6 replayed, $0 lost" */
function seamSaid({ kept, replayed, lostUsd }: Pick<LoggedAccount, 'kept' | 'replayed' | 'lostUsd'>): string {
  return `${kept} kept, ${replayed} replayed, ${formatUsd(lostUsd)} lost`;
}

function lastSession(header: LogHeader, start: string, end: string | undefined): RunSession {
  const recovery = recoveryIn(header);
  if (recovery) {
    const { kept, recovered, inFlight, lost } = recovery;
    const said = `${kept} kept, ${recovered} recovered, ${inFlight} under way, ${lost} lost`;
    return { start, ...definedOf({ end }), ended: 'died', how: 'died', said };
  }
  const about = { start, ...definedOf({ end }), said: '' };
  switch (header.status) {
    case 'success':
      return { ...about, ended: 'finished', how: 'finished' };
    case 'cancelled':
      return { ...about, ended: 'stopped', how: 'cancelled' };
    case 'error':
      return { ...about, ended: 'stopped', how: 'ended with an error' };
    default:
      return { start, ended: 'unknown', how: 'not finished', said: 'nobody says whether it goes on' };
  }
}

function timesOf({ stats, eval: { created } }: LogHeader): {
  readonly start: string;
  readonly end: string | undefined;
} {
  return { start: stats.started_at || created, end: stats.completed_at || undefined };
}

async function sessionsOfJournals(journals: RunJournals): Promise<RunSession[]> {
  const sessions: RunSession[] = [];
  for (const reader of journals.readers) sessions.push(await sessionOfWriter(reader));
  return sessions;
}

async function sessionOfWriter(reader: JournalReader): Promise<RunSession> {
  const { startedAt, process } = reader.writer();
  const ending = reader.ending();
  const { completed, underWay } = countAttempts(reader);
  const spent = reader.spentUsd();
  const held = `${completed} kept${spent > 0 ? `, ${formatUsd(spent)} spent` : ''}`;
  const about = { start: startedAt, host: process.host };
  if (ending)
    return {
      ...about,
      end: ending.endedAt,
      ended: ending.reason === 'finished' ? 'finished' : 'stopped',
      how: ENDINGS[ending.reason],
      said: held,
    };
  const liveness = writerLiveness(reader);
  const said = `${held}, ${counted(underWay, 'sample')} under way`;
  if (liveness === 'alive') return { ...about, ended: 'running', how: 'running', said };
  const signMs = await lastSignMs(nodeDisk, reader);
  const end = signMs === undefined ? undefined : isoSeconds(signMs);
  const isDead = liveness === 'dead';
  return {
    ...about,
    ...definedOf({ end }),
    ended: isDead ? 'died' : 'unknown',
    how: isDead ? 'died' : `last seen on ${process.host}`,
    said,
  };
}

const ENDINGS = {
  finished: 'finished',
  interrupted: 'stopped',
  budget: 'stopped by its budget',
  failed: 'stopped by a failure',
} as const;

function countAttempts(reader: JournalReader): { readonly completed: number; readonly underWay: number } {
  let completed = 0;
  let underWay = 0;
  for (const { status } of reader.outline()) {
    if (status === 'completed') completed++;
    else if (status === undefined) underWay++;
  }
  return { completed, underWay };
}
