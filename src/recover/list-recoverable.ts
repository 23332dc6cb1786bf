import { join } from 'node:path';
import { ActionableError, sampleKeyText } from '../base/index.ts';
import { type Bucket, directoryBucket } from '../bucket/index.ts';
import type { Liveness } from '../disk/index.ts';
import {
  type BufferedSample,
  type Filestore,
  findBufferDatabases,
  openBufferDatabase,
} from '../journal/index.ts';
import { outlineOfRow } from './buffered-attempts.ts';
import { isFinal } from './buffered-copy.ts';
import type { FlushedLog } from './flushed-log.ts';
import { listRecords } from './flushed-records.ts';
import { type CrashPorts, findInspectCrash, type InspectCrash } from './inspect-crash.ts';
import { listRuns } from './list-runs.ts';
import { besideLog, type LogSite, logNameOf, recoveredName, siteInBucket, siteOfPath } from './log-site.ts';
import { countStates, stateOf } from './plan-recovery.ts';
import type { RunPlaces } from './recover-options.ts';
import type { RecoverProblem, SourceKind } from './recover-report.ts';
import { factsOfLog, factsOfName } from './run-facts.ts';
import { orderCopies, type SampleCopy } from './sample-copies.ts';

/** Something that a crash left and that `recoverLog` can make a log of. */
export interface Recoverable {
  readonly kind: 'holdfast' | 'inspect';
  /** What to hand to `recoverLog`: the path or key of a log, or a run id. */
  readonly log: string;
  /** How people name it. */
  readonly place: string;
  readonly task: string;
  readonly created: string;
  /** Samples times epochs; undefined when the run did not say. */
  readonly expected: number | undefined;
  readonly flushed: number;
  readonly completed: number;
  readonly inFlight: number;
  /** Best first. Only `log` or `torn log`: there is no buffer, and what was flushed is all there is. */
  readonly sources: readonly SourceKind[];
  readonly liveness: Liveness;
  readonly problems: readonly RecoverProblem[];
  /** True when nothing can be made of it: it is listed because it is damaged. */
  readonly isHopeless?: boolean;
}

export interface ListOptions extends CrashPorts {
  /** A directory of logs; with `bucket`, a folder in it ('' for all). Subdirectories are looked at as well. */
  readonly dir: string;
  readonly bucket?: Bucket;
  /** For Holdfast's own runs. */
  readonly places?: RunPlaces;
}

/** Everything in a directory or bucket that did not finish and was not recovered yet. Nothing is changed. */
export async function listRecoverable(options: ListOptions): Promise<readonly Recoverable[]> {
  const inspect = await listInspect(options);
  const own = options.places ? await listRuns(options.disk, options.places) : [];
  return [...oncePerRun(own), ...inspect];
}

/** A run of which one journal can be read and another cannot is one row, with all that is wrong. */
function oncePerRun(rows: readonly Recoverable[]): readonly Recoverable[] {
  const runs = new Map<string, Recoverable>();
  for (const row of rows) {
    const known = runs.get(row.log);
    const problems = [...(known?.problems ?? []), ...row.problems];
    const once = [...new Map(problems.map((problem) => [problem.message, problem])).values()];
    runs.set(row.log, { ...(known ?? row), problems: once });
  }
  return [...runs.values()];
}

async function listInspect(options: ListOptions): Promise<Recoverable[]> {
  const found: Recoverable[] = [];
  const sites = await sitesIn(options);
  for (const site of sites.values()) {
    const beside = besideLog(site, recoveredName(logNameOf(site)));
    if (await site.bucket.stat(beside)) continue;
    const row = await lookAt(site, options);
    if (row) found.push(row);
  }
  return found.sort((a, b) => (a.place < b.place ? -1 : 1));
}

/** The logs that are there, and those that are not but have left a buffer. */
async function sitesIn(options: ListOptions): Promise<ReadonlyMap<string, LogSite>> {
  const { disk, bucket, dir } = options;
  const store = bucket ?? directoryBucket(disk, dir);
  const prefix = bucket ? dir : '';
  const sites = new Map<string, LogSite>();
  const folders = new Set<string>([prefix]);
  const add = (key: string) => {
    const site = bucket ? siteInBucket(bucket, key) : siteOfPath(disk, join(dir, key));
    sites.set(site.place, site);
  };
  for await (const { key } of store.list(prefix)) {
    const orphan = /^(.*?)\.buffer\/([^/]+)\/(?:manifest\.json|segment\.\d+\.zip)$/.exec(key);
    if (orphan) add(`${orphan[1]}${orphan[2]}.eval`);
    // Our own state is below the log directory, and is no log.
    if (!key.endsWith('.eval') || /(^|\/)\.[^/]+\//.test(key)) continue;
    add(key);
    folders.add(key.slice(0, key.lastIndexOf('/') + 1));
  }
  for (const folder of folders) {
    const logDir = bucket ? siteInBucket(bucket, `${folder}x`).logDir : join(dir, folder);
    const databases = await findBufferDatabases(disk, { logDir, dataDirs: options.dataDirs });
    for (const { logName } of databases) add(`${folder}${logName}`);
  }
  return sites;
}

async function lookAt(site: LogSite, options: ListOptions): Promise<Recoverable | undefined> {
  let crash: InspectCrash;
  try {
    crash = await findInspectCrash(site, { ...options, isThorough: false });
  } catch (error) {
    // What is no log, or cannot be read at all, is not recoverable; naming it says why.
    if (error instanceof ActionableError) return undefined;
    throw error;
  }
  try {
    if (crash.finished) return undefined;
    const isAnything = crash.flushed || crash.databases.length > 0 || crash.filestore;
    return isAnything ? await describe(crash, options) : undefined;
  } finally {
    await crash.flushed?.close();
  }
}

async function describe(crash: InspectCrash, options: ListOptions): Promise<Recoverable> {
  const { site, flushed, filestore } = crash;
  const facts = (flushed && factsOfLog(flushed)) ?? factsOfName(site, undefined);
  const problems: RecoverProblem[] = [...(flushed?.problems ?? crash.problems)];
  const copies = flushed ? await notedRecords(flushed) : new Map<string, SampleCopy[]>();
  const note = (sample: Omit<BufferedSample, 'hasRow'>) => {
    const { id, epoch } = sample;
    const name = sampleKeyText(id, epoch);
    const attempt = {
      from: 'buffers',
      key: { id, epoch },
      readers: [],
      events: 0,
      ...outlineOfRow(sample),
    } as const;
    copies.set(name, [...(copies.get(name) ?? []), attempt]);
  };
  for (const { path } of crash.databases) await noteDatabase(path, options, { note, problems });
  if (filestore) noteFilestore(filestore, note);
  problems.push(...(filestore?.problems ?? []));
  const best = Array.from(copies.values(), (some) => orderCopies(some)[0]).filter(
    (copy) => copy !== undefined,
  );
  const counts = countStates(best.map(stateOf), facts.expected);
  return {
    kind: 'inspect',
    log: site.path ?? site.key,
    place: site.place,
    task: facts.start.eval.task,
    created: facts.start.eval.created,
    expected: facts.expected,
    flushed: counts.kept,
    completed: counts.recovered,
    inFlight: counts.inFlight,
    sources: sourcesOf(crash),
    liveness: crash.verdict.liveness,
    problems,
  };
}

type Note = (sample: Omit<BufferedSample, 'hasRow'>) => void;

/** By the log's own list, which is not checked: a list must not read every record. */
async function notedRecords(flushed: FlushedLog): Promise<Map<string, SampleCopy[]>> {
  const told = await listRecords(flushed);
  return new Map(
    flushed.keys.map((key) => {
      const name = sampleKeyText(key.id, key.epoch);
      const unknown = { from: 'record', key, rank: 'complete', uuid: undefined, endedAt: undefined } as const;
      return [name, [told.get(name) ?? unknown]];
    }),
  );
}

async function noteDatabase(
  path: string,
  options: ListOptions,
  into: { readonly note: Note; readonly problems: RecoverProblem[] },
): Promise<void> {
  try {
    const reader = await openBufferDatabase(options.disk, path, options);
    for (const sample of reader.samples()) into.note(sample);
    into.problems.push(...reader.problems);
    await reader.close();
  } catch (error) {
    if (!(error instanceof ActionableError)) throw error;
    into.problems.push({ code: error.code, message: error.message });
  }
}

/** By its manifest alone: a list must not read every segment. */
function noteFilestore({ manifest }: Filestore, note: Note): void {
  for (const { summary } of manifest?.samples ?? []) {
    const { id, epoch, uuid, started_at: startedAt, error } = summary;
    note({
      id: String(id),
      epoch: Number(epoch),
      isCompleted: isFinal(summary),
      ...(typeof uuid === 'string' ? { uuid } : {}),
      ...(typeof startedAt === 'string' ? { startedAt } : {}),
      ...(typeof error === 'string' ? { error } : {}),
    });
  }
}

function sourcesOf({ flushed, databases, filestore }: InspectCrash): SourceKind[] {
  const kinds: SourceKind[] = [];
  if (databases.length > 0) kinds.push('database');
  if (filestore) kinds.push('filestore');
  if (flushed && (kinds.length === 0 || flushed.keys.length > 0)) kinds.push(flushed.kind);
  return kinds;
}
