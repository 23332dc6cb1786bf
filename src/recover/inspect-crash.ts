import type { Clock } from '../base/index.ts';
import type { Disk, ProcessState } from '../disk/index.ts';
import {
  type Filestore,
  type FoundBufferDatabase,
  findBufferDatabases,
  findFilestore,
} from '../journal/index.ts';
import type { LogHeader } from '../log/index.ts';
import { type FlushedLog, openFlushedLog } from './flushed-log.ts';
import { inspectLiveness, type LivenessVerdict } from './inspect-liveness.ts';
import { filestorePrefix, type LogSite, logNameOf } from './log-site.ts';
import type { RecoverProblem } from './recover-report.ts';

export interface CrashPorts {
  readonly disk: Disk;
  readonly clock: Clock;
  /** Where the system keeps applications' data: see `platformDataDirs`. */
  readonly dataDirs: readonly string[];
  /** Where temporary files may be made. */
  readonly scratchDir: string;
  readonly stateOf?: (pid: number) => ProcessState;
  /** False: the samples of finished logs are not read to see whether they are whole. Default true. */
  readonly isThorough?: boolean;
}

const ENDED: LivenessVerdict = { liveness: 'dead', because: 'its log has an end' };

/** Everything that a crashed eval of Inspect left, found but for its buffers not yet read. */
export interface InspectCrash {
  readonly site: LogSite;
  readonly flushed: FlushedLog | undefined;
  readonly isLogThere: boolean;
  /** The header of the log, if it is finished: then nothing crashed, or somebody recovered it already. */
  readonly finished: LogHeader | undefined;
  readonly databases: readonly FoundBufferDatabase[];
  readonly filestore: Filestore | undefined;
  readonly verdict: LivenessVerdict;
  /** Changes whenever somebody writes into one of the sources. */
  readonly fingerprint: string;
  readonly problems: readonly RecoverProblem[];
}

/** Looks for the log, its databases and its filestore; each may be missing. `database` names one that lies elsewhere. */
export async function findInspectCrash(
  site: LogSite,
  ports: CrashPorts,
  database?: FoundBufferDatabase,
): Promise<InspectCrash> {
  const { disk, clock, isThorough = true } = ports;
  const databases = database ? [database] : await databasesOf(site, ports);
  const filestore = await findFilestore(site.bucket, filestorePrefix(site));
  const stamps = await stampsOf(site, { disk, databases, filestore });
  const log = await openFlushedLog(site, { scratch: { disk, dir: ports.scratchDir }, isThorough });
  // What is no log, and has left nothing else, is refused as what it is.
  if (log.foreign && databases.length === 0 && !filestore) throw log.foreign;
  const verdict = inspectLiveness({
    databases: databases.map(({ pid, path }) => ({ pid, modifiedMs: stamps.modified.get(path) ?? 0 })),
    filesModifiedMs: latest([stamps.modified.get(site.key), filestore?.modifiedMs]),
    nowMs: clock.nowMs(),
    ...(ports.stateOf ? { stateOf: ports.stateOf } : {}),
  });
  return {
    site,
    flushed: log.flushed,
    isLogThere: log.isThere,
    finished: log.finished,
    databases,
    filestore,
    // A log that has its end is written by nobody, whatever is damaged in it.
    verdict: log.flushed?.isFinished && databases.length === 0 && !filestore ? ENDED : verdict,
    fingerprint: stamps.fingerprint,
    problems: log.problems,
  };
}

/** The fingerprint of the same sources now. */
export async function fingerprintOf(crash: InspectCrash, ports: CrashPorts): Promise<string> {
  const filestore = await findFilestore(crash.site.bucket, filestorePrefix(crash.site));
  const stamps = await stampsOf(crash.site, { disk: ports.disk, databases: crash.databases, filestore });
  return stamps.fingerprint;
}

async function databasesOf(site: LogSite, ports: CrashPorts): Promise<readonly FoundBufferDatabase[]> {
  const found = await findBufferDatabases(ports.disk, { logDir: site.logDir, dataDirs: ports.dataDirs });
  return found.filter(({ logName }) => logName === logNameOf(site));
}

async function stampsOf(
  site: LogSite,
  found: {
    readonly disk: Disk;
    readonly databases: readonly FoundBufferDatabase[];
    readonly filestore: Filestore | undefined;
  },
): Promise<{ readonly modified: ReadonlyMap<string, number>; readonly fingerprint: string }> {
  const modified = new Map<string, number>();
  const parts: string[] = [];
  const log = await site.bucket.stat(site.key);
  if (log) modified.set(site.key, log.modifiedMs);
  parts.push(`log ${log?.sizeBytes} ${log?.modifiedMs}`);
  for (const { path } of found.databases) {
    // With a WAL the main file is old although its database is written all the time.
    for (const ending of ['', '-wal', '-journal']) {
      const stat = await found.disk.stat(path + ending);
      // Reading a database makes an empty WAL beside it, which says nothing.
      if (!stat || (ending !== '' && stat.sizeBytes === 0)) continue;
      modified.set(path, Math.max(modified.get(path) ?? 0, stat.modifiedMs));
      parts.push(`${path}${ending} ${stat.sizeBytes} ${stat.modifiedMs}`);
    }
  }
  const { filestore } = found;
  parts.push(`filestore ${filestore?.keys.length} ${filestore?.modifiedMs}`);
  return { modified, fingerprint: parts.join('\n') };
}

function latest(times: readonly (number | undefined)[]): number | undefined {
  const known = times.filter((time) => time !== undefined);
  return known.length === 0 ? undefined : Math.max(...known);
}
