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
  const diedMs = Date.parse(previous.diedAt);
  // Nothing says when the last session began but its first sample.
  const firstMs = more.reduce(
    (least, { startMs }) => (startMs > diedMs ? Math.min(least, startMs) : least),
    Number.POSITIVE_INFINITY,
  );
  const again = Number.isFinite(firstMs) ? isoSeconds(firstMs) : previous.diedAt;
  const how = previous.saidGoodbye ? 'stopped' : 'died';
  return [
    {
      start,
      end: previous.diedAt,
      ended: how,
      lostUsd: account.lostUsd,
      said: seamSaid(how, previous.diedAt, { ...previous, ...account, kept: previous.kept }),
    },
    lastSession(header, again, end),
  ];
}

/** "died at 14:02, 112 kept, 6 replayed, $0 lost" */
function seamSaid(
  how: string,
  at: string,
  { kept, replayed, lostUsd }: Pick<LoggedAccount, 'kept' | 'replayed' | 'lostUsd'>,
): string {
  return `${how} at ${clockTime(at)}, ${kept} kept, ${replayed} replayed, ${formatUsd(lostUsd)} lost`;
}

function lastSession(header: LogHeader, start: string, end: string | undefined): RunSession {
  const recovery = recoveryIn(header);
  if (recovery) {
    const { kept, recovered, inFlight, lost } = recovery;
    const said = `died; ${kept} kept, ${recovered} recovered, ${inFlight} under way, ${lost} lost`;
    return { start, ...definedOf({ end }), ended: 'died', said };
  }
  const at = end === undefined ? '' : ` at ${clockTime(end)}`;
  switch (header.status) {
    case 'success':
      return { start, ...definedOf({ end }), ended: 'finished', said: `finished${at}` };
    case 'cancelled':
      return { start, ...definedOf({ end }), ended: 'stopped', said: `cancelled${at}` };
    case 'error':
      return { start, ...definedOf({ end }), ended: 'stopped', said: `ended with an error${at}` };
    default:
      return { start, ended: 'unknown', said: 'not finished; nobody says whether it goes on' };
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
  if (ending) {
    const said = `${ENDINGS[ending.reason]} at ${clockTime(ending.endedAt)}, ${held}`;
    return {
      ...about,
      end: ending.endedAt,
      ended: ending.reason === 'finished' ? 'finished' : 'stopped',
      said,
    };
  }
  const liveness = writerLiveness(reader);
  const signMs = await lastSignMs(nodeDisk, reader);
  const sign = signMs === undefined ? undefined : isoSeconds(signMs);
  if (liveness === 'alive')
    return { ...about, ended: 'running', said: `running, ${held}, ${counted(underWay, 'sample')} under way` };
  const at = sign === undefined ? '' : ` at ${clockTime(sign)}`;
  const said = liveness === 'dead' ? `died${at}` : `last seen${at} on ${process.host}`;
  const ended = liveness === 'dead' ? 'died' : 'unknown';
  return {
    ...about,
    ...definedOf({ end: sign }),
    ended,
    said: `${said}, ${held}, ${counted(underWay, 'sample')} under way`,
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

/** `14:02`, in the time that the log was written in. */
function clockTime(time: string): string {
  return /T(\d\d:\d\d)/.exec(time)?.[1] ?? time;
}
