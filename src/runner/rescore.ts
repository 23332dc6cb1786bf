import { basename, dirname, join } from 'node:path';
import {
  type Clock,
  isJsonObject,
  type JsonObject,
  type Random,
  type SampleKey,
  shortId,
  stringifyJson,
  UsageError,
} from '../base/index.ts';
import { type Dataset, openDataset } from '../datasets/index.ts';
import { type Disk, fileNameFor } from '../disk/index.ts';
import { type PlannedEval, type PlannedScorer, type SampleRow, scorerSpecs } from '../evals/index.ts';
import { StateDir } from '../journal/index.ts';
import {
  addUsage,
  directoryLogStore,
  type EvalResults,
  type EvalSampleSummary,
  type EvalScorer,
  type LogEvent,
  type LogFile,
  type LogHeader,
  type LogReader,
  type ModelUsage,
  openLog,
  type SampleFields,
  type SampleParts,
  summarize,
} from '../log/index.ts';
import { computeResults, scorerKeys } from '../stats/index.ts';
import {
  createSampleMeter,
  createSampleScope,
  createWorkspace,
  type Models,
  type Workspace,
} from '../targets/index.ts';
import type { ScorerTrouble } from './account.ts';
import { JournalRecorder, NO_ANSWERS } from './journal-recorder.ts';
import { recordedOutput, recordedRow, sampleInput } from './sample-content.ts';
import type { AttemptSink } from './sample-journal.ts';
import { scoreSample } from './score-sample.ts';
import { ScorerTally } from './scorer-tally.ts';

export interface RescoreOptions {
  readonly disk: Disk;
  readonly clock: Clock;
  readonly random: Random;
  readonly from: string;
  readonly to: string;
  /** Whose scorers and metrics are used; its target is not called. */
  readonly eval: PlannedEval;
  readonly baseDir: string;
  readonly models: Models;
  /** overwrite: the new scores take the place of the old ones. append: they join them. */
  readonly action: 'overwrite' | 'append';
  readonly signal: AbortSignal;
  readonly onProgress?: (done: number, total: number) => void;
}

export interface RescoreReport {
  readonly logPath: string;
  readonly samples: number;
  readonly scored: number;
  /** Samples that ended with an error have no output to score; they are copied. */
  readonly copied: number;
  readonly results: EvalResults;
  /** Scorers that threw, or scored nothing at all. */
  readonly scorerTroubles: readonly ScorerTrouble[];
}

/**
 * Scores a log again from what it holds, without calling the target, and writes a new log. Samples are read, scored and
 * written one after the other.
 *
 * ### Ordering
 * See `LogStore.create`. The source is only read.
 */
export async function rescoreLog(options: RescoreOptions): Promise<RescoreReport> {
  const { disk, to } = options;
  const log = await openLog(disk, options.from);
  try {
    const rescore = new Rescore(options, log);
    const created = await directoryLogStore(disk, dirname(to)).create(basename(to), {
      write: (file) => rescore.writeTo(file),
    });
    if (created.outcome === 'exists') throw exists(to);
    return created.written;
  } finally {
    await log.close();
  }
}

class Rescore {
  readonly #options: RescoreOptions;
  readonly #log: LogReader;
  readonly #scratchDir: string;
  readonly #usage = new Map<string, ModelUsage>();
  readonly #tally = new ScorerTally();
  #scorers: readonly PlannedScorer[] = [];

  constructor(options: RescoreOptions, log: LogReader) {
    this.#options = options;
    this.#log = log;
    this.#scratchDir = StateDir.of(dirname(options.from)).workDir(`rescore-${shortId(options.random)}`);
  }

  async writeTo(file: LogFile): Promise<RescoreReport> {
    const header = await this.#log.header();
    const specs = this.#planScorers(header);
    const rows = await RowLookup.open(this.#options);
    try {
      return await this.#write(file, { header, specs, rows });
    } finally {
      await rows.close();
      await this.#options.disk.removeTree(this.#scratchDir);
    }
  }

  /** The scorers as the new header lists them; new ones get keys that no old one has. */
  #planScorers(header: LogHeader): readonly EvalScorer[] {
    const { eval: planned, action } = this.#options;
    const before = action === 'append' ? (header.eval.scorers ?? []) : [];
    const specs = [...before, ...scorerSpecs(planned)];
    const keys = scorerKeys(specs.map(({ name }) => name)).slice(before.length);
    this.#scorers = planned.scorers.map((scorer, index) => ({ ...scorer, key: keys[index] ?? scorer.key }));
    return specs;
  }

  async #write(
    file: LogFile,
    plan: { readonly header: LogHeader; readonly specs: readonly EvalScorer[]; readonly rows: RowLookup },
  ): Promise<RescoreReport> {
    const { onProgress, signal } = this.#options;
    const spec = this.#specOf(plan.header, plan.specs);
    await file.writeStart({ version: plan.header.version, eval: spec, plan: plan.header.plan });
    const keys = await this.#log.samples();
    const summaries: EvalSampleSummary[] = [];
    let scored = 0;
    for (const [index, key] of keys.entries()) {
      signal.throwIfAborted();
      const parts = await this.#log.parts(key.id, key.epoch);
      if (!parts) continue;
      const isScorable = parts.fields.error === undefined;
      const written = isScorable ? await this.#score(parts, plan.rows) : parts;
      if (isScorable) scored++;
      await file.writeSample(written);
      summaries.push(summarize(written.fields));
      onProgress?.(index + 1, keys.length);
    }
    await file.writeSummaries(summaries);
    const { results, reductions } = await this.#compute(plan.header, plan.specs, summaries);
    if (reductions.length > 0) await file.writeReductions(reductions);
    await file.writeHeader(this.#headerOf({ ...plan.header, eval: spec, results }));
    const copied = summaries.length - scored;
    const scorerTroubles = this.#tally.troubles();
    return { logPath: this.#options.to, samples: summaries.length, scored, copied, results, scorerTroubles };
  }

  async #score(parts: SampleParts, rows: RowLookup): Promise<SampleParts> {
    const { clock, models, signal, action } = this.#options;
    const { fields } = parts;
    const events: LogEvent[] = [];
    using meter = createSampleMeter({}, { clock, signal });
    const recorder = new JournalRecorder(sinkInto(events), NO_ANSWERS, { random: this.#options.random });
    const scope = createSampleScope({ recorder, meter, clock, random: this.#options.random });
    const row = await rows.find(fields);
    const scores = await recorder.inSpan(scope, { name: 'scorers', type: 'scorers' }, async () =>
      scoreSample({
        row,
        epoch: fields.epoch,
        output: recordedOutput(fields),
        scorers: this.#scorers,
        models,
        scope,
        recorder,
        workspace: await this.#workspace(fields),
        signal,
        timeMs: this.#options.eval.scorerTimeMs,
      }),
    );
    this.#tally.add(scores);
    const usage = meter.usageByModel();
    for (const [model, item] of Object.entries(usage))
      this.#usage.set(model, addUsage(this.#usage.get(model), item));
    return {
      ...parts,
      fields: {
        ...fields,
        metadata: withoutKeys(fields.metadata),
        scores: action === 'append' ? { ...fields.scores, ...scores } : scores,
        model_usage: mergeUsage(fields.model_usage, usage),
      },
      events: joined(parts.events, events),
    };
  }

  /** A copy of the folder in which the sample ran, when it is still there: scoring leaves the evidence as it is. */
  async #workspace({ id, epoch }: SampleKey): Promise<Workspace> {
    const { disk, from } = this.#options;
    const { run_id: runId } = (await this.#log.header()).eval;
    const attempts = join(StateDir.of(dirname(from)).workDir(runId), fileNameFor(String(id)));
    const last = (await disk.list(attempts))?.filter(({ name }) => name.startsWith(`${epoch}-`)).at(-1);
    const template = last && join(attempts, last.name, 'workspace');
    const scratch = createWorkspace({ disk, workDir: this.#scratchDir, sampleId: id, epoch });
    if (template === undefined || !(await disk.stat(template))) return scratch;
    return {
      disk,
      open: () => scratch.open(template),
      outputFiles: (step) => scratch.outputFiles(step),
      get dir() {
        return scratch.dir;
      },
    };
  }

  #compute(header: LogHeader, specs: readonly EvalScorer[], summaries: readonly EvalSampleSummary[]) {
    const { eval: planned, action } = this.#options;
    const metrics = action === 'append' ? header.eval.metrics : planned.metrics && [...planned.metrics];
    const reducers = planned.epochs.reducers ?? header.eval.config.epochs_reducer;
    return computeResults({
      samples: summaries,
      scorers: specs,
      ...(metrics === undefined ? {} : { metrics: metrics as NonNullable<LogHeader['eval']['metrics']> }),
      ...(reducers ? { reducers } : {}),
      countsRecords: true,
      totalSamples: header.results?.total_samples ?? summaries.length,
      completedSamples: summaries.filter(({ error }) => error === undefined).length,
    });
  }

  #specOf({ eval: spec }: LogHeader, scorers: readonly EvalScorer[]): LogHeader['eval'] {
    return { ...spec, scorers };
  }

  #headerOf(header: LogHeader): LogHeader {
    const added = Object.fromEntries(this.#usage);
    return {
      ...header,
      stats: { ...header.stats, model_usage: mergeUsage(header.stats.model_usage, added) },
    };
  }
}

/** Rows with the types that the eval's own data has, wherever they still are what the log says. */
class RowLookup {
  readonly #dataset: Dataset | undefined;
  readonly #indexes: ReadonlyMap<string, number>;

  private constructor(dataset: Dataset | undefined) {
    this.#dataset = dataset;
    this.#indexes = new Map(dataset?.ids.map((id, index) => [String(id), index]));
  }

  static async open({ eval: planned, baseDir, disk, from }: RescoreOptions): Promise<RowLookup> {
    try {
      return new RowLookup(
        await openDataset({ data: planned.data, baseDir, disk, tempDir: StateDir.of(dirname(from)).path }),
      );
    } catch (error) {
      // The data may have moved or changed since: the log itself holds every row as text.
      if (error instanceof UsageError) return new RowLookup(undefined);
      throw error;
    }
  }

  async find(fields: SampleFields): Promise<SampleRow> {
    const recorded = recordedRow(fields);
    const index = this.#indexes.get(String(fields.id));
    const row = index === undefined ? undefined : await this.#dataset?.row(index);
    return row && sampleInput(row) === recorded.input ? row : recorded;
  }

  async close(): Promise<void> {
    await this.#dataset?.close();
  }
}

/** What is scored by other scorers no longer stands for what the eval's own run would give: it is not to be reused. */
function withoutKeys(metadata: JsonObject): JsonObject {
  if (!isJsonObject(metadata.holdfast)) return metadata;
  const { key: _key, content: _content, ...ours } = metadata.holdfast;
  return { ...metadata, holdfast: ours };
}

/** Nothing here is worth a journal: what is interrupted is scored again, and the target's answers are in the log. */
function sinkInto(events: LogEvent[]): AttemptSink {
  return {
    n: 1,
    event: (event) => void events.push(event),
    answer: async (_answer, more) => void events.push(...more),
    replayed: () => undefined,
    output: async () => undefined,
    finish: async () => undefined,
  };
}

async function* joined(before: SampleParts['events'], added: readonly LogEvent[]): AsyncIterable<string> {
  yield* before;
  for (const event of added) yield stringifyJson(event);
}

function mergeUsage(
  before: Readonly<Record<string, ModelUsage>>,
  added: Readonly<Record<string, ModelUsage>>,
): Readonly<Record<string, ModelUsage>> {
  const merged: Record<string, ModelUsage> = { ...before };
  for (const [model, usage] of Object.entries(added)) merged[model] = addUsage(merged[model], usage);
  return merged;
}

function exists(path: string): UsageError {
  return new UsageError({
    code: 'E_FILE_EXISTS',
    message: `${path} exists already.`,
    hint: 'Name another file with --output.',
  });
}
