import { assert, definedOf, isJsonObject, type JsonObject } from '../base/index.ts';
import type { BufferReader } from '../journal/index.ts';
import type { LogFile, LogHeader, OpenWritten, VerifyReport } from '../log/index.ts';
import { RECOVERY_KEY } from '../seal/index.ts';
import { type AppliedRecovery, applyRecovery } from './apply-recovery.ts';
import { checkSources, keysInBuffers, type SourceCheck } from './check-sources.ts';
import { readRecords } from './flushed-records.ts';
import { refuseWhenSuperseded } from './guard-output.ts';
import type { IncompleteOptions } from './incomplete.ts';
import { type CrashPorts, fingerprintOf, type InspectCrash } from './inspect-crash.ts';
import { type LogSite, logNameOf, storeOf } from './log-site.ts';
import { openBuffers } from './open-buffers.ts';
import { planRecovery, type RecoveryPlan } from './plan-recovery.ts';
import { readBack } from './read-back.ts';
import { recoverErrors } from './recover-errors.ts';
import type { RecoverCounts, RecoverProblem, RecoverReport, SourceKind } from './recover-report.ts';
import { releaseInspectSources } from './release-sources.ts';

export interface InspectRecoveryOptions extends CrashPorts {
  readonly output: LogSite;
  readonly isOverwrite: boolean;
  readonly keep: boolean;
  readonly withEvents: boolean;
  readonly incomplete: IncompleteOptions;
  readonly onProgress?: (done: number, total: number) => void;
}

/**
 * Turns what a dead eval of Inspect left into a finished log.
 *
 * ### Ordering
 * 1. all is planned, 2. the log is written under a temporary name, 3. read back and checked, 4. the sources are looked at
 * again: if one has changed, its writer lives and nothing happens, 5. the log gets its name, 6. those sources go that the
 * log, as it was read back, stands for. A crash before 5 leaves an orphan that is no log; a crash after it leaves log and
 * sources, and the next recovery checks them against each other and cleans up.
 */
export async function recoverInspect(
  crash: InspectCrash,
  options: InspectRecoveryOptions,
): Promise<RecoverReport> {
  const records = crash.flushed ? await readRecords(crash.flushed) : new Map();
  const { readers, errors } = await openBuffers(crash, options, records);
  try {
    const [unreadable] = errors;
    if (unreadable && !crash.flushed && readers.length === 0) throw unreadable;
    const plan = await planRecovery(crash, { records, readers }, options.incomplete);
    const problems = errors.map(({ code, message }) => ({ code, message }));
    return await new InspectRecovery(crash, { readers, plan, problems }, options).run();
  } finally {
    for (const reader of readers) await reader.close();
  }
}

/** What was opened and planned. */
interface Prepared {
  readonly readers: readonly BufferReader[];
  readonly plan: RecoveryPlan;
  /** Why other buffers could not be opened. */
  readonly problems: readonly RecoverProblem[];
}

class InspectRecovery {
  readonly #crash: InspectCrash;
  readonly #prepared: Prepared;
  readonly #options: InspectRecoveryOptions;

  constructor(crash: InspectCrash, prepared: Prepared, options: InspectRecoveryOptions) {
    this.#crash = crash;
    this.#prepared = prepared;
    this.#options = options;
  }

  async run(): Promise<RecoverReport> {
    const { output, isOverwrite } = this.#options;
    await this.#refuse();
    let sources: SourceCheck | undefined;
    try {
      const created = await storeOf(output, this.#options).create<AppliedRecovery>(logNameOf(output), {
        replace: isOverwrite,
        write: (file) => this.#write(file),
        judge: async (report, applied, open) => {
          this.#check(report, applied);
          sources = await this.#checkSources(open, applied);
          if ((await fingerprintOf(this.#crash, this.#options)) !== this.#crash.fingerprint)
            throw recoverErrors.changed(this.#crash.site.place);
          // The crashed log is read no more, and where it is replaced it must not be held open.
          await this.#crash.flushed?.close();
          return 'commit' as const;
        },
      });
      if (created.outcome === 'exists') throw recoverErrors.exists(output.place);
      assert(sources, 'a log that was created was judged');
      return await this.#finish(created.written, sources);
    } finally {
      await this.#crash.flushed?.close();
    }
  }

  async #refuse(): Promise<void> {
    const { output, isOverwrite } = this.#options;
    const { plan } = this.#prepared;
    const { site, flushed } = this.#crash;
    // Without a log and without a sample there would be nothing but a name.
    if (!flushed && plan.samples.length === 0) throw recoverErrors.hopeless(site.place, this.#problems());
    await refuseWhenSuperseded(output, {
      taskId: plan.facts.start.eval.task_id,
      place: site.place,
      except: new Set([site.key, output.key]),
    });
    if (!isOverwrite && (await output.bucket.stat(output.key))) throw recoverErrors.exists(output.place);
  }

  #write(file: LogFile): Promise<AppliedRecovery> {
    const { flushed } = this.#crash;
    return applyRecovery(this.#prepared.plan, file, {
      ...this.#options,
      flushed,
      metadata: (accounts) => ({ [RECOVERY_KEY]: this.#provenance(accounts.counts()) }),
    });
  }

  #provenance(counts: RecoverCounts): JsonObject {
    return {
      sources: this.#sources().map(({ kind }) => kind),
      kept: counts.kept,
      recovered: counts.recovered,
      in_flight: counts.inFlight,
      lost: counts.lost,
      events: this.#options.withEvents,
    };
  }

  /** What reading the whole file back has found. References without a target are no failure of ours: they say what is missing. */
  #check(report: VerifyReport, { samples, accounts }: AppliedRecovery): void {
    const { output } = this.#options;
    const broken = report.problems.find(({ code }) => code !== 'reference');
    if (broken) throw recoverErrors.verify(output.place, `${broken.member}: ${broken.message}`);
    if (report.samples !== samples)
      throw recoverErrors.verify(output.place, `${report.samples} samples instead of ${samples}`);
    accounts.addMissing(report);
  }

  async #checkSources(open: OpenWritten, { written }: AppliedRecovery): Promise<SourceCheck> {
    const { readers, plan } = this.#prepared;
    const { withEvents, keep } = this.#options;
    if (keep) return NOTHING_GOES;
    const reader = await open();
    try {
      const output = await readBack(reader, keysInBuffers(this.#crash, readers));
      const { attempts } = plan;
      return checkSources(this.#crash, { readers, attempts, output, withEvents, events: written });
    } finally {
      await reader.close();
    }
  }

  async #finish(applied: AppliedRecovery, sources: SourceCheck): Promise<RecoverReport> {
    const { disk, output } = this.#options;
    const { header, accounts, notFinalized } = applied;
    for (const reader of this.#prepared.readers) await reader.close();
    const deleted = await releaseInspectSources(disk, this.#crash, sources);
    return {
      kind: isJsonObject(header.eval.metadata?.holdfast) ? 'holdfast' : 'inspect',
      output: output.place,
      wasThere: false,
      status: header.status,
      run: runOf(header),
      sources: this.#sources(),
      liveness: this.#crash.verdict.liveness,
      counts: accounts.counts(),
      samples: accounts.list(),
      problems: [...this.#problems(), ...sources.problems],
      ...definedOf({ notFinalized }),
      ...(header.results && { results: header.results }),
      deleted,
      left: sources.left,
    };
  }

  #problems(): readonly RecoverProblem[] {
    const { flushed, problems, site, isLogThere } = this.#crash;
    const all = [
      ...(flushed?.problems ?? problems),
      ...this.#prepared.problems,
      ...this.#prepared.readers.flatMap((reader) => reader.problems),
    ];
    if (!this.#prepared.plan.facts.isKnown)
      all.push({
        code: 'E_RECOVER_NO_HEADER',
        message: `${isLogThere ? `The beginning of ${site.place} cannot be read` : `There is no log at ${site.place}`}: what its header said is known only from its name${flushed ? ' and its samples' : ''}.`,
      });
    return all;
  }

  #sources(): readonly { readonly kind: SourceKind; readonly place: string }[] {
    const { flushed } = this.#crash;
    const log = flushed ? [{ kind: flushed.kind, place: flushed.place }] : [];
    return [...log, ...this.#prepared.readers.map(({ kind, place }) => ({ kind, place }))];
  }
}

/** With `--keep` all stays, and nothing has to be looked at for it. */
const NOTHING_GOES: SourceCheck = { databases: [], isFilestore: false, left: [], problems: [] };

export function runOf({ eval: spec }: LogHeader): RecoverReport['run'] {
  return {
    task: spec.task,
    taskId: spec.task_id,
    runId: spec.run_id,
    created: spec.created,
    model: spec.model,
  };
}
