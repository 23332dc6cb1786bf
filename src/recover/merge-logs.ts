import { basename, dirname } from 'node:path';
import { ActionableError, definedOf, type SampleId, UsageError } from '../base/index.ts';
import type { Disk } from '../disk/index.ts';
import {
  directoryLogStore,
  type LogFile,
  type LogHeader,
  type LogReader,
  type LogStore,
  type MeritRank,
  openLog,
} from '../log/index.ts';
import { computeResults, type SampleScores } from '../stats/index.ts';
import type { MergeConflict } from './merge-choice.ts';
import { mergedHeader } from './merge-header.ts';
import {
  type MergeDamage,
  type MergePlan,
  type OpenedInput,
  openInput,
  type PlannedCopy,
  planMerge,
} from './plan-merge.ts';
import { recoverErrors } from './recover-errors.ts';

export interface MergeOptions {
  readonly disk: Disk;
  /** Paths of logs of one eval: attempts, shards, recovered parts. Their order does not matter. */
  readonly logs: readonly string[];
  /** Must not exist. */
  readonly output: string;
  /** Opens a log by its name in `logs`. Default: the file of that path. */
  readonly open?: (log: string) => Promise<LogReader>;
  /** Where the output is kept. Default: its directory. */
  readonly into?: LogStore;
}

export interface MergeReport {
  readonly output: string;
  readonly status: LogHeader['status'];
  readonly samples: number;
  readonly completed: number;
  readonly errored: number;
  readonly cancelled: number;
  /** Samples that several logs hold complete, but not alike. */
  readonly conflicts: readonly MergeConflict[];
  /** What could not be read of a log; another log's copy was taken where there is one. */
  readonly damaged: readonly MergeDamage[];
  /** Samples of which no log has a copy that can be read. */
  readonly lost: readonly { readonly id: SampleId; readonly epoch: number }[];
  /** How many samples each log gave, by path. */
  readonly from: Readonly<Record<string, number>>;
}

/**
 * Makes one log of several of one eval, sample by sample: complete beats errored beats cancelled. What is chosen depends
 * only on the samples, never on the order or the age of the logs, so merging is commutative and idempotent; samples are
 * copied without being decoded.
 */
export async function mergeLogs(options: MergeOptions): Promise<MergeReport> {
  const { disk, logs, output } = options;
  if (logs.length === 0) throw noLogs();
  const { open = (path) => openLog(disk, path) } = options;
  if (await storeOf(options).stat(basename(output))) throw recoverErrors.exists(output);
  const opened: OpenedInput[] = [];
  try {
    for (const path of new Set(logs)) opened.push(await openInput(await open(path), path));
    refuseStrangers(opened);
    return await mergeOpened(opened, options);
  } finally {
    for (const { reader } of opened) await reader.close();
  }
}

async function mergeOpened(opened: readonly OpenedInput[], options: MergeOptions): Promise<MergeReport> {
  const { output } = options;
  const plan = await planMerge(opened);
  const created = await storeOf(options).create<LogHeader>(basename(output), {
    write: (file) => writeMerged(file, opened, plan),
    judge: ({ problems }) => {
      const broken = problems.find(({ code }) => code !== 'reference');
      if (broken) throw recoverErrors.verify(output, `${broken.member}: ${broken.message}`);
      return 'commit';
    },
  });
  if (created.outcome === 'exists') throw recoverErrors.exists(output);
  return reportOf(output, created.written, plan);
}

function storeOf({ disk, output, into }: MergeOptions): LogStore {
  return into ?? directoryLogStore(disk, dirname(output));
}

async function writeMerged(
  file: LogFile,
  opened: readonly OpenedInput[],
  { chosen, lost }: MergePlan,
): Promise<LogHeader> {
  const headers = opened.map(({ header }) => header);
  const summaries = chosen.map(({ summary }) => summary);
  const base = mergedHeader(headers, summaries, { isLacking: lost.length > 0 });
  await file.writeStart({ version: base.version, eval: base.eval, plan: base.plan });
  for (const { input, id, epoch } of chosen) await copySample(file, input.reader, { id, epoch });
  await file.writeSummaries(chosen.map(({ summary }) => summary));
  const { results, reductions } = await numbersOf(base, chosen);
  if (reductions.length > 0) await file.writeReductions(reductions);
  const header = { ...base, results };
  await file.writeHeader(header);
  return header;
}

async function copySample(
  file: LogFile,
  reader: LogReader,
  { id, epoch }: { readonly id: SampleId; readonly epoch: number },
): Promise<void> {
  if (await file.copySample(reader, { id, epoch })) return;
  const parts = await reader.parts(id, epoch);
  if (parts) await file.writeSample(parts);
}

/** From the samples' own scores: those of summaries are thinned. */
function numbersOf(header: LogHeader, chosen: readonly PlannedCopy[]) {
  const { scorers, metrics, config, metadata } = header.eval;
  async function* scores(): AsyncGenerator<SampleScores> {
    for (const { input, summary } of chosen) {
      const fields = await input.reader.sampleFields(summary.id, summary.epoch);
      yield fields ?? summary;
    }
  }
  return computeResults({
    samples: scores(),
    scorers: scorers ?? [],
    ...definedOf({ metrics }),
    ...(config.epochs_reducer ? { reducers: config.epochs_reducer } : {}),
    // Ours are counted as we count them.
    countsRecords: metadata?.holdfast !== undefined,
    totalSamples: chosen.length,
    completedSamples: chosen.filter(({ rank }) => rank === 'complete').length,
  });
}

function reportOf(output: string, header: LogHeader, plan: MergePlan): MergeReport {
  const of = (rank: MeritRank) => plan.chosen.filter((one) => one.rank === rank).length;
  const from: Record<string, number> = {};
  for (const { input } of plan.chosen) from[input.path] = (from[input.path] ?? 0) + 1;
  return {
    output,
    status: header.status,
    samples: plan.chosen.length,
    completed: of('complete'),
    errored: of('errored'),
    cancelled: of('interrupted'),
    conflicts: plan.conflicts,
    damaged: plan.damaged,
    lost: plan.lost,
    from,
  };
}

/** Logs of different tasks or models have nothing to be merged. */
function refuseStrangers(opened: readonly OpenedInput[]): void {
  const [first, ...others] = opened;
  for (const other of others) {
    for (const key of ['task', 'model'] as const) {
      const [mine, theirs] = [first?.header.eval[key], other.header.eval[key]];
      if (mine === theirs) continue;
      throw new ActionableError({
        code: 'E_MERGE_DIFFERENT',
        message: `${first?.path} and ${other.path} are not logs of one eval: their ${key} is "${mine}" and "${theirs}".`,
        hint: 'Merge only logs of the same task and model.',
      });
    }
  }
}

function noLogs(): UsageError {
  return new UsageError({
    code: 'E_MERGE_NOTHING',
    message: 'No logs were named to be merged.',
    hint: 'Name two logs or more.',
  });
}
