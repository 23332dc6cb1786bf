import {
  type Clock,
  definedOf,
  isoSeconds,
  type SampleKey,
  sampleKeyText,
  stringifyJson,
} from '../base/index.ts';
import {
  addUsage,
  type EvalError,
  type EvalResults,
  type EvalSampleReductions,
  type EvalSampleSummary,
  type EvalStats,
  type LogFile,
  type LogHeader,
  type LogStatus,
  type ModelUsage,
  type SampleFields,
  summarize,
} from '../log/index.ts';
import { computeResults, type SampleScores } from '../stats/index.ts';
import type { BufferedCopy } from './buffered-copy.ts';
import type { FlushedLog, KeptRecord } from './flushed-log.ts';
import type { RebuiltSample } from './rebuild-sample.ts';
import type { RunFacts } from './run-facts.ts';
import { LOST_MESSAGE } from './sample-values.ts';

export interface Outcome {
  readonly status: LogStatus;
  readonly error?: EvalError;
  readonly metadata: LogHeader['metadata'];
}

/** Writes a recovered log: what was flushed is copied, what was buffered is built anew, the numbers are computed. */
export class RecoveredWriter {
  readonly kept: KeptRecord[] = [];
  readonly #file: LogFile;
  readonly #facts: RunFacts;
  readonly #flushed: FlushedLog | undefined;
  readonly #clock: Clock;
  readonly #withEvents: boolean;
  readonly #rebuilt: EvalSampleSummary[] = [];
  readonly #written = new Set<string>();
  readonly #models = new Map<string, ModelUsage>();
  readonly #roles = new Map<string, ModelUsage>();
  #startedAt: string;
  #failed = 0;

  constructor(
    file: LogFile,
    options: {
      readonly facts: RunFacts;
      readonly flushed: FlushedLog | undefined;
      readonly clock: Clock;
      readonly withEvents: boolean;
    },
  ) {
    this.#file = file;
    this.#facts = options.facts;
    this.#flushed = options.flushed;
    this.#clock = options.clock;
    this.#withEvents = options.withEvents;
    this.#startedAt = options.facts.start.eval.created;
  }

  get samples(): number {
    return this.#written.size;
  }

  /** Samples that ended with an error. */
  get failed(): number {
    return this.#failed;
  }

  has(key: SampleKey): boolean {
    return this.#written.has(sampleKeyText(key.id, key.epoch));
  }

  async begin(): Promise<void> {
    if (!(await this.#flushed?.hasStart())) await this.#file.writeStart(this.#facts.start);
    await this.#flushed?.copyJournal(this.#file);
  }

  /** Copies a flushed sample; undefined when it cannot be read. */
  async keep(flushed: FlushedLog, key: SampleKey): Promise<SampleScores | undefined> {
    const fields = await flushed.fields(key);
    if (!fields) return undefined;
    await flushed.copyTo(this.#file, key);
    this.kept.push({ ...key, uuid: fields.uuid });
    return this.#count(key, fields);
  }

  async write(rebuilt: RebuiltSample, copy: BufferedCopy): Promise<SampleScores> {
    const { fields } = rebuilt;
    await this.#file.writeSample({
      fields,
      events: this.#withEvents ? eventTexts(rebuilt, copy) : [],
      messages: this.#withEvents ? poolTexts(rebuilt, copy, 'message') : [],
      calls: this.#withEvents ? poolTexts(rebuilt, copy, 'call') : [],
      attachments: this.#withEvents ? copy.attachments() : referredAttachments(fields, copy),
    });
    this.#rebuilt.push(summarize(fields));
    return this.#count(fields, fields);
  }

  /** The numbers of the whole log. The samples are written while they are asked for, so that none is held. */
  async results(samples: AsyncIterable<SampleScores>): Promise<{
    readonly results: EvalResults;
    readonly reductions: readonly EvalSampleReductions[];
    readonly warnings: readonly string[];
  }> {
    const { scorers, metrics, config, metadata } = this.#facts.start.eval;
    const computed = await computeResults({
      samples,
      scorers: scorers ?? [],
      ...definedOf({ metrics }),
      ...(config.epochs_reducer ? { reducers: config.epochs_reducer } : {}),
      countsRecords: metadata?.holdfast !== undefined,
      totalSamples: 0,
      completedSamples: 0,
    });
    const { size } = this.#written;
    const results = {
      ...computed.results,
      total_samples: size,
      completed_samples: size - this.#failed,
    };
    return { ...computed, results };
  }

  async finish(
    outcome: Outcome,
    numbers: { readonly results: EvalResults; readonly reductions: readonly EvalSampleReductions[] },
  ): Promise<LogHeader> {
    await this.#file.writeSummaries(this.#summaries());
    if (numbers.reductions.length > 0) await this.#file.writeReductions(numbers.reductions);
    const { start, header: before } = this.#facts;
    const { eval: spec, plan, version } = start;
    // Inspect shows what the eval's own metadata says, and makes the log's from it: so both say it.
    const header: LogHeader = {
      version,
      status: outcome.status,
      eval: { ...spec, metadata: { ...spec.metadata, ...outcome.metadata } },
      plan,
      results: numbers.results,
      stats: this.#stats(before?.stats),
      ...(outcome.error && { error: outcome.error }),
      invalidated: before?.invalidated ?? false,
      ...(before?.log_updates && { log_updates: before.log_updates }),
      ...(before?.config_updates && { config_updates: before.config_updates }),
      tags: before?.tags ?? spec.tags ?? [],
      metadata: { ...(before?.metadata ?? spec.metadata), ...outcome.metadata },
    };
    await this.#file.writeHeader(header);
    return header;
  }

  async *#summaries(): AsyncGenerator<EvalSampleSummary> {
    if (this.#flushed) yield* this.#flushed.summaries(this.kept);
    yield* this.#rebuilt;
  }

  #count(key: SampleKey, fields: SampleFields): SampleScores {
    this.#written.add(sampleKeyText(key.id, key.epoch));
    if (fields.error) this.#failed++;
    const started = fields.started_at;
    if (started && Date.parse(started) < Date.parse(this.#startedAt)) this.#startedAt = started;
    addAll(this.#models, fields.model_usage);
    addAll(this.#roles, fields.role_usage);
    const { id, epoch, scores, metadata } = fields;
    return { id, epoch, ...(scores && { scores }), metadata };
  }

  #stats(before: EvalStats | undefined): EvalStats {
    return {
      started_at: this.#startedAt,
      completed_at: isoSeconds(this.#clock.nowMs()),
      model_usage: Object.fromEntries(this.#models),
      role_usage: Object.fromEntries(this.#roles),
      connection_limit_history: before?.connection_limit_history ?? [],
    };
  }
}

function* eventTexts(rebuilt: RebuiltSample, copy: BufferedCopy): Iterable<string> {
  for (const row of rebuilt.events) {
    const event = copy.event(row);
    if (event) yield event.json;
  }
}

function* poolTexts(rebuilt: RebuiltSample, copy: BufferedCopy, kind: 'message' | 'call'): Iterable<string> {
  for (const row of rebuilt.pools[kind].rows) {
    const text = row === undefined ? undefined : copy.poolText(kind, row);
    yield text ?? stringifyJson(LOST_MESSAGE);
  }
}

/** Without events, only what the sample's own messages refer to. */
function* referredAttachments(
  fields: SampleFields,
  copy: BufferedCopy,
): Iterable<{ readonly hash: string; readonly text: string }> {
  const text = JSON.stringify([fields.input, fields.messages, fields.output, fields.store, fields.metadata]);
  for (const [, hash] of text.matchAll(/attachment:\/\/([0-9a-f]{32})/g)) {
    const found = hash === undefined ? undefined : copy.attachment(hash);
    if (hash !== undefined && found !== undefined) yield { hash, text: found };
  }
}

function addAll(
  into: Map<string, ModelUsage>,
  usage: Readonly<Record<string, ModelUsage>> | undefined,
): void {
  for (const [name, item] of Object.entries(usage ?? {})) into.set(name, addUsage(into.get(name), item));
}
