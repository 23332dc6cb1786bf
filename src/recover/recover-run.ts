import { isAbsolute, join } from 'node:path';
import { DamageError, messageOf } from '../base/index.ts';
import { isBucketUrl } from '../bucket/index.ts';
import { type Liveness, type Lock, livenessOf, tryLock } from '../disk/index.ts';
import {
  importSegments,
  JOURNAL_FILE,
  type JournalReader,
  LOCK_FILE,
  listWriters,
  type RunRecord,
  readJournal,
  salvageJournal,
  segmentPrefix,
} from '../journal/index.ts';
import type { EvalError } from '../log/index.ts';
import { type Choice, chooseAttempts, releaseJournal, type SealReport, sealRun } from '../seal/index.ts';
import { recoverErrors } from './recover-errors.ts';
import { runOf } from './recover-inspect.ts';
import type { RecoverOptions, RunPlaces } from './recover-options.ts';
import type { RecoverProblem, RecoverReport, SampleAccount, SourceKind } from './recover-report.ts';

/** What is there of one of Holdfast's own runs. */
export interface RunSite {
  readonly runId: string;
  /** The directory of its journal on this machine. */
  readonly dir: string | undefined;
}

export interface RunRecoveryOptions extends RecoverOptions {
  readonly places: RunPlaces;
  readonly scratchDir: string;
}

/**
 * Seals a run of ours that did not finish: from its journal, from its segments when the machine is gone, from both when
 * the journal is damaged. It ends through `sealRun`, as every run does.
 */
export async function recoverRun(site: RunSite, options: RunRecoveryOptions): Promise<RecoverReport> {
  const recovery = new RunRecovery(site, options);
  try {
    return await recovery.run();
  } finally {
    await recovery.close();
  }
}

interface RunSource {
  readonly kind: 'journal' | 'segments';
  readonly place: string;
  readonly reader: JournalReader;
}

class RunRecovery {
  readonly #site: RunSite;
  readonly #options: RunRecoveryOptions;
  readonly #sources: RunSource[] = [];
  readonly #problems: RecoverProblem[] = [];
  readonly #scratch: string;
  #lock: Lock | undefined;

  constructor(site: RunSite, options: RunRecoveryOptions) {
    this.#site = site;
    this.#options = options;
    this.#scratch = join(options.scratchDir, `holdfast-recover-${site.runId}`);
  }

  async run(): Promise<RecoverReport> {
    const { disk, forceDead } = this.#options;
    // What an interrupted recovery left is made anew.
    await disk.removeTree(this.#scratch);
    await disk.makeDir(this.#scratch);
    const isSound = await this.#openJournal();
    await this.#importSegments(isSound);
    const [first] = this.#sources;
    if (!first) throw recoverErrors.nothing(this.#site.dir ?? this.#site.runId);
    const liveness = this.#liveness(first);
    if (liveness === 'alive') throw recoverErrors.alive(this.#site.runId, 'another process');
    if (liveness === 'unknown' && !forceDead)
      throw recoverErrors.unknown(this.#site.runId, 'its process ran on another machine');
    return this.#seal(first.reader.run(), liveness);
  }

  async close(): Promise<void> {
    for (const { reader } of this.#sources) reader.close();
    this.#lock?.release();
    await this.#options.disk.removeTree(this.#scratch);
  }

  /** True when the journal is there and can be read to its end. */
  async #openJournal(): Promise<boolean> {
    const { dir } = this.#site;
    if (dir === undefined || !(await this.#options.disk.stat(join(dir, JOURNAL_FILE)))) return false;
    this.#lock = tryLock(join(dir, LOCK_FILE));
    if (!this.#lock) throw recoverErrors.alive(dir, 'another process');
    const path = join(dir, JOURNAL_FILE);
    try {
      const reader = readJournal(path);
      const damage = reader.problems();
      if (damage.length === 0) {
        this.#sources.push({ kind: 'journal', place: path, reader });
        return true;
      }
      reader.close();
      this.#note('E_JOURNAL_DAMAGED', `${path} is damaged (${damage[0]}); what can be read of it is used.`);
    } catch (error) {
      if (!(error instanceof DamageError) || error.code !== 'E_JOURNAL_DAMAGED') throw error;
      this.#note(error.code, error.message);
    }
    this.#trySalvage(path);
    return false;
  }

  /** Best effort: without it there are still the segments. */
  #trySalvage(path: string): void {
    const into = join(this.#scratch, 'salvaged.db');
    try {
      const { problems } = salvageJournal(path, into);
      for (const problem of problems) this.#note('E_JOURNAL_DAMAGED', problem);
      this.#addSource({ kind: 'journal', place: path, reader: readJournal(into) });
    } catch (error) {
      this.#note('E_JOURNAL_DAMAGED', `Nothing of ${path} could be read: ${messageOf(error)}`);
    }
  }

  /** The segments of a writer repeat its journal, so they are only read when that is missing or damaged. */
  async #importSegments(isSound: boolean): Promise<void> {
    const { segments } = this.#options.places;
    if (!segments) return;
    const own = isSound ? this.#sources[0]?.reader.run().writer : undefined;
    for (const writer of await listWriters(segments.bucket, segments.prefix, this.#site.runId)) {
      if (writer === own) continue;
      const into = join(this.#scratch, `segments-${this.#sources.length}.db`);
      const report = await importSegments({ ...segments, run: this.#site.runId, writer, into, isNew: true });
      for (const problem of report.problems) this.#note('E_SEGMENT_DAMAGED', problem);
      const place = `${segments.bucket.url}/${segmentPrefix(segments.prefix, this.#site.runId)}${writer}`;
      this.#addSource({ kind: 'segments', place, reader: readJournal(into) });
    }
  }

  /** A source that does not even say which run it is of holds nothing that can be told apart. */
  #addSource(source: RunSource): void {
    try {
      source.reader.run();
      this.#sources.push(source);
    } catch (error) {
      source.reader.close();
      if (!(error instanceof DamageError)) throw error;
      this.#note(error.code, error.message);
    }
  }

  /** Whoever holds the lock of the journal knows that nobody writes it here. */
  #liveness({ reader }: RunSource): Liveness {
    if (this.#lock) return lockedLiveness(reader);
    const last = reader.sessions().at(-1);
    return !last || last.ending ? 'dead' : livenessOf(last.process);
  }

  async #seal(run: RunRecord, liveness: Liveness): Promise<RecoverReport> {
    const { disk, clock, places, output, noEvents, onProgress } = this.#options;
    const readers = this.#sources.map(({ reader }) => reader);
    const choices = chooseAttempts(readers);
    const counts = countsOf(run, choices);
    const isWhole = counts.expected === counts.kept + counts.recovered && counts.inFlight === 0;
    const report = await sealRun({
      disk,
      clock,
      sources: readers,
      logPath: output ?? join(places.logDir, run.logName),
      resolveLog: (log) => (isAbsolute(log) || isBucketUrl(log) ? log : join(places.logDir, log)),
      outcome: isWhole ? { status: 'success' } : { status: 'error', error: INTERRUPTED },
      metadata: { holdfast_recovery: { sources: this.#sources.map(({ kind }) => kind) } },
      withEvents: !noEvents,
      ...(onProgress ? { onProgress } : {}),
    });
    const samples = choices.map((choice) => this.#account(choice));
    const deleted = this.#options.keep ? [] : await this.#release();
    const left = this.#options.keep || deleted.length > 0 ? [] : this.#sources.map(({ place }) => place);
    return this.#report(report, { liveness, counts, samples, deleted, left });
  }

  #account(choice: Choice): SampleAccount {
    const { kind } = this.#sources.find(({ reader }) => reader === choice.source) ?? {
      kind: 'journal' as SourceKind,
    };
    if (choice.from === 'log') {
      const { id, epoch } = choice.row;
      return { id, epoch, state: 'flushed', from: ['log'], missing: [] };
    }
    const { id, epoch, n, status } = choice.attempt;
    const events = this.#options.noEvents ? 0 : choice.source.eventCount(n);
    return { id, epoch, state: status ?? 'in-flight', from: [kind], events, missing: [] };
  }

  /** The log is in place and checked: see `sealRun`. What could not be read whole is left where it is. */
  async #release(): Promise<readonly string[]> {
    const { disk, places } = this.#options;
    const deleted: string[] = [];
    if (this.#problems.length > 0) return deleted;
    for (const { reader } of this.#sources) reader.close();
    this.#lock?.release();
    if (this.#site.dir !== undefined && (await disk.stat(this.#site.dir))) {
      await releaseJournal(disk, this.#site.dir);
      deleted.push(this.#site.dir);
    }
    const { segments } = places;
    if (!segments) return deleted;
    const prefix = segmentPrefix(segments.prefix, this.#site.runId);
    const keys: string[] = [];
    for await (const { key } of segments.bucket.list(prefix)) keys.push(key);
    for (const key of keys) await segments.bucket.remove(key);
    if (keys.length > 0) deleted.push(`${segments.bucket.url}/${prefix}`);
    return deleted;
  }

  #report(
    sealed: SealReport,
    found: Pick<RecoverReport, 'liveness' | 'counts' | 'samples' | 'deleted' | 'left'>,
  ): RecoverReport {
    const { header } = sealed;
    return {
      kind: 'holdfast',
      output: sealed.logPath,
      wasThere: sealed.wasThere,
      status: header.status,
      run: runOf(header),
      sources: this.#sources.map(({ kind, place }) => ({ kind, place })),
      ...found,
      problems: this.#problems,
      ...(header.results && { results: header.results }),
    };
  }

  #note(code: RecoverProblem['code'], message: string): void {
    this.#problems.push({ code, message });
  }
}

/** We hold the lock, so nobody writes here; whether somebody may still think so is what the last session tells. */
function lockedLiveness(reader: JournalReader): Liveness {
  const last = reader.sessions().at(-1);
  if (!last || last.ending) return 'dead';
  const liveness = livenessOf(last.process);
  return liveness === 'alive' ? 'dead' : liveness;
}

function countsOf(run: RunRecord, choices: readonly Choice[]): RecoverReport['counts'] {
  const counts = { expected: run.planned, kept: 0, recovered: 0, inFlight: 0, lost: 0 };
  for (const choice of choices) {
    if (choice.from === 'log') counts.kept++;
    else if (choice.attempt.status === undefined) counts.inFlight++;
    else counts.recovered++;
  }
  return counts;
}

const INTERRUPTED: EvalError = {
  message: 'The run was interrupted; this log was recovered from its journal.',
  traceback: 'Interrupted: recovered from the journal of a run that did not finish.\n',
  traceback_ansi: 'Interrupted: recovered from the journal of a run that did not finish.\n',
};
