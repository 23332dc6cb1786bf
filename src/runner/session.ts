import { join } from 'node:path';
import {
  ActionableError,
  type Clock,
  DamageError,
  isoSeconds,
  newRunId,
  type RunId,
  shortId,
  systemRandom,
} from '../base/index.ts';
import type { Disk } from '../disk/index.ts';
import {
  adoptJournal,
  createJournal,
  type FoundJournal,
  type Journal,
  type JournalReader,
  type RunRecord,
  readJournal,
} from '../journal/index.ts';
import { type LogReader, type LogStart, logFileName, openLog, sampleMemberName } from '../log/index.ts';
import { releaseJournal, sealRun } from '../seal/index.ts';
import type { PreviousAttempt } from './account.ts';
import { type ReuseFindings, sampleName } from './find-reusable.ts';
import { attemptsToCarry, type LookBack } from './look-back.ts';
import { journalDirOf, type Places, resolveStoredLog, storedLogName } from './places.ts';
import type { Plan, PlannedSample } from './plan.ts';

export interface SessionPorts {
  readonly disk: Disk;
  readonly clock: Clock;
  readonly places: Places;
}

/** A journal that is open for this run, and what it already holds. */
export interface Session {
  readonly journal: Journal;
  readonly run: RunRecord;
  readonly dir: string;
  readonly previous?: PreviousAttempt;
  readonly notes: readonly string[];
}

/** Goes on with the journal that fits, or begins a new one and carries over what earlier runs paid for. */
export async function openSession(
  plan: Plan,
  back: LookBack,
  startOf: (runId: RunId, created: string) => LogStart,
  ports: SessionPorts,
): Promise<Session> {
  const session = back.adopt ? await goOn(back.adopt, ports) : await beginNew(plan, startOf, ports);
  const notes: string[] = session.journal.damage === undefined ? [] : [session.journal.damage];
  for (const stale of back.stale) {
    try {
      notes.push(await takeOver(session.journal, stale, plan, ports));
    } catch (error) {
      if (!(error instanceof DamageError)) throw error;
      notes.push(`A journal could not be read and was left as it is: ${error.message} ${error.hint}`);
    }
  }
  return { ...session, notes };
}

async function goOn(found: FoundJournal, ports: SessionPorts): Promise<Omit<Session, 'notes'>> {
  const before = readJournal(found.path);
  const previous = previousAttempt(before);
  before.close();
  const journal = await adoptJournal(found.dir, ports);
  const problems = journal.quickCheck();
  if (problems !== undefined) {
    journal.close();
    throw problems;
  }
  return { journal, run: found.run, dir: found.dir, ...(previous ? { previous } : {}) };
}

async function beginNew(
  plan: Plan,
  startOf: (runId: RunId, created: string) => LogStart,
  ports: SessionPorts,
): Promise<Omit<Session, 'notes'>> {
  const nowMs = ports.clock.nowMs();
  const runId = newRunId(nowMs, systemRandom);
  const created = isoSeconds(nowMs);
  const start = startOf(runId, created);
  const run: RunRecord = {
    runId,
    writer: shortId(systemRandom),
    created,
    start,
    identity: { ...plan.identity, plan: plan.digest },
    planned: plan.samples.length,
    logName: logFileName({ created, task: start.eval.task, taskId: start.eval.task_id }),
  };
  const dir = journalDirOf(ports.places, runId);
  return { journal: await createJournal(dir, run, ports), run, dir };
}

/**
 * Takes what fits from a journal whose plan was another, then turns that journal into a log: whatever else it holds was
 * paid for too. Gives a sentence about it for the account.
 *
 * ### Ordering
 * The other journal is locked first, so that two processes do not take it over at once. What is carried is durable here
 * before the other journal is let go.
 */
async function takeOver(
  journal: Journal,
  stale: FoundJournal,
  plan: Plan,
  ports: SessionPorts,
): Promise<string> {
  const { runId } = stale.run;
  const source = await tryAdopt(stale.dir, ports);
  if (!source) return `The unfinished run ${runId} was taken over by another process just now.`;
  let sentence = `The unfinished run ${runId} held nothing that was paid for, and was removed.`;
  try {
    if (!source.isUnpaid()) {
      const attempts = attemptsToCarry(stale.path, plan);
      journal.copyFrom(stale.path, attempts);
      const waiting = countWaiting(source, attempts);
      if (waiting > 0) {
        return `The unfinished run ${runId} had another plan: ${attempts.length} attempt(s) were carried over. It stays, since it has answers for ${waiting} more sample(s) that were under way.`;
      }
      await sealStale(source, stale, ports);
      sentence = `The unfinished run ${runId} had another plan: ${attempts.length} attempt(s) were carried over, and it became ${stale.run.logName}.`;
    }
  } finally {
    source.close();
  }
  await releaseJournal(ports.disk, stale.dir);
  return sentence;
}

/** Samples under way that the new plan does not hold: their answers can be replayed only as long as the journal is there. */
function countWaiting(source: Journal, carried: readonly number[]): number {
  const isCarried = new Set(carried);
  const completed = new Set<string>();
  const waiting = new Set<string>();
  for (const attempt of source.outline()) {
    const name = sampleName(attempt);
    if (attempt.status === 'completed') completed.add(name);
    else if (attempt.status === undefined && !isCarried.has(attempt.n) && source.isPaid(attempt.n))
      waiting.add(name);
  }
  return [...waiting].filter((name) => !completed.has(name)).length;
}

async function tryAdopt(dir: string, ports: SessionPorts): Promise<Journal | undefined> {
  try {
    return await adoptJournal(dir, ports);
  } catch (error) {
    if (error instanceof ActionableError && error.code === 'E_JOURNAL_BUSY') return undefined;
    throw error;
  }
}

async function sealStale(source: Journal, stale: FoundJournal, ports: SessionPorts): Promise<void> {
  await sealRun({
    ...ports,
    sources: [source],
    logPath: join(ports.places.logDir, stale.run.logName),
    resolveLog: (log) => resolveStoredLog(ports.places, log),
    outcome: {
      status: 'error',
      error: {
        message: 'The run was interrupted, and a run with another plan took its place.',
        traceback: '',
        traceback_ansi: '',
      },
    },
  });
}

/** Writes down which samples come from which logs, with their summaries. */
export async function recordReuse(
  journal: Journal,
  findings: ReuseFindings,
  wanted: ReadonlySet<string>,
  ports: SessionPorts,
): Promise<Lent> {
  const byLog = new Map<string, Set<string>>();
  for (const [name, { logPath }] of findings.reusable) {
    if (!wanted.has(name)) continue;
    const names = byLog.get(logPath) ?? new Set();
    byLog.set(logPath, names.add(name));
  }
  const lent = new Set<string>();
  const damaged: string[] = [];
  for (const [logPath, names] of byLog) {
    const log = await openLog(ports.disk, logPath);
    try {
      const { run_id: runId } = (await log.header()).eval;
      for await (const summary of log.summaries()) {
        if (!names.delete(sampleName(summary))) continue;
        const { id, epoch } = summary;
        const member = sampleMemberName(id, epoch);
        if (!(await isWhole(log, member))) {
          damaged.push(`${member} in ${storedLogName(ports.places, logPath)}`);
          continue;
        }
        journal.recordReuse({ id, epoch, log: storedLogName(ports.places, logPath), runId, summary });
        lent.add(sampleName(summary));
        if (lent.size % 1_000 === 0) await journal.flush();
      }
    } finally {
      await log.close();
    }
  }
  await journal.flush();
  return { lent, damaged };
}

export interface Lent {
  readonly lent: ReadonlySet<string>;
  /** Samples that other logs hold damaged, by name of member and log. */
  readonly damaged: readonly string[];
}

/** Reads the member once: a sample that is damaged cannot be lent, and is run again. */
async function isWhole(log: LogReader, member: string): Promise<boolean> {
  try {
    const chunks = log.readMember(member);
    if (!chunks) return false;
    for await (const _ of chunks);
    return true;
  } catch (error) {
    if (error instanceof DamageError) return false;
    throw error;
  }
}

/** What is done, and what is still to do. */
export interface Progress {
  readonly completed: ReadonlySet<string>;
  readonly toRun: readonly PlannedSample[];
  /** Samples that had an attempt before. */
  readonly tried: ReadonlyMap<string, 'errored' | 'interrupted'>;
}

export function progressOf(journal: Journal, plan: Plan): Progress {
  const completed = new Set<string>();
  const tried = new Map<string, 'errored' | 'interrupted'>();
  for (const attempt of journal.outline()) {
    const name = sampleName(attempt);
    if (attempt.status === 'completed') completed.add(name);
    else tried.set(name, attempt.status ?? 'interrupted');
  }
  const toRun = plan.samples.filter((sample) => !completed.has(sampleName(sample)));
  return { completed, toRun, tried };
}

/** Read before this process says that it is there, so that the last sign of life is the other's. */
function previousAttempt(journal: JournalReader): PreviousAttempt | undefined {
  const last = journal.sessions().at(-1);
  if (!last) return undefined;
  let kept = 0;
  const inFlight = new Set<string>();
  for (const attempt of journal.outline()) {
    const name = sampleName(attempt);
    if (attempt.status === undefined) inFlight.add(name);
    else inFlight.delete(name);
    if (attempt.status === 'completed') kept++;
  }
  return {
    diedAt: last.ending?.endedAt ?? lastSign(journal) ?? last.startedAt,
    saidGoodbye: last.ending !== undefined,
    kept,
    inFlight: inFlight.size,
  };
}

function lastSign(journal: JournalReader): string | undefined {
  const beatMs = journal.lastBeatMs();
  return beatMs === undefined ? undefined : isoSeconds(beatMs);
}
