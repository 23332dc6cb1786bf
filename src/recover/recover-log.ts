import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { ActionableError, definedOf, UsageError } from '../base/index.ts';
import { type FoundBufferDatabase, openBucketSource, parseBufferPath } from '../journal/index.ts';
import { type LogHeader, openLogSource } from '../log/index.ts';
import { findRun, runAround } from './find-run.ts';
import { finishCleanup, type MadeLog } from './finish-cleanup.ts';
import { type CrashPorts, findInspectCrash, type InspectCrash } from './inspect-crash.ts';
import { besideLog, type LogSite, logNameOf, recoveredName, siteInBucket, siteOfPath } from './log-site.ts';
import { recoverErrors } from './recover-errors.ts';
import { recoverInspect } from './recover-inspect.ts';
import type { RecoverOptions } from './recover-options.ts';
import type { RecoverReport } from './recover-report.ts';
import { type RunSite, recoverRun } from './recover-run.ts';
import { hasEvents, isRecovered } from './recovery-mark.ts';

/** What a name can stand for. */
type Target =
  | { readonly kind: 'run'; readonly run: RunSite }
  | { readonly kind: 'log'; readonly site: LogSite; readonly database?: FoundBufferDatabase };

/** Turns whatever a crash left into a finished log: a run of ours, or one of Inspect's. */
export async function recoverLog(options: RecoverOptions): Promise<RecoverReport> {
  if (options.overwrite && options.output !== undefined) {
    throw new UsageError({
      code: 'E_RECOVER_OPTIONS',
      message: 'A recovered log cannot both replace the crashed one and go somewhere else.',
      hint: 'Give either --overwrite or --output.',
    });
  }
  const target = await resolveTarget(options);
  if (target.kind === 'log') return recoverAt(target.site, options, target.database);
  const { places } = options;
  if (!places) throw recoverErrors.nothing(options.log);
  return recoverRun(target.run, { ...options, places, scratchDir: options.scratchDir ?? places.state.path });
}

async function recoverAt(
  site: LogSite,
  options: RecoverOptions,
  database: FoundBufferDatabase | undefined,
): Promise<RecoverReport> {
  const output = outputOf(site, options);
  const scratchDir = options.scratchDir ?? (await scratchFor([output, site], options));
  const ports = { ...options, scratchDir };
  const crash = await findInspectCrash(site, ports, database);
  if (crash.finished) return cleanUp(crash, { header: crash.finished, site }, { options, ports });
  try {
    refuseLiving(crash, options);
    if (!crash.flushed && crash.databases.length === 0 && !crash.filestore) throw nothingAt(crash);
    const header = options.overwrite ? undefined : await findEarlierRecovery(crash, output, options);
    if (header) return await cleanUp(crash, { header, site: output }, { options, ports });
    // Before a buffer is opened: where nothing can be written, nothing is touched.
    if (output.path !== undefined) await options.disk.makeDir(output.logDir);
    return await recoverInspect(crash, {
      ...ports,
      output,
      isOverwrite: options.overwrite ?? false,
      keep: options.keep ?? false,
      withEvents: !options.noEvents,
      incomplete: {
        action: options.incomplete ?? 'retry',
        ...definedOf({ max: options.incompleteMax }),
      },
    });
  } finally {
    await crash.flushed?.close();
  }
}

async function resolveTarget(options: RecoverOptions): Promise<Target> {
  const { disk, bucket, log } = options;
  if (bucket && /\.(eval|json)$/.test(log)) return { kind: 'log', site: siteInBucket(bucket, log) };
  const stat = await disk.stat(log);
  if (stat?.kind === 'directory') return resolveDirectory(options);
  const database = parseBufferPath(log);
  // A database that is gone may have left its write-ahead log.
  if (database && (stat || (await disk.stat(`${database.path}-wal`)))) {
    const site = siteOfPath(disk, join(dirname(resolve(log)), database.logName));
    return { kind: 'log', site, database: { ...database, path: resolve(database.path) } };
  }
  const around = stat ? runAround(log) : undefined;
  if (around) return { kind: 'run', run: around };
  if (!stat && !/\.(eval|json)$/.test(log)) {
    const run = await findRun(options);
    if (run) return { kind: 'run', run };
  }
  return { kind: 'log', site: siteOfPath(disk, log) };
}

async function resolveDirectory({ disk, log }: RecoverOptions): Promise<Target> {
  const dir = resolve(log);
  const run = runAround(dir);
  if (run) return { kind: 'run', run };
  if (basename(dirname(dir)) === '.buffer') {
    return { kind: 'log', site: siteOfPath(disk, join(dirname(dirname(dir)), `${basename(dir)}.eval`)) };
  }
  throw recoverErrors.directory(dir);
}

function outputOf(site: LogSite, { disk, bucket, output, overwrite }: RecoverOptions): LogSite {
  if (overwrite) return site;
  if (output !== undefined) return bucket ? siteInBucket(bucket, output) : siteOfPath(disk, output);
  const name = recoveredName(logNameOf(site));
  if (site.path === undefined) return siteInBucket(site.bucket, besideLog(site, name));
  return siteOfPath(disk, join(dirname(site.path), name));
}

/** Where there is room for the log there is room for scratch. No directory is made for what may not come to be. */
async function scratchFor(sites: readonly LogSite[], { disk }: RecoverOptions): Promise<string> {
  for (const { path, logDir } of sites)
    if (path !== undefined && (await disk.stat(logDir))?.kind === 'directory') return logDir;
  return tmpdir();
}

function refuseLiving(crash: InspectCrash, { forceDead }: RecoverOptions): void {
  const { liveness, because } = crash.verdict;
  if (liveness === 'alive') throw recoverErrors.alive(crash.site.place, because);
  if (liveness === 'unknown' && !forceDead) throw recoverErrors.unknown(crash.site.place, because);
}

/** An empty or torn file without anything beside it is said as what it is. */
function nothingAt(crash: InspectCrash) {
  return crash.problems.length > 0
    ? recoverErrors.hopeless(crash.site.place, crash.problems)
    : recoverErrors.nothing(crash.site.place);
}

/** The log that an earlier recovery of the same crash put in its place, if that is what stands there. */
async function findEarlierRecovery(
  { flushed }: InspectCrash,
  output: LogSite,
  { noEvents }: RecoverOptions,
): Promise<LogHeader | undefined> {
  const source = await openBucketSource(output.bucket, output.key);
  if (!source || !flushed) return undefined;
  try {
    const reader = await openLogSource(source);
    const header = await reader.header();
    await reader.close();
    const { header: before } = flushed;
    const isSame = (key: 'eval_id' | 'run_id' | 'created') => header.eval[key] === before?.eval[key];
    const isOurs = isSame('eval_id') && isSame('run_id') && isSame('created') && isRecovered(header);
    return isOurs && hasEvents(header) !== (noEvents ?? false) ? header : undefined;
  } catch (error) {
    // Whatever else stands there is refused when it would be overwritten.
    if (error instanceof ActionableError) return undefined;
    throw error;
  }
}

/** The log is there: either nothing crashed, or a recovery of ours died before it could let the sources go. */
function cleanUp(
  crash: InspectCrash,
  made: MadeLog,
  { options, ports }: { readonly options: RecoverOptions; readonly ports: CrashPorts },
): Promise<RecoverReport> {
  const { databases, filestore, site } = crash;
  const hasSources = databases.length > 0 || filestore !== undefined;
  if (!isRecovered(made.header) || !hasSources || options.keep)
    throw made.site.place === site.place
      ? recoverErrors.finished(site.place, made.header.status)
      : recoverErrors.exists(made.site.place);
  refuseLiving(crash, options);
  return finishCleanup(crash, made, ports);
}
