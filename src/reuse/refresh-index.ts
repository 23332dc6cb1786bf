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
import { type EarlierLog, isIndexName } from './earlier-logs.ts';
import { type IndexedSample, type KnownLog, LogIndex, type LogToKeep } from './log-index.ts';
import { logsWithPublished, PublishedLogs, storedAs } from './published-logs.ts';
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
    /** Runs that are published and may not be in the directory; `unasked` leaves what is known of them as it is. */
    readonly published?: PublishedLogs | 'unasked' | undefined;
    readonly evalName: string;
    /** Whoever only looks writes nothing: what is not in the index yet is read for this process alone. */
    readonly isLooking?: boolean;
  },
): Promise<ReadyIndex> {
  try {
    return await (about.isLooking
      ? lookedAt(disk, path, about)
      : ready(await openCacheFile(disk, path, LogIndex.open), about));
  } catch (error) {
    if (errnoOf(error) !== SQLITE_ERROR) throw error;
    return await ready(LogIndex.inMemory(), about);
  }
}

const SQLITE_ERROR = 'ERR_SQLITE_ERROR';

/** As it is, when nobody has it open and all logs are in it; else a copy, to which the others are added. */
async function lookedAt(disk: Disk, path: string, about: Sources): Promise<ReadyIndex> {
  if (!(await disk.stat(path))) return await ready(LogIndex.inMemory(), about);
  // Whoever has it open may be changing it; and what is published may have to be added.
  const mayChange =
    (await disk.stat(`${path}-wal`)) !== undefined || about.published instanceof PublishedLogs;
  return await ready(
    mayChange || !(await isUpToDate(path, about)) ? LogIndex.copyOf(path) : LogIndex.look(path),
    about,
  );
}

async function isUpToDate(
  path: string,
  { logs, evalName }: { readonly logs: LogStore; readonly evalName: string },
): Promise<boolean> {
  using index = LogIndex.look(path);
  const names = new Set<string>();
  for await (const stored of logs.list()) {
    names.add(stored.name);
    if (!isEnough(index.known(stored), evalName)) return false;
  }
  return index.names().every((name) => names.has(name));
}

/** Of logs of other evals nothing but that is wanted. */
function isEnough(known: KnownLog | undefined, evalName: string): boolean {
  return known !== undefined && (known.kind !== 'other' || known.eval !== evalName);
}

interface Sources {
  readonly logs: LogStore;
  readonly published?: PublishedLogs | 'unasked' | undefined;
  readonly evalName: string;
}

async function ready(index: LogIndex, sources: Sources): Promise<ReadyIndex> {
  try {
    return { index, unreadable: await refreshIndex(index, sources) };
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
  { logs, published, evalName }: Sources,
): Promise<readonly UnreadableLog[]> {
  const names = new Set<string>();
  const unreadable: UnreadableLog[] = [];
  const waiting = new WaitingLogs(index);
  for await (const stored of logs.list()) {
    names.add(stored.name);
    const isKnown = isEnough(index.known(stored), evalName);
    const read = isKnown ? undefined : await tryRead(index, { logs, stored, evalName });
    if (read) waiting.add(read);
    const now = read ? { kind: 'indexed' as const, reason: read.log.damage } : index.known(stored);
    if (now && now.kind !== 'other' && now.reason !== undefined)
      unreadable.push({ name: stored.name, reason: now.reason, isRead: now.kind === 'indexed' });
  }
  waiting.keep();
  if (published instanceof PublishedLogs)
    unreadable.push(...(await refreshPublished(index, { logs, published, evalName })));
  // Another process may have made one since they were listed: only what is really gone is forgotten.
  for (const name of index.names())
    if (!names.has(name) && !(await isThere(name, { logs, published }))) index.forget(name);
  return unreadable;
}

/** What was read and is not in the index yet: it is put there by thousands of samples. */
class WaitingLogs {
  readonly #index: LogIndex;
  #logs: LogToKeep[] = [];
  #samples = 0;

  constructor(index: LogIndex) {
    this.#index = index;
  }

  add(read: LogToKeep): void {
    this.#logs.push(read);
    this.#samples += read.samples.length;
    if (this.#samples >= WAITING_MAX) this.keep();
  }

  keep(): void {
    if (this.#logs.length > 0) this.#index.keepAll(this.#logs);
    this.#logs = [];
    this.#samples = 0;
  }
}

const WAITING_MAX = 50_000;

/** Published runs of the eval whose logs are not in the directory: each is read once, since what is published never changes. */
async function refreshPublished(
  index: LogIndex,
  { logs, published, evalName }: Sources & { readonly published: PublishedLogs },
): Promise<readonly UnreadableLog[]> {
  const either = logsWithPublished(logs, published);
  const unreadable: UnreadableLog[] = [];
  for (const log of published.ofEval(evalName)) {
    const stored = storedAs(log);
    if (index.runOf(log.name) === log.run) index.forget(stored.name);
    else if (!isKnownFor(index.known(stored), { log, evalName })) {
      const read = await tryRead(index, { logs: either, stored, evalName });
      if (read) index.keepAll([read]);
    }
    const known = index.known(stored);
    if (known?.kind !== 'unreadable') continue;
    unreadable.push({ name: stored.name, reason: known.reason, isRead: false });
    // It may be whole again when the repository is: unlike a file it would not be seen to have changed.
    index.forget(stored.name);
  }
  return unreadable;
}

/** One whose name is cut in its row may have been read for another eval, whose name begins alike. */
function isKnownFor(
  known: KnownLog | undefined,
  { log, evalName }: { readonly log: EarlierLog; readonly evalName: string },
): boolean {
  return log.eval === evalName ? known !== undefined : isEnough(known, evalName);
}

async function isThere(
  name: string,
  { logs, published }: Pick<Sources, 'logs' | 'published'>,
): Promise<boolean> {
  if (!isIndexName(name)) return (await logs.stat(name)) !== undefined;
  return published === 'unasked' || published?.find(name) !== undefined;
}

interface ToRead {
  readonly logs: LogStore;
  readonly stored: StoredLog;
  readonly evalName: string;
}

/** Gives what is to be kept of a log of this eval; what there is to know of another is kept at once. */
async function tryRead(index: LogIndex, { logs, stored, evalName }: ToRead): Promise<LogToKeep | undefined> {
  try {
    const opened = await openAsFarAsWhole(logs, stored.name);
    if (!opened) return undefined;
    const { log, torn } = opened;
    try {
      return await readLog(index, repairedLog(log), { stored, evalName, torn: torn?.message });
    } finally {
      await log.close();
    }
  } catch (error) {
    if (!(error instanceof ActionableError)) throw error;
    index.keepUnreadable(stored, messageOf(error));
    return undefined;
  }
}

async function readLog(
  index: LogIndex,
  log: RepairedLog,
  { stored, evalName, torn }: Pick<ToRead, 'stored' | 'evalName'> & { readonly torn: string | undefined },
): Promise<LogToKeep | undefined> {
  const { eval: spec, status, invalidated } = await log.header();
  // Ours get their names when they are finished: one that was cut off may have lost its header.
  const isUnfinished = status === 'started' && torn === undefined;
  const isOurs = spec.task === evalName && spec.metadata?.holdfast !== undefined;
  if (isUnfinished || invalidated || !isOurs) {
    index.keepOther(stored, isUnfinished || invalidated ? undefined : spec.task);
    return undefined;
  }
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
  const about = {
    eval: spec.task,
    target: spec.model,
    runId: spec.run_id,
    status,
    damage: torn ?? damage?.message,
  };
  return { log: { ...stored, ...about }, samples };
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
