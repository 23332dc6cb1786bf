import { basename, dirname } from 'node:path';
import {
  assert,
  type Clock,
  type Digest,
  definedOf,
  digestOf,
  inOrder,
  isJsonObject,
  type Json,
  type JsonObject,
  type Random,
  type SampleKey,
  shortId,
  stringifyJson,
  toJson,
  UsageError,
} from '../base/index.ts';
import type { EvalCode } from '../code/index.ts';
import type { Disk } from '../disk/index.ts';
import {
  type DefinitionParts,
  definitionDigest,
  type PlannedEval,
  type PlannedScorer,
  scorerSpecs,
  scoringDigest,
  scoringParts,
} from '../evals/index.ts';
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
  type LogStore,
  type ModelUsage,
  openLog,
  type SampleAnswer,
  type SampleParts,
  summarize,
  unionOfAnswers,
} from '../log/index.ts';
import { readMark, withMark } from '../reuse/index.ts';
import { computeResults, scorerKeys } from '../stats/index.ts';
import {
  createSampleMeter,
  createSampleScope,
  createWorkspace,
  type Models,
  type Workspace,
} from '../targets/index.ts';
import type { ScorerTrouble } from './account.ts';
import { LoggedArtifacts } from './artifacts/logged-artifacts.ts';
import type { BoughtAnswer } from './earlier-runs.ts';
import { answersToReplay, JournalRecorder } from './journal-recorder.ts';
import { textsBeforeScoring, workspaceOf } from './kept-output.ts';
import { withLater } from './later-modules.ts';
import { resultKey } from './plan.ts';
import { readInputs } from './prepare-eval.ts';
import { RowLookup } from './row-lookup.ts';
import { recordedOutput } from './sample-content.ts';
import { ScoreJournal } from './score-journal.ts';
import { scoreSample } from './score-sample.ts';
import { ScorerTally } from './scorer-tally.ts';

export interface RescoreOptions {
  readonly disk: Disk;
  readonly clock: Clock;
  readonly random: Random;
  /** How people name the log that is read, and the one that is written. */
  readonly from: string;
  readonly to: string;
  /** Opens the log that is read. Default: the file of that path. */
  readonly open?: () => Promise<LogReader>;
  /** Where the new log is kept. Default: its directory. */
  readonly into?: LogStore;
  /** Where the workspaces of its samples are, and scratch goes. Default: beside the log. */
  readonly state?: StateDir;
  /** Whose scorers and metrics are used; its target is not called. */
  readonly eval: PlannedEval;
  readonly baseDir: string;
  /** Its code, when it comes from a module. */
  readonly code: EvalCode | undefined;
  readonly models: Models;
  /** The cache that holds what its samples used. Default: none. */
  readonly artifactsDir?: string | undefined;
  /** How many samples are scored at a time. */
  readonly concurrency: number;
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
 * Scores a log again from what it holds, without calling the target, and writes a new log, which a run of the eval takes for
 * its own. Samples are scored a few at a time and written in their order. What graders answer is kept until the log is there.
 *
 * ### Ordering
 * See `LogStore.create`. The source is only read.
 */
export async function rescoreLog(options: RescoreOptions): Promise<RescoreReport> {
  const { disk, to } = options;
  const { open = () => openLog(disk, options.from), into } = options;
  const log = await open();
  try {
    const inputs = await readInputs(disk, { inputs: options.eval.inputs, baseDir: options.baseDir });
    const rescore = new Rescore(options, log, inputs);
    try {
      const store = into ?? directoryLogStore(disk, dirname(to));
      const created = await store.create(basename(to), {
        write: (file) => rescore.writeTo(file),
      });
      if (created.outcome === 'exists') throw exists(to);
      await rescore.letGo();
      return created.written;
    } finally {
      rescore.close();
    }
  } finally {
    await log.close();
  }
}

class Rescore {
  readonly #options: RescoreOptions;
  readonly #log: LogReader;
  readonly #scratchDir: string;
  readonly #scoring: Digest;
  readonly #definition: Digest;
  readonly #parts: DefinitionParts['scoring'];
  readonly #usage = new Map<string, ModelUsage>();
  readonly #tally = new ScorerTally();
  #scorers: readonly PlannedScorer[] = [];
  #journal: ScoreJournal | undefined;
  #artifacts: LoggedArtifacts | undefined;

  constructor(options: RescoreOptions, log: LogReader, inputs: Json) {
    this.#options = options;
    this.#log = log;
    this.#scratchDir = stateOf(options).workDir(`rescore-${shortId(options.random)}`);
    const about = { code: options.code, inputs, models: options.models.surroundings };
    this.#scoring = scoringDigest(options.eval, about);
    this.#definition = definitionDigest(options.eval, about);
    this.#parts = scoringParts(options.eval, about);
  }

  async letGo(): Promise<void> {
    await this.#journal?.release();
  }

  close(): void {
    this.#journal?.close();
  }

  async writeTo(file: LogFile): Promise<RescoreReport> {
    const header = await this.#log.header();
    const specs = this.#planScorers(header);
    this.#artifacts = LoggedArtifacts.open(this.#options, header);
    this.#journal = await this.#openJournal(header);
    this.#journal.countSpent(this.#options.models.budget);
    const rows = await RowLookup.open({ ...this.#options, tempDir: stateOf(this.#options).path });
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
    const { onProgress, signal, concurrency } = this.#options;
    const spec = this.#specOf(plan.header, plan.specs);
    await file.writeStart({ version: plan.header.version, eval: spec, plan: plan.header.plan });
    const keys = await this.#log.samples();
    const summaries: EvalSampleSummary[] = [];
    let scored = 0;
    const work = async (key: SampleKey) => {
      signal.throwIfAborted();
      const parts = await this.#log.parts(key.id, key.epoch);
      if (!parts || parts.fields.error !== undefined) return parts;
      scored++;
      return await this.#score(parts, plan.rows);
    };
    for await (const parts of inOrder(keys, { atATime: concurrency, work })) {
      if (!parts) continue;
      await file.writeSample(parts);
      summaries.push(summarize(parts.fields));
      onProgress?.(summaries.length, keys.length);
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
    const known = await this.#answersFor(fields);
    const heard: SampleAnswer[] = [];
    const attempt = this.#journal?.attemptAt(fields, { events, heard });
    assert(attempt, 'the journal is open');
    const recorder = new JournalRecorder(attempt, answersToReplay(known), {
      random: this.#options.random,
    });
    const artifacts = await this.#artifacts?.of(fields.metadata);
    const ports = { recorder, meter, clock, random: this.#options.random };
    const scope = createSampleScope({ ...ports, ...definedOf({ artifacts }) });
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
        metadata: await this.#marked(fields.metadata),
        scores: action === 'append' ? { ...fields.scores, ...scores } : scores,
        model_usage: mergeUsage(fields.model_usage, usage),
      },
      events: joined(action === 'append' ? parts.events : textsBeforeScoring(parts.events), events),
      answers: unionOfAnswers<SampleAnswer>([known, heard]),
    };
  }

  /** What was bought for the sample before, by whoever ran or scored it. */
  async #answersFor(sample: SampleKey): Promise<readonly BoughtAnswer[]> {
    const { run_id: runId } = (await this.#log.header()).eval;
    const logged: BoughtAnswer[] = [];
    for await (const answer of this.#log.answers(sample)) logged.push({ from: runId, ...answer });
    return unionOfAnswers([logged, this.#journal?.answersAt(sample) ?? []]);
  }

  /** Scores that join others are nobody's alone: a run of the eval then takes only the output. */
  async #marked(metadata: JsonObject): Promise<JsonObject> {
    const mark = readMark(metadata);
    if (!mark) return metadata;
    const isAlone = this.#options.action === 'overwrite' && mark.asked !== undefined;
    const key =
      isAlone && mark.asked ? resultKey(mark.asked, this.#scoring) : digestOf(`appended ${mark.key}`);
    const later = await withLater(mark, this.#options.code);
    return withMark(metadata, { key, ...later, made: { how: 'scored anew' } });
  }

  async #openJournal(header: LogHeader): Promise<ScoreJournal> {
    const { disk, clock, random, from, to } = this.#options;
    return await ScoreJournal.open({
      disk,
      clock,
      random,
      state: stateOf(this.#options),
      identity: digestOf(`${header.eval.run_id}\n${basename(from)}\n${this.#definition}`),
      start: { version: header.version, eval: header.eval, plan: header.plan },
      samples: header.results?.total_samples ?? 0,
      logName: basename(to),
    });
  }

  /** A copy of the folder in which the sample ran, when it is still there: scoring leaves the evidence as it is. */
  async #workspace({ id, epoch }: SampleKey): Promise<Workspace> {
    const { disk } = this.#options;
    const { run_id: runId } = (await this.#log.header()).eval;
    const places = { state: stateOf(this.#options) };
    const template = await workspaceOf({ disk, places }, { runId, sample: { id, epoch } });
    const scratch = createWorkspace({ disk, workDir: this.#scratchDir, sampleId: id, epoch });
    if (template === undefined) return scratch;
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

  /** A run of the eval as it is now takes the log for its own, when nothing else stands in it. */
  #specOf({ eval: spec }: LogHeader, scorers: readonly EvalScorer[]): LogHeader['eval'] {
    const ours = spec.metadata?.holdfast;
    if (!isJsonObject(ours) || this.#options.action === 'append') return { ...spec, scorers };
    const { epochs, metrics } = this.#options.eval;
    return {
      ...spec,
      scorers,
      ...(metrics === undefined ? {} : { metrics: toJson(metrics) }),
      config: { ...spec.config, ...(epochs.reducers ? { epochs_reducer: epochs.reducers } : {}) },
      metadata: {
        ...spec.metadata,
        holdfast: { ...ours, definition: this.#definition, ...this.#partsIn(ours) },
      },
    };
  }

  /** A log of before there were parts gets none: of its target they are not known. */
  #partsIn({ parts }: JsonObject): JsonObject {
    return isJsonObject(parts) ? { parts: { ...parts, scoring: this.#parts } } : {};
  }

  #headerOf(header: LogHeader): LogHeader {
    const added = Object.fromEntries(this.#usage);
    return {
      ...header,
      stats: { ...header.stats, model_usage: mergeUsage(header.stats.model_usage, added) },
    };
  }
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

function stateOf({ state, from }: RescoreOptions): StateDir {
  return state ?? StateDir.of(dirname(from));
}

function exists(path: string): UsageError {
  return new UsageError({
    code: 'E_FILE_EXISTS',
    message: `${path} exists already.`,
    hint: 'Name another file with --output.',
  });
}
