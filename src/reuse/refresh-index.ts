import { ActionableError, errnoOf, messageOf, sampleKeyText } from '../base/index.ts';
import type { Disk } from '../disk/index.ts';
import {
  answersMemberName,
  type LogReader,
  type LogStore,
  openAsFarAsWhole,
  type RepairedLog,
  repairedLog,
  type StoredLog,
} from '../log/index.ts';
import { type IndexedSample, LogIndex } from './log-index.ts';
import { readMark } from './sample-mark.ts';
import { usedBy } from './used-limits.ts';

/** A log that could not be read: unreadable is not absent. */
export interface UnreadableLog {
  readonly name: string;
  readonly reason: string;
  /** True when what is whole in it was read all the same. */
  readonly isRead: boolean;
}

export interface ReadyIndex {
  readonly index: LogIndex;
  readonly unreadable: readonly UnreadableLog[];
}

/**
 * The index of a log directory, brought up to what is there. It is a cache: one that is damaged is made again, and when it
 * cannot be used at all, every log is read for this process alone.
 */
export async function readyIndex(
  disk: Disk,
  path: string,
  about: { readonly logs: LogStore; readonly evalName: string },
): Promise<ReadyIndex> {
  try {
    return await ready(await openLogIndex(disk, path), about);
  } catch (error) {
    if (errnoOf(error) !== SQLITE_ERROR) throw error;
    return await ready(LogIndex.inMemory(), about);
  }
}

const SQLITE_ERROR = 'ERR_SQLITE_ERROR';
/** SQLITE_CORRUPT and SQLITE_NOTADB: nobody else can use it either, so it may go. */
const DAMAGED: ReadonlySet<unknown> = new Set([11, 26]);

async function openLogIndex(disk: Disk, path: string): Promise<LogIndex> {
  try {
    return LogIndex.open(path);
  } catch (error) {
    if (!(error instanceof Error) || !DAMAGED.has(Reflect.get(error, 'errcode'))) throw error;
    for (const ending of ['', '-wal', '-shm']) await disk.remove(`${path}${ending}`);
    return LogIndex.open(path);
  }
}

async function ready(
  index: LogIndex,
  { logs, evalName }: { readonly logs: LogStore; readonly evalName: string },
): Promise<ReadyIndex> {
  try {
    return { index, unreadable: await refreshIndex(index, logs, evalName) };
  } catch (error) {
    index[Symbol.dispose]();
    throw error;
  }
}

/**
 * Brings the index up to what the store holds, as far as one eval is concerned: logs that came or changed are read once, and
 * those of other evals only to know whose they are.
 */
async function refreshIndex(
  index: LogIndex,
  logs: LogStore,
  evalName: string,
): Promise<readonly UnreadableLog[]> {
  const names = new Set<string>();
  const unreadable: UnreadableLog[] = [];
  for await (const stored of logs.list()) {
    names.add(stored.name);
    const known = index.known(stored);
    const isKnown = known && (known.kind !== 'other' || known.eval !== evalName);
    if (!isKnown) await tryRead(index, { logs, stored, evalName });
    const now = isKnown ? known : index.known(stored);
    if (now && now.kind !== 'other' && now.reason !== undefined)
      unreadable.push({ name: stored.name, reason: now.reason, isRead: now.kind === 'indexed' });
  }
  // Another process may have made one since they were listed: only what is really gone is forgotten.
  for (const name of index.names()) if (!names.has(name) && !(await logs.stat(name))) index.forget(name);
  return unreadable;
}

interface ToRead {
  readonly logs: LogStore;
  readonly stored: StoredLog;
  readonly evalName: string;
}

async function tryRead(index: LogIndex, { logs, stored, evalName }: ToRead): Promise<void> {
  try {
    const opened = await openAsFarAsWhole(logs, stored.name);
    if (!opened) return;
    const { log, torn } = opened;
    try {
      await readInto(index, repairedLog(log), { stored, evalName, torn: torn?.message });
    } finally {
      await log.close();
    }
  } catch (error) {
    if (!(error instanceof ActionableError)) throw error;
    index.keepUnreadable(stored, messageOf(error));
  }
}

async function readInto(
  index: LogIndex,
  log: RepairedLog,
  { stored, evalName, torn }: Pick<ToRead, 'stored' | 'evalName'> & { readonly torn: string | undefined },
): Promise<void> {
  const { eval: spec, status, invalidated } = await log.header();
  // Ours get their names when they are finished: one that was cut off may have lost its header.
  const isUnfinished = status === 'started' && torn === undefined;
  if (isUnfinished || invalidated) return index.keepOther(stored, undefined);
  if (spec.task !== evalName || spec.metadata?.holdfast === undefined)
    return index.keepOther(stored, spec.task);
  const answers = answersIn(log);
  const samples: IndexedSample[] = [];
  for await (const summary of log.summaries()) {
    const mark = readMark(summary.metadata);
    if (!mark) continue;
    const isCompleted = summary.error === undefined && summary.completed;
    samples.push({
      name: sampleKeyText(summary.id, summary.epoch),
      state: mark.isInterrupted ? 'interrupted' : isCompleted ? 'completed' : 'errored',
      key: mark.key,
      asked: mark.asked,
      content: mark.content,
      used: usedBy(summary, mark.limit),
      later: mark.later,
      answers: answers.get(answersMemberName(summary)),
    });
  }
  const [damage] = log.damage;
  const about = { eval: spec.task, runId: spec.run_id, status, damage: torn ?? damage?.message };
  index.keep({ ...stored, ...about }, samples);
}

/** The directory of the log says which samples have answers, and tells one set of them from another. */
function answersIn(log: LogReader): ReadonlyMap<string, string> {
  return new Map(log.members().map(({ name, crc, sizeBytes }) => [name, `${crc.toString(16)} ${sizeBytes}`]));
}
