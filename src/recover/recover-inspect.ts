import { isJsonObject, type JsonObject, sampleKeyText } from '../base/index.ts';
import type { BufferReader } from '../journal/index.ts';
import { type LogFile, type LogHeader, verifyLog } from '../log/index.ts';
import type { SampleScores } from '../stats/index.ts';
import { commitOutput, tempFor } from './commit-output.ts';
import { refuseWhenSuperseded } from './guard-output.ts';
import { decideIncomplete, type IncompleteDecision, type IncompleteOptions } from './incomplete.ts';
import { type CrashPorts, fingerprintOf, type InspectCrash, openBuffers } from './inspect-crash.ts';
import type { LogSite } from './log-site.ts';
import { type BufferedPlan, openCopy, planBuffered } from './plan-samples.ts';
import { rebuildSample } from './rebuild-sample.ts';
import { recoverErrors } from './recover-errors.ts';
import type { RecoverProblem, RecoverReport, SourceKind } from './recover-report.ts';
import { RecoveredWriter, writingLog } from './recovered-writer.ts';
import { decideOutcome } from './recovery-outcome.ts';
import { type Releasable, releaseInspectSources } from './release-sources.ts';
import { factsOfLog, factsOfName, type RunFacts } from './run-facts.ts';
import { SampleAccounts } from './sample-accounts.ts';

export interface InspectRecoveryOptions extends CrashPorts {
  readonly output: LogSite;
  readonly isOverwrite: boolean;
  readonly keep: boolean;
  readonly withEvents: boolean;
  readonly incomplete: IncompleteOptions;
  readonly onProgress?: (done: number, total: number) => void;
}

/** The key of a log's metadata under which a recovery says what it did. */
export const RECOVERY_KEY = 'holdfast_recovery';

/**
 * Turns what a dead eval of Inspect left into a finished log.
 *
 * ### Ordering
 * 1. the log is written under a temporary name, 2. read back and checked, 3. the sources are looked at again: if one has
 * changed, its writer lives and nothing happens, 4. the log gets its name, 5. the sources go. A crash before 4 leaves
 * an orphan that is no log; a crash after it leaves log and sources, and the next recovery only cleans up.
 */
export async function recoverInspect(
  crash: InspectCrash,
  options: InspectRecoveryOptions,
): Promise<RecoverReport> {
  const { readers, errors } = await openBuffers(crash, options);
  try {
    const [unreadable] = errors;
    if (unreadable && !crash.flushed && readers.length === 0) throw unreadable;
    const problems = errors.map(({ code, message }) => ({ code, message }));
    return await new InspectRecovery(crash, readers, { ...options, problems }).run();
  } finally {
    for (const reader of readers) await reader.close();
  }
}

class InspectRecovery {
  readonly #crash: InspectCrash;
  readonly #readers: readonly BufferReader[];
  readonly #options: InspectRecoveryOptions & { readonly problems: readonly RecoverProblem[] };
  readonly #accounts = new SampleAccounts();
  readonly #plans: readonly BufferedPlan[];
  readonly #facts: RunFacts;
  readonly #decision: IncompleteDecision;

  constructor(
    crash: InspectCrash,
    readers: readonly BufferReader[],
    options: InspectRecoveryOptions & { readonly problems: readonly RecoverProblem[] },
  ) {
    this.#crash = crash;
    this.#readers = readers;
    this.#options = options;
    // Everything buffered is planned, flushed or not: a flushed copy may turn out to be damaged.
    this.#plans = planBuffered(readers, () => false);
    this.#facts = crash.flushed ? factsOfLog(crash.flushed) : factsOfName(crash.site, this.#firstModel());
    const held = new Set(crash.flushed?.keys.map(({ id, epoch }) => sampleKeyText(id, epoch)));
    const running = this.#plans.filter(
      ({ key, isCompleted }) => !isCompleted && !held.has(sampleKeyText(key.id, key.epoch)),
    );
    this.#decision = decideIncomplete(options.incomplete, {
      inFlight: running.length,
      expected: this.#facts.expected,
    });
  }

  async run(): Promise<RecoverReport> {
    const { disk, output, isOverwrite, scratchDir } = this.#options;
    // Without a log and without a sample there would be nothing but a name.
    if (!this.#crash.flushed && this.#plans.length === 0)
      throw recoverErrors.hopeless(this.#crash.site.place, this.#problems());
    await refuseWhenSuperseded(output, {
      taskId: this.#facts.start.eval.task_id,
      place: this.#crash.site.place,
      except: new Set([this.#crash.site.key, output.key]),
    });
    if (!isOverwrite && (await output.bucket.stat(output.key))) throw recoverErrors.exists(output.place);
    if (output.path !== undefined) await disk.makeDir(output.logDir);
    const temp = tempFor(output, scratchDir);
    try {
      const written = await this.#write(temp);
      await this.#check(temp, written.samples);
      if ((await fingerprintOf(this.#crash, this.#options)) !== this.#crash.fingerprint)
        throw recoverErrors.changed(this.#crash.site.place);
      // The crashed log is read no more, and where it is replaced it must not be held open.
      await this.#crash.flushed?.close();
      await commitOutput(disk, temp, { output, isOverwrite });
      return await this.#finish(written.header, written.notFinalized);
    } catch (error) {
      await disk.remove(temp);
      throw error;
    } finally {
      await this.#crash.flushed?.close();
    }
  }

  #write(temp: string) {
    const { disk, clock, withEvents } = this.#options;
    return writingLog(disk, temp, async (file: LogFile) => {
      const flushed = this.#crash.flushed;
      const writer = new RecoveredWriter(file, { facts: this.#facts, flushed, clock, withEvents });
      await writer.begin();
      const numbers = await writer.results(this.#writeSamples(writer));
      await this.#noteLost(writer);
      const { notFinalized, ...outcome } = decideOutcome({
        facts: this.#facts,
        counts: this.#counts(),
        decision: this.#decision,
        isWritten: (key) => writer.has(key),
        written: writer.samples,
      });
      const metadata = { [RECOVERY_KEY]: this.#provenance(this.#counts()) };
      const header = await writer.finish({ ...outcome, metadata }, numbers);
      return { header, samples: writer.samples, notFinalized };
    });
  }

  async *#writeSamples(writer: RecoveredWriter): AsyncGenerator<SampleScores> {
    const { flushed } = this.#crash;
    const total = (flushed?.keys.length ?? 0) + this.#plans.length;
    let done = 0;
    for (const key of flushed?.keys ?? []) {
      const scores = flushed && (await writer.keep(flushed, key));
      if (scores) {
        this.#accounts.kept({ id: scores.id, epoch: key.epoch }, flushed.kind);
        yield scores;
      }
      this.#options.onProgress?.(++done, total);
    }
    for (const plan of this.#plans) {
      if (!writer.has(plan.key)) yield await this.#writeBuffered(writer, plan);
      this.#options.onProgress?.(++done, total);
    }
  }

  async #writeBuffered(writer: RecoveredWriter, plan: BufferedPlan): Promise<SampleScores> {
    const { eval: spec } = this.#facts.start;
    const copy = openCopy(plan);
    const rebuilt = rebuildSample(copy, {
      knownIds: this.#facts.knownIds,
      mark: { error: this.#decision.mark },
      sandbox: spec.sandbox,
      config: spec.config as JsonObject,
    });
    const scores = await writer.write(rebuilt, copy);
    this.#accounts.rebuilt(plan, rebuilt, this.#options.withEvents);
    return scores;
  }

  /** Samples that the log once listed or held, and that are nowhere any more. */
  async #noteLost(writer: RecoveredWriter): Promise<void> {
    const { flushed } = this.#crash;
    if (!flushed) return;
    for (const key of [...flushed.keys, ...(await flushed.listed())])
      if (!writer.has(key)) this.#accounts.lost(key);
  }

  #counts(): RecoverReport['counts'] {
    return this.#accounts.counts(this.#facts.expected);
  }

  #provenance(counts: RecoverReport['counts']): JsonObject {
    return {
      sources: this.#sources().map(({ kind }) => kind),
      kept: counts.kept,
      recovered: counts.recovered,
      in_flight: counts.inFlight,
      lost: counts.lost,
      events: this.#options.withEvents,
      // Says that nothing was left in the sources, so that a later recovery may clean them up.
      whole: this.#left().length === 0,
    };
  }

  /** Reads the whole file back. References without a target are no failure of ours: they say what is missing. */
  async #check(temp: string, samples: number): Promise<void> {
    const { disk, scratchDir, output } = this.#options;
    const report = await verifyLog(disk, temp, { scratchDir });
    const broken = report.problems.find(({ code }) => code !== 'reference');
    if (broken) throw recoverErrors.verify(output.place, `${broken.member}: ${broken.message}`);
    if (report.samples !== samples)
      throw recoverErrors.verify(output.place, `${report.samples} samples instead of ${samples}`);
    this.#accounts.addMissing(report);
  }

  async #finish(header: LogHeader, notFinalized: string | undefined): Promise<RecoverReport> {
    const { disk, output, keep } = this.#options;
    for (const reader of this.#readers) await reader.close();
    const deleted = keep ? [] : await releaseInspectSources(disk, this.#crash, this.#releasable());
    return {
      kind: 'inspect',
      output: output.place,
      wasThere: false,
      status: header.status,
      run: runOf(header),
      sources: this.#sources(),
      liveness: this.#crash.verdict.liveness,
      counts: this.#counts(),
      samples: this.#accounts.list(),
      problems: this.#problems(),
      ...(notFinalized === undefined ? {} : { notFinalized }),
      ...(header.results && { results: header.results }),
      deleted,
      left: keep ? [] : this.#left(),
    };
  }

  #releasable(): Releasable {
    const whole = this.#readers.filter(({ problems }) => problems.length === 0);
    const stores = this.#readers.filter(({ kind }) => kind === 'filestore');
    return {
      databases: whole.filter(({ kind }) => kind === 'database').map(({ place }) => place),
      // One that was not even read is covered by a sound database.
      isFilestore: stores.every((store) => whole.includes(store)),
    };
  }

  /** Sources that are not deleted, because something of them could not be read. */
  #left(): readonly string[] {
    const { databases, isFilestore } = this.#releasable();
    const { filestore } = this.#crash;
    return [
      ...this.#crash.databases.map(({ path }) => path).filter((path) => !databases.includes(path)),
      ...(filestore && !isFilestore ? [filestore.place] : []),
    ];
  }

  #problems(): readonly RecoverProblem[] {
    const { flushed, problems } = this.#crash;
    const all = [
      ...(flushed?.problems ?? problems),
      ...this.#options.problems,
      ...this.#readers.flatMap((reader) => reader.problems),
    ];
    if (!this.#facts.isKnown)
      all.push({
        code: 'E_RECOVER_NO_HEADER',
        message: `There is no log at ${this.#crash.site.place}: what its header said is known only from its name.`,
      });
    return all;
  }

  #sources(): readonly { readonly kind: SourceKind; readonly place: string }[] {
    const { flushed } = this.#crash;
    const log = flushed ? [{ kind: flushed.kind, place: flushed.place }] : [];
    return [...log, ...this.#readers.map(({ kind, place }) => ({ kind, place }))];
  }

  /** Which model an orphan's events name. */
  #firstModel(): string | undefined {
    for (const { key, readers } of this.#plans) {
      for (const reader of readers) {
        for (const { row } of reader.eventRows(key)) {
          const event = reader.event(row);
          const model = event?.tag === 'model' ? /"model":"([^"\\]+)"/.exec(event.json)?.[1] : undefined;
          if (model !== undefined) return model;
        }
      }
    }
    return undefined;
  }
}

export function runOf({ eval: spec }: LogHeader): RecoverReport['run'] {
  return {
    task: spec.task,
    taskId: spec.task_id,
    runId: spec.run_id,
    created: spec.created,
    model: spec.model,
  };
}

/** Whether a log was made by a recovery of ours that left nothing in its sources. */
export function isRecoveredWhole(header: LogHeader): boolean {
  const told = header.metadata[RECOVERY_KEY];
  return isJsonObject(told) && told.whole === true;
}

/** Whether a recovered log was made with its transcripts. */
export function hasEvents(header: LogHeader): boolean {
  const told = header.metadata[RECOVERY_KEY];
  return isJsonObject(told) && told.events === true;
}
