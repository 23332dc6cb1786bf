import { basename, dirname, join } from 'node:path';
import { ActionableError, isJsonObject, toJson } from '../../base/index.ts';
import { isBucketUrl } from '../../bucket/index.ts';
import { nodeDisk } from '../../disk/index.ts';
import { type LogHeader, type LogReader, openLog, repairedLog } from '../../log/index.ts';
import { quoteWord } from '../../process/index.ts';
import type { RecoverReport } from '../../recover/index.ts';
import type { CommandCall } from '../command.ts';
import type { RetryFlags } from '../commands/retry.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { isElsewhere } from '../logs/local-copy.ts';
import { folderOf, logStoreOf, openNamedLog } from '../logs/log-place.ts';
import { findPublished, type PublishedRun } from '../logs/named-log.ts';
import { runLoaded } from '../run/run-command.ts';
import { shortPath } from '../short-path.ts';
import type { Terminal } from '../terminal.ts';
import { isDamaged, recoverLines } from './recover-account.ts';
import { recoverNamed } from './recover-command.ts';
import { namedLog } from './recover-places.ts';
import { findRetriedEval } from './retried-eval.ts';

/** `holdfast retry`: goes on with a log of ours, or says how to go on with one of Inspect's. */
export async function retryCommand(call: CommandCall<RetryFlags>): Promise<ExitCode> {
  const given = String(call.args[0]);
  await using published = await findPublished(given, call.flags, call.terminal);
  if (published) return await retryPublished(published, call);
  const log = isElsewhere(given) ? given : (await namedLog(given)).log;
  const open = () => (isElsewhere(given) ? openNamedLog(given, call.terminal.cwd) : openLog(nodeDisk, log));
  const found = await headerOf(open);
  if (!found || !isOurs(found.header)) return retryInspect(log, found, call);
  return retryOurs({ log, logDir: logDirOf(given, log) }, found.header, call);
}

/** What a published run holds is taken over by the run itself; one of Inspect needs a file, which is made in the log directory. */
async function retryPublished(
  { store, found }: PublishedRun,
  call: CommandCall<RetryFlags>,
): Promise<ExitCode> {
  const { logDir } = call.flags;
  const { name } = found.revision.row.log;
  const about = await headerOf(() => store.open(found));
  if (about && isOurs(about.header)) return retryOurs({ log: name, logDir }, about.header, call);
  const logs = await logStoreOf(logDir, call.terminal.cwd);
  const home = await store.bringHome(found, logs);
  return await retryInspect(logs.placeOf(home), about, call);
}

/** What a log says of itself, also when that is damaged. */
interface FoundHeader {
  readonly header: LogHeader;
  readonly isDamaged: boolean;
}

/** Undefined for a log that is cut off: what it is can only be told by recovering it. */
async function headerOf(open: () => Promise<LogReader>): Promise<FoundHeader | undefined> {
  try {
    const log = repairedLog(await open());
    try {
      const header = await log.header();
      return { header, isDamaged: (await log.checkDocuments()).length > 0 };
    } finally {
      await log.close();
    }
  } catch (error) {
    if (error instanceof ActionableError && error.code === 'E_LOG_TORN') return undefined;
    throw error;
  }
}

function isOurs({ eval: spec }: LogHeader): boolean {
  return isJsonObject(spec.metadata?.holdfast);
}

async function retryOurs(
  { log, logDir }: { readonly log: string; readonly logDir: string },
  header: LogHeader,
  call: CommandCall<RetryFlags>,
): Promise<ExitCode> {
  const { flags, words, terminal } = call;
  const { source, models, changes } = await findRetriedEval({ log, header, flags, cwd: terminal.cwd });
  const { eval: _eval, model: _model, ...shared } = flags;
  return runLoaded({
    evals: [source],
    changes,
    command: 'retry',
    call: {
      args: [[source.file]],
      words,
      terminal,
      settings: call.settings,
      isGiven: call.isGiven,
      flags: { ...shared, model: models, logDir, reuse: 'same' },
    },
  });
}

/** The new log goes where the old one is: into a bucket as into a bucket. */
function logDirOf(given: string, log: string): string {
  return isBucketUrl(given) ? folderOf(given) : dirname(log);
}

/** Inspect runs its own evals: the log is made fit for that, and the command is said. */
async function retryInspect(
  log: string,
  found: FoundHeader | undefined,
  { flags, terminal }: CommandCall<RetryFlags>,
): Promise<ExitCode> {
  const header = found?.header;
  const isUnfinished = found === undefined || found.isDamaged || header?.status === 'started';
  const made = isUnfinished ? await recoveredOf(log, terminal) : { log };
  const { report } = made;
  const status = report?.status ?? header?.status;
  const isDone = status === 'success';
  const command = `inspect eval-retry ${quoteWord(shortPath(made.log, terminal.cwd))}`;
  const exitCode = report && isDamaged(report) ? EXIT.damage : EXIT.ok;
  if (flags.json) {
    terminal.json({
      exitCode,
      kind: 'inspect',
      log: made.log,
      ...(report ? { recovered: toJson(report) } : {}),
      next: isDone ? [] : [{ what: 'To run what is missing', command }],
    });
    return exitCode;
  }
  const view = { terminal, isVerbose: flags.verbose ?? false, isKept: true };
  for (const line of report ? recoverLines(report, view) : []) terminal.line(line);
  if (isDone) terminal.line(`${shortPath(made.log, terminal.cwd)} is a success: nothing is missing.`);
  else terminal.line(`To run what is missing, with Inspect: ${terminal.style.bold(command)}`);
  return exitCode;
}

/** An earlier recovery is gone on with: there is nothing more to find. */
async function recoveredOf(
  log: string,
  terminal: Terminal,
): Promise<{ readonly log: string; readonly report?: RecoverReport }> {
  const recovered = join(dirname(log), `${basename(log).replace(/\.(eval|json)$/, '')}-recovered.eval`);
  if (await nodeDisk.stat(recovered)) return { log: recovered };
  const report = await recoverNamed(log, { keep: true }, terminal);
  return { log: report.output, report };
}
