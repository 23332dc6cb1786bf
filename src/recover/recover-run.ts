import { basename, dirname, join } from 'node:path';
import { type ActionableError, messageOf } from '../base/index.ts';
import { type Liveness, sweepTemps, tempPathFor } from '../disk/index.ts';
import {
  addSegments,
  fenceWriter,
  fenceWriterInBucket,
  isNameless,
  lockRun,
  openRunJournals,
  type RunJournals,
  type RunLock,
  segmentKeysOf,
  worstLiveness,
  writerLiveness,
} from '../journal/index.ts';
import { directoryLogStore, type EvalError, type LogStore } from '../log/index.ts';
import {
  applySeal,
  countNotIn,
  countWaiting,
  isWhole,
  keepJournals,
  planSeal,
  RECOVERY_KEY,
  releaseRun,
  type SealPlan,
  type SealReport,
  shipLog,
} from '../seal/index.ts';
import { recoverErrors } from './recover-errors.ts';
import { runOf } from './recover-inspect.ts';
import type { RecoverOptions, RunPlaces } from './recover-options.ts';
import type { RecoverProblem, RecoverReport, SampleAccount } from './recover-report.ts';

/** What is there of one of Holdfast's own runs. */
export interface RunSite {
  readonly runId: string;
  /** The directory of its journals on this machine. */
  readonly dir: string | undefined;
  /** True when it was set aside [SEAL-5]: its log is made, and what could not be used stays where it is. */
  readonly isAside?: boolean;
}

export interface RunRecoveryOptions extends RecoverOptions {
  readonly places: RunPlaces;
  readonly scratchDir: string;
}

/**
 * Seals a run of ours that did not finish: from its journals, from its segments when the machine is gone, from both when
 * a journal is damaged. It ends through `planSeal` and `applySeal`, as every run does: what is reported is what is planned.
 */
export async function recoverRun(site: RunSite, options: RunRecoveryOptions): Promise<RecoverReport> {
  const recovery = new RunRecovery(site, options);
  try {
    return await recovery.run();
  } finally {
    await recovery.close();
  }
}

class RunRecovery {
  readonly #site: RunSite;
  readonly #options: RunRecoveryOptions;
  readonly #problems: RecoverProblem[] = [];
  readonly #fromSegments = new Set<string>();
  readonly #scratch: string;
  #readKeys: string[] = [];
  #waiting = 0;
  #journals: RunJournals | undefined;
  #liveness: Liveness = 'dead';
  #lock: RunLock | undefined;

  constructor(site: RunSite, options: RunRecoveryOptions) {
    this.#site = site;
    this.#options = options;
    this.#scratch = tempPathFor(join(options.scratchDir, site.runId));
  }

  async run(): Promise<RecoverReport> {
    const { forceDead } = this.#options;
    let journals = await this.#openAll();
    const liveness = this.#liveness;
    if (liveness === 'alive') throw recoverErrors.alive(this.#site.runId, 'another process');
    if (liveness === 'unknown' && !forceDead)
      throw recoverErrors.unknown(this.#site.runId, 'its process ran on another machine');
    if (liveness === 'unknown') {
      await this.#fence(journals);
      // Until it met its fence a writer may have written and shipped something more, which counts.
      journals = await this.#readAgain(journals);
    }
    for (const message of journals.damage.sentences) this.#note('E_JOURNAL_DAMAGED', message);
    return this.#seal(journals, liveness);
  }

  async close(): Promise<void> {
    this.#journals?.close();
    this.#lock?.release();
    await this.#options.disk.removeTree(this.#scratch);
  }

  async #openAll(): Promise<RunJournals> {
    const { dir, runId } = this.#site;
    const { disk } = this.#options;
    const isHere = dir !== undefined && (await disk.stat(dir)) !== undefined;
    if (isHere) this.#lock ??= this.#takeLock(dir);
    await sweepTemps(disk, this.#options.scratchDir);
    await disk.removeTree(this.#scratch);
    await disk.makeDir(this.#scratch);
    this.#journals = await openRunJournals({ disk, runDir: isHere ? dir : this.#scratch });
    this.#liveness = this.#journals.liveness();
    await this.#addSegments(this.#journals);
    if (this.#journals.readers.length === 0) throw nothingIn(this.#journals, dir ?? runId);
    return this.#journals;
  }

  async #readAgain(journals: RunJournals): Promise<RunJournals> {
    journals.close();
    this.#problems.length = 0;
    this.#readKeys = [];
    return this.#openAll();
  }

  #takeLock(dir: string): RunLock {
    try {
      return lockRun(dir);
    } catch (error) {
      throw recoverErrors.alive(dir, messageOf(error));
    }
  }

  /** Segments repeat the journal of their writer, so they are only read where that is missing or damaged. */
  async #addSegments(here: RunJournals): Promise<void> {
    const { disk, places } = this.#options;
    const { segments } = places;
    if (!segments) return;
    const { runId: run } = this.#site;
    const added = await addSegments(here, { disk, ...segments, run, scratch: this.#scratch });
    this.#journals = added.journals;
    for (const problem of added.problems) this.#note('E_SEGMENT_DAMAGED', problem);
    this.#readKeys.push(...added.keys);
    for (const writer of added.writers) this.#fromSegments.add(writer);
    // Whether a writer is alive that has its own journal here is known from the lock of that.
    const known = new Set(here.writers().map(({ writer }) => writer));
    for (const reader of added.journals.readers)
      if (!known.has(reader.writer().writer))
        this.#liveness = worstLiveness([this.#liveness, writerLiveness(reader)]);
  }

  async #fence(journals: RunJournals): Promise<void> {
    const { disk, places } = this.#options;
    const { dir, runId: run } = this.#site;
    for (const reader of journals.readers) {
      const { writer } = reader.writer();
      const isHere = !reader.path.startsWith(this.#scratch);
      if (dir !== undefined && isHere) await fenceWriter(disk, dir, writer);
      const { segments } = places;
      if (segments) await fenceWriterInBucket(segments.bucket, { prefix: segments.prefix, run, writer });
    }
  }

  async #seal(journals: RunJournals, liveness: RecoverReport['liveness']): Promise<RecoverReport> {
    const { clock, places, noEvents, onProgress, keep } = this.#options;
    const plan = await planSeal(journals, places.logs);
    for (const message of plan.problems)
      if (!this.#problems.some((known) => known.message === message)) this.#note('E_REUSED_GONE', message);
    if (isNameless(plan.run)) this.#note('E_RECOVER_NO_HEADER', namelessRun(this.#site.runId));
    const { logs, name } = this.#output(plan);
    const kinds = this.#sources(journals).map(({ kind }) => kind);
    const report = await applySeal(plan, {
      clock,
      logs,
      lenders: places.logs,
      name,
      // Of a run whose plan is lost nobody can say that it is whole.
      outcome:
        isWhole(plan) && !isNameless(plan.run)
          ? { status: 'success' }
          : { status: 'error', error: INTERRUPTED },
      metadata: (final) => ({
        [RECOVERY_KEY]: { sources: kinds, ...countsOf(final), events: !noEvents },
      }),
      withEvents: !noEvents,
      onProgress,
    });
    for (const [sample, reason] of report.plan.unwritable)
      this.#note('E_SEAL_VERIFY', `Sample ${sample} could not be written: ${reason}`);
    const samples = [...this.#accounts(report.plan)];
    const sources = this.#sources(journals);
    // In the log directory the next run finds them in the log itself [LOG-37].
    this.#waiting = logs.place === places.logs.place ? 0 : countWaiting(journals);
    if (keep) await this.#keepJournals();
    const deleted = keep ? [] : await this.#release(report, { logs, journals });
    const left = keep || deleted.length > 0 ? [] : sources.map(({ place }) => place);
    const { header } = report;
    return {
      kind: 'holdfast',
      output: report.place,
      wasThere: report.wasThere,
      status: header.status,
      run: runOf(header),
      sources,
      liveness,
      counts: countsOf(report.plan),
      samples,
      problems: this.#problems,
      ...(header.results && { results: header.results }),
      ...(this.#waiting > 0 ? { waiting: this.#waiting } : {}),
      deleted,
      left,
    };
  }

  #output({ run }: SealPlan): { readonly logs: LogStore; readonly name: string } {
    const { disk, output, places } = this.#options;
    if (output === undefined) return { logs: places.logs, name: run.logName };
    return { logs: directoryLogStore(disk, dirname(output)), name: basename(output) };
  }

  #sources(journals: RunJournals): RecoverReport['sources'] {
    return journals.readers.map((reader) => {
      const isBrought =
        this.#fromSegments.has(reader.writer().writer) && reader.path.startsWith(this.#scratch);
      return { kind: isBrought ? 'segments' : 'journal', place: reader.place };
    });
  }

  *#accounts(plan: SealPlan): Iterable<SampleAccount> {
    for (const chosen of plan.choices) {
      if (chosen.from === 'log') {
        const { id, epoch } = chosen.row;
        yield { id, epoch, state: 'flushed', from: ['log'], missing: [] };
        continue;
      }
      const { source, attempt } = chosen;
      const row = source.attempt(attempt.n);
      if (!row) continue;
      const events = this.#options.noEvents ? 0 : source.eventCount(attempt.n);
      const kind = source.path.startsWith(this.#scratch) ? 'segments' : 'journal';
      const { id, epoch } = row;
      yield { id, epoch, state: attempt.status ?? 'in-flight', from: [kind], events, missing: [] };
    }
  }

  /** Also from a later `run`, which goes on with them. */
  async #keepJournals(): Promise<void> {
    const { dir, runId, isAside } = this.#site;
    const { disk, places } = this.#options;
    if (dir !== undefined && !isAside) await keepJournals(disk, places.state, runId);
  }

  /** The log is in place and checked. What could not be read whole, or is not in the log, is left where it is [SEAL-5]. */
  async #release(
    report: SealReport,
    { logs, journals }: { readonly logs: LogStore; readonly journals: RunJournals },
  ): Promise<readonly string[]> {
    const { disk, places } = this.#options;
    if (this.#problems.length > 0 || this.#site.isAside) return [];
    // The next run replays them; only then may they go.
    if (this.#waiting > 0) return [];
    // Then the journals are the only place where the transcripts are.
    if (this.#options.noEvents) return [];
    if (report.wasThere && (await countNotIn(logs, report.name, report.plan)) > 0) return [];
    const { dir, runId } = this.#site;
    const keys = await this.#segmentKeys(journals);
    const { segments } = places;
    const isInBucket = segments !== undefined && keys.length > 0;
    // Before anything goes: what the bucket does not take stays here with all that it was made from.
    if (isInBucket) await shipLog({ disk, path: report.place, bucket: segments.bucket, key: report.name });
    journals.close();
    const deleted: string[] = [];
    if (dir !== undefined && (await disk.stat(dir))) {
      // Whoever kept them before says now that they may go.
      await disk.remove(places.state.keepMark(runId));
      await releaseRun(disk, places.state, runId);
      deleted.push(dir);
    }
    if (!isInBucket) return deleted;
    const { bucket, prefix } = segments;
    await bucket.removeAll(keys);
    deleted.push(`${bucket.url}/${prefix}${runId}`);
    return deleted;
  }

  async #segmentKeys(journals: RunJournals): Promise<readonly string[]> {
    const { disk, places } = this.#options;
    if (!places.segments) return [];
    const known = await segmentKeysOf(journals, { ...places.segments, disk });
    return [...new Set([...known, ...this.#readKeys])];
  }

  #note(code: RecoverProblem['code'], message: string): void {
    this.#problems.push({ code, message });
  }
}

/** What the report, and the log itself, say: counted by the plan that was written. */
function countsOf({ counts, unwritable }: SealPlan): RecoverReport['counts'] {
  return {
    expected: counts.planned,
    kept: counts.reused,
    recovered: counts.completed + counts.errored,
    inFlight: counts.interrupted,
    lost: unwritable.size,
  };
}

function namelessRun(runId: string): string {
  return `Nobody says any more which eval run ${runId} is of: its records are gone. Its samples are told by their attempts alone.`;
}

/** Unreadable is not absent. */
function nothingIn({ damage }: RunJournals, place: string): ActionableError {
  const problems = damage.sentences.map((message) => ({ message }));
  return problems.length > 0 ? recoverErrors.hopeless(place, problems) : recoverErrors.nothing(place);
}

const INTERRUPTED: EvalError = {
  message: 'The run was interrupted; this log was recovered from its journal.',
  traceback: 'Interrupted: recovered from the journal of a run that did not finish.\n',
  traceback_ansi: 'Interrupted: recovered from the journal of a run that did not finish.\n',
};
