import { dirname } from 'node:path';
import { assert, type Clock, DamageError, type Json } from '../base/index.ts';
import { commitNewFile, type Disk, tempPathFor } from '../disk/index.ts';
import type { JournalReader, RunRecord } from '../journal/index.ts';
import {
  createLogFile,
  type EvalError,
  type LogFile,
  type LogHeader,
  type LogReader,
  type LogStatus,
  openLog,
  sampleMemberName,
  verifyLog,
} from '../log/index.ts';
import { ChoiceList, type Chosen } from './choice-list.ts';
import { chooseAttempts } from './choose-attempts.ts';
import { computeRunResults, StatsCollector } from './run-results.ts';
import { fieldsOf, summariesOf } from './sample-parts.ts';

export interface SealOptions {
  readonly disk: Disk;
  readonly clock: Clock;
  /** The journals of one run, best first. */
  readonly sources: readonly JournalReader[];
  /** Where the log goes; it never overwrites. */
  readonly logPath: string;
  /** Turns the place that a reused sample names into a path. */
  readonly resolveLog: (log: string) => string;
  readonly outcome: { readonly status: LogStatus; readonly error?: EvalError };
  /** False leaves the transcripts out, to keep the log small. Samples of other logs are copied as they are. */
  readonly withEvents?: boolean;
  /** Keys to add to the log's own metadata: the account, the sources. */
  readonly metadata?: Readonly<Record<string, Json>>;
  /** For the log's statistics: how the limits of concurrent calls changed. */
  readonly connectionLimits?: readonly Json[];
  readonly onProgress?: (done: number, total: number) => void;
}

export interface SealReport {
  readonly logPath: string;
  /** True when an earlier seal had made this very log already, and died before it could say so. */
  readonly wasThere: boolean;
  readonly header: LogHeader;
  readonly samples: number;
  readonly completed: number;
  readonly errored: number;
  readonly interrupted: number;
  readonly reused: number;
}

/**
 * Builds the finished log from the journals of a run. A clean run, a crashed one and one on many machines all end here.
 *
 * ### Ordering
 * 1. the log is written under a temporary name, 2. synced, 3. read back and checked, 4. given its name, 5. the name
 * is synced. Only then may the caller let the journal go [SEAL-1]. A crash before 4 leaves an orphan and the journal;
 * a crash after 4 leaves both, and the next seal finds the log of this run in its place.
 */
export async function sealRun(options: SealOptions): Promise<SealReport> {
  const source = options.sources[0];
  assert(source, 'a run has at least one journal');
  const run = source.run();
  const existing = await findSealedOrRefuse(options.disk, options.logPath, run);
  if (existing) {
    const counts = countChoices(await chooseAll(options));
    return { ...counts, logPath: options.logPath, wasThere: true, header: existing };
  }
  await options.disk.makeDir(dirname(options.logPath));
  const temp = tempPathFor(options.logPath);
  try {
    const { header, counts } = await buildLog(temp, run, options);
    await checkLog(temp, counts.samples, options);
    const outcome = await commitNewFile(options.disk, temp, options.logPath);
    if (outcome === 'exists') throw nameTaken(options.logPath);
    return { ...counts, logPath: options.logPath, wasThere: false, header };
  } catch (error) {
    await options.disk.remove(temp);
    throw error;
  }
}

/** The header of the log that an earlier seal of this run left in its place, if there is one. */
export async function findSealedLog(
  disk: Disk,
  path: string,
  run: RunRecord,
): Promise<LogHeader | undefined> {
  if (!(await disk.stat(path))) return undefined;
  const log = await openLog(disk, path);
  try {
    const header = await log.header();
    const isOurs = header.eval.run_id === run.runId && header.status !== 'started';
    return isOurs ? header : undefined;
  } finally {
    await log.close();
  }
}

async function findSealedOrRefuse(disk: Disk, path: string, run: RunRecord): Promise<LogHeader | undefined> {
  const sealed = await findSealedLog(disk, path, run);
  if (!sealed && (await disk.stat(path))) throw nameTaken(path);
  return sealed;
}

/** Logs that samples were to be copied from, and that are no longer there. */
async function missingLogs(options: SealOptions): Promise<ReadonlySet<string>> {
  const named = new Set<string>();
  for (const source of options.sources) for (const { log } of source.reused()) named.add(log);
  const gone = new Set<string>();
  for (const log of named) if (!(await options.disk.stat(options.resolveLog(log)))) gone.add(log);
  return gone;
}

/** The choices of a large run weigh something, and are let go before the log is checked. */
async function buildLog(
  temp: string,
  run: RunRecord,
  options: SealOptions,
): Promise<{ readonly header: LogHeader; readonly counts: ReturnType<typeof countChoices> }> {
  const choices = await chooseAll(options);
  const header = await writeLog(temp, run, choices, options);
  return { header, counts: countChoices(choices) };
}

async function chooseAll(options: SealOptions): Promise<ChoiceList> {
  const gone = await missingLogs(options);
  return new ChoiceList(
    options.sources,
    chooseAttempts(options.sources, (log) => !gone.has(log)),
  );
}

async function writeLog(
  temp: string,
  run: RunRecord,
  choices: ChoiceList,
  options: SealOptions,
): Promise<LogHeader> {
  const file = await createLogFile(options.disk, temp);
  const logs = new OpenLogs(options);
  try {
    await file.writeStart(run.start);
    let done = 0;
    for (const choice of choices) {
      await writeSample(file, choice, { logs, withEvents: options.withEvents ?? true });
      options.onProgress?.(++done, choices.length);
    }
    const stats = new StatsCollector(run);
    await file.writeSummaries(stats.watch(summariesOf(choices)));
    const { results, reductions } = await computeRunResults(run, choices);
    if (reductions.length > 0) await file.writeReductions(reductions);
    const header = headerOf(run, options, { results, stats: stats.finish(options) });
    await file.writeHeader(header);
    await file.finish();
    return header;
  } catch (error) {
    await file.abandon();
    throw error;
  } finally {
    await logs.close();
  }
}

async function writeSample(
  file: LogFile,
  choice: Chosen,
  { logs, withEvents }: { readonly logs: OpenLogs; readonly withEvents: boolean },
): Promise<void> {
  const { source } = choice;
  if (choice.from === 'log') {
    const { row } = choice;
    await file.copyMember(await logs.open(row.log), sampleMemberName(row.id, row.epoch));
    return;
  }
  const { n } = choice.attempt;
  await file.writeSample({
    fields: fieldsOf(choice),
    events: withEvents ? source.events(n) : [],
    attachments: source.attachments(n),
    messages: withEvents ? source.pool(n, 'message') : [],
    calls: withEvents ? source.pool(n, 'call') : [],
  });
}

function headerOf(
  run: RunRecord,
  options: SealOptions,
  computed: Pick<LogHeader, 'stats'> & { readonly results: LogHeader['results'] },
): LogHeader {
  const { status, error } = options.outcome;
  return {
    version: run.start.version,
    status,
    eval: run.start.eval,
    plan: run.start.plan,
    ...(computed.results ? { results: computed.results } : {}),
    stats: computed.stats,
    ...(error ? { error } : {}),
    invalidated: false,
    tags: run.start.eval.tags ?? [],
    metadata: { ...run.start.eval.metadata, ...options.metadata },
  };
}

/** Reads the whole log back: what is let go afterwards must be in it [SEAL-1]. */
async function checkLog(temp: string, samples: number, options: SealOptions): Promise<void> {
  const report = await verifyLog(options.disk, temp);
  const problem = report.problems[0];
  if (problem === undefined && report.samples === samples) return;
  throw new DamageError({
    code: 'E_SEAL_VERIFY',
    message: `The new log ${options.logPath} did not read back as it was written${problem ? ` (${problem.member}: ${problem.message})` : ''}.`,
    hint: 'Nothing was lost: the journal is untouched. Check the disk, then run the same command again.',
  });
}

function nameTaken(path: string): DamageError {
  return new DamageError({
    code: 'E_LOG_EXISTS',
    message: `${path} exists and is not the log of this run.`,
    hint: 'Nothing was overwritten. Move that file away, then run the same command again.',
  });
}

function countChoices(choices: ChoiceList) {
  const counts = { samples: choices.length, completed: 0, errored: 0, interrupted: 0, reused: 0 };
  for (const choice of choices) {
    if (choice.from === 'log') counts.reused++;
    else counts[choice.attempt.status ?? 'interrupted']++;
  }
  return counts;
}

/** Logs that samples are copied from, each opened once. */
class OpenLogs {
  readonly #options: SealOptions;
  readonly #open = new Map<string, LogReader>();

  constructor(options: SealOptions) {
    this.#options = options;
  }

  async open(log: string): Promise<LogReader> {
    const known = this.#open.get(log);
    if (known) return known;
    const reader = await openLog(this.#options.disk, this.#options.resolveLog(log));
    this.#open.set(log, reader);
    return reader;
  }

  async close(): Promise<void> {
    for (const reader of this.#open.values()) await reader.close();
  }
}
