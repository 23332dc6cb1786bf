import { ActionableError, errnoOf, messageOf, sampleKeyText } from '../base/index.ts';
import { type Disk, openCacheFile } from '../disk/index.ts';
import {
  answersMemberName,
  type EvalSampleSummary,
  type LogReader,
  type LogStore,
  openAsFarAsWhole,
  type RepairedLog,
  repairedLog,
  type StoredLog,
} from '../log/index.ts';
import { type IndexedSample, LogIndex } from './log-index.ts';
import { readMark, type SampleMark } from './sample-mark.ts';
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
  about: {
    readonly logs: LogStore;
    readonly evalName: string;
    /** Whoever only looks writes nothing: what is not in the index yet is read for this process alone. */
    readonly isLooking?: boolean;
  },
): Promise<ReadyIndex> {
  try {
    return await ready(
      about.isLooking ? await copiedIndex(disk, path) : await openCacheFile(disk, path, LogIndex.open),
      about,
    );
  } catch (error) {
    if (errnoOf(error) !== SQLITE_ERROR) throw error;
    return await ready(LogIndex.inMemory(), about);
  }
}

const SQLITE_ERROR = 'ERR_SQLITE_ERROR';

async function copiedIndex(disk: Disk, path: string): Promise<LogIndex> {
  return (await disk.stat(path)) ? LogIndex.copyOf(path) : LogIndex.inMemory();
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
    const mark = readMark(summary.metadata) ?? (await longMark(log, summary));
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

/** A mark that names many modules is left out of the summary, as all that is long: then it is read where it is whole. */
async function longMark(
  log: RepairedLog,
  { id, epoch, metadata }: EvalSampleSummary,
): Promise<SampleMark | undefined> {
  if (metadata.holdfast === undefined) return undefined;
  try {
    return readMark((await log.sampleFields(id, epoch))?.metadata);
  } catch (error) {
    // A sample that is damaged lends nothing; the others do.
    if (!(error instanceof ActionableError)) throw error;
    return undefined;
  }
}

/** The directory of the log says which samples have answers, and tells one set of them from another. */
function answersIn(log: LogReader): ReadonlyMap<string, string> {
  return new Map(log.members().map(({ name, crc, sizeBytes }) => [name, `${crc.toString(16)} ${sizeBytes}`]));
}
