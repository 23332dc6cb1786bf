import { isJsonObject, type JsonObject } from '../base/index.ts';
import type { BufferReader } from '../journal/index.ts';
import {
  type LogFile,
  type LogHeader,
  sampleKeyText,
  sampleMemberName,
  type VerifyReport,
  verifyLog,
} from '../log/index.ts';
import type { SampleScores } from '../stats/index.ts';
import { commitOutput, tempFor } from './commit-output.ts';
import { refuseWhenSuperseded } from './guard-output.ts';
import { decideIncomplete, type IncompleteDecision, type IncompleteOptions } from './incomplete.ts';
import { type CrashPorts, fingerprintOf, type InspectCrash, openBuffers } from './inspect-crash.ts';
import type { LogSite } from './log-site.ts';
import { type BufferedPlan, openCopy, planBuffered } from './plan-samples.ts';
import { rebuildSample } from './rebuild-sample.ts';
import { recoverErrors } from './recover-errors.ts';
import type { RecoverProblem, RecoverReport, SampleAccount, SourceKind } from './recover-report.ts';
import { RecoveredWriter, writingLog } from './recovered-writer.ts';
import { type Releasable, releaseInspectSources } from './release-sources.ts';
import { factsOfLog, factsOfName, type RunFacts } from './run-facts.ts';

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
  readonly #accounts = new Map<string, SampleAccount & { readonly missing: string[] }>();
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
      const report = await this.#check(temp, written.samples);
      if ((await fingerprintOf(this.#crash, this.#options)) !== this.#crash.fingerprint)
        throw recoverErrors.changed(this.#crash.site.place);
      // The crashed log is read no more, and where it is replaced it must not be held open.
      await this.#crash.flushed?.close();
      await commitOutput(disk, temp, { output, isOverwrite });
      return await this.#finish(written.header, report, written.notFinalized);
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
      const outcome = this.#outcome(writer);
      const header = await writer.finish(outcome, numbers);
      return { header, samples: writer.samples, notFinalized: outcome.notFinalized };
    });
  }

  async *#writeSamples(writer: RecoveredWriter): AsyncGenerator<SampleScores> {
    const { flushed } = this.#crash;
    const total = (flushed?.keys.length ?? 0) + this.#plans.length;
    let done = 0;
    for (const key of flushed?.keys ?? []) {
      const scores = flushed && (await writer.keep(flushed, key));
      if (scores) {
        this.#accounts.set(sampleKeyText(key.id, key.epoch), {
          id: scores.id,
          epoch: key.epoch,
          state: 'flushed',
          from: [flushed.kind],
          missing: [],
        });
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
    const others = plan.others.map((place) => `Another attempt at it, in ${place}, was left out.`);
    const isErrored = rebuilt.state === 'completed' && rebuilt.fields.error !== undefined;
    this.#accounts.set(sampleKeyText(plan.key.id, plan.key.epoch), {
      id: rebuilt.fields.id,
      epoch: plan.key.epoch,
      state: isErrored ? 'errored' : rebuilt.state,
      from: copy.kinds,
      events: this.#options.withEvents ? rebuilt.events.length : 0,
      pending: rebuilt.pending,
      missing: [...rebuilt.missing, ...others],
    });
    return scores;
  }

  /** Samples that the log once listed or held, and that are nowhere any more. */
  async #noteLost(writer: RecoveredWriter): Promise<void> {
    const { flushed } = this.#crash;
    if (!flushed) return;
    for (const { id, epoch } of [...flushed.keys, ...(await flushed.listed())]) {
      const name = sampleKeyText(id, epoch);
      if (writer.has({ id, epoch }) || this.#accounts.has(name)) continue;
      const missing = ['It was flushed, but its copy in the log is gone or damaged.'];
      this.#accounts.set(name, { id, epoch, state: 'lost', from: [], missing });
    }
  }

  #outcome(writer: RecoveredWriter) {
    const { isEnding, because } = this.#decision;
    const counts = this.#counts();
    const missing = this.#missingSamples(writer);
    const ended = this.#facts.header?.status;
    const wasEnded = ended !== undefined && ended !== 'started' && counts.lost + counts.inFlight === 0;
    const isFinal = isEnding && missing === undefined && counts.lost === 0;
    const notFinalized =
      this.#options.incomplete.action === 'error' && !isFinal
        ? (because ?? missing ?? `${counts.lost} samples are lost`)
        : undefined;
    const { error } = this.#facts.header ?? {};
    const outcome = wasEnded
      ? { status: ended, ...(error && { error }) }
      : isFinal
        ? { status: 'success' as const }
        : { status: 'error' as const, error: RECOVERED };
    return { ...outcome, metadata: { [RECOVERY_KEY]: this.#provenance(counts) }, notFinalized };
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

  /** A sentence about expected samples that never came to an end; undefined when all did. */
  #missingSamples(writer: RecoveredWriter): string | undefined {
    const { expected, knownIds, start } = this.#facts;
    if (expected === undefined) return 'the run did not say how many samples it has';
    if (knownIds.size === 0) {
      return writer.samples >= expected ? undefined : `${expected - writer.samples} samples were never run`;
    }
    const epochs = start.eval.config.epochs ?? 1;
    let count = 0;
    for (const id of knownIds.values())
      for (let epoch = 1; epoch <= epochs; epoch++) if (!writer.has({ id, epoch })) count++;
    return count === 0 ? undefined : `${count} samples were never run`;
  }

  /** Reads the whole file back. References without a target are no failure of ours: they say what is missing. */
  async #check(temp: string, samples: number): Promise<VerifyReport> {
    const { disk, scratchDir, output } = this.#options;
    const report = await verifyLog(disk, temp, { scratchDir });
    const broken = report.problems.find(({ code }) => code !== 'reference');
    if (broken) throw recoverErrors.verify(output.place, `${broken.member}: ${broken.message}`);
    if (report.samples !== samples)
      throw recoverErrors.verify(output.place, `${report.samples} samples instead of ${samples}`);
    for (const account of this.#accounts.values()) {
      const member = sampleMemberName(account.id, account.epoch);
      for (const problem of report.problems)
        if (problem.member === member) account.missing.push(problem.message);
    }
    return report;
  }

  async #finish(
    header: LogHeader,
    _checked: VerifyReport,
    notFinalized: string | undefined,
  ): Promise<RecoverReport> {
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
      samples: [...this.#accounts.values()],
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

  #counts(): RecoverReport['counts'] {
    const of = (...states: SampleAccount['state'][]) =>
      [...this.#accounts.values()].filter(({ state }) => states.includes(state)).length;
    return {
      expected: this.#facts.expected,
      kept: of('flushed'),
      recovered: of('completed', 'errored'),
      inFlight: of('in-flight'),
      lost: of('lost'),
    };
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

const RECOVERED = {
  message: 'Eval recovered from crash',
  traceback: 'Eval process crashed; log recovered from what it left behind.\n',
  traceback_ansi: 'Eval process crashed; log recovered from what it left behind.\n',
};
