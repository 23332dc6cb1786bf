import { ActionableError, DamageError, definedOf, type SampleId, sampleKeyText } from '../base/index.ts';
import { type Disk, identityOfFile, type Liveness } from '../disk/index.ts';
import { type SampleAnswer, unionOfAnswers } from '../log/index.ts';
import { fullestOf } from './brief-run-record.ts';
import type { JournalReader } from './journal-reader.ts';
import { heldBy, lostOfRun, most } from './lost-of-run.ts';
import { OpenDatabases } from './open-databases.ts';
import { readJournal } from './read-journal.ts';
import { readWriters, type UnreadableJournal } from './read-writers.ts';
import type {
  AttemptOutline,
  AttemptRow,
  JournalDamage,
  LostRows,
  Origin,
  ReusedOutline,
  RunRecord,
  WriterRecord,
} from './records.ts';
import { livenessOfRun, writerLiveness } from './writer-liveness.ts';
import { writersIn } from './writers-in.ts';

export interface OpenRunJournalsOptions {
  readonly disk: Disk;
  readonly runDir: string;
  /** Names of writers to leave out: this process's own. */
  readonly except?: readonly string[];
  /** What run it is, for whoever knows it better than writers of a part of it. */
  readonly run?: RunRecord;
}

interface About {
  readonly runDir: string;
  readonly unreadable: readonly UnreadableJournal[];
  readonly among?: OpenDatabases;
  readonly run?: RunRecord;
}

/** What came from which journal. */
export type From<T> = T & { readonly source: JournalReader };

/**
 * Opens the journals of all writers of a run, read-only. One that cannot be read at all is named in `damage`, and the others
 * are used. Whoever does not hold the lock of the run must expect that it is let go meanwhile: see `lookAtRun`.
 */
export async function openRunJournals(options: OpenRunJournalsOptions): Promise<RunJournals> {
  const { disk, runDir, except, run } = options;
  const readers = new Map<string, JournalReader>();
  const places = (await writersIn(disk, runDir)).filter(({ writer }) => !except?.includes(writer));
  try {
    const among = new OpenDatabases();
    const unreadable = readWriters(places, readers, among);
    return new RunJournals([...readers.values()], { runDir, unreadable, among, ...definedOf({ run }) });
  } catch (error) {
    for (const reader of readers.values()) reader.close();
    throw error;
  }
}

/** The same for those who only look, without the lock of the run: undefined when it was let go meanwhile. */
export async function lookAtRun(options: OpenRunJournalsOptions): Promise<RunJournals | undefined> {
  const isLetGo = () => identityOfFile(options.runDir) === undefined;
  try {
    const journals = await openRunJournals(options);
    return journals.readers.length === 0 && isLetGo() ? undefined : journals;
  } catch (error) {
    if (error instanceof ActionableError && isLetGo()) return undefined;
    throw error;
  }
}

/** All journals of a run: their union, in which each attempt is there once [JRN-14]. */
export class RunJournals {
  /** Oldest generation first. */
  readonly readers: readonly JournalReader[];
  readonly #about: About;
  #bySample: BySample | undefined;
  #run: RunRecord | undefined;

  constructor(readers: readonly JournalReader[], about: About) {
    this.readers = readers.toSorted(byGeneration);
    this.#about = about;
  }

  /** Opens one more, so that not too many are open together with these. It is one of them only by `with`. */
  read(path: string): JournalReader {
    return readJournal(path, { among: this.#about.among });
  }

  /** The same with more journals. */
  with(...readers: readonly JournalReader[]): RunJournals {
    return new RunJournals([...this.readers, ...readers], this.#about);
  }

  /** Equal in all journals: the first that has it whole says it, if any names the samples [JRN-18]. */
  run(): RunRecord {
    this.#run ??= this.#about.run ?? this.#runOfReaders();
    return this.#run;
  }

  #runOfReaders(): RunRecord {
    let failure: unknown = nothingReadable(this.#about);
    const records = function* (readers: readonly JournalReader[]) {
      for (const reader of readers) {
        try {
          yield reader.run();
        } catch (error) {
          if (!(error instanceof ActionableError)) throw error;
          failure = error;
        }
      }
    };
    const run = fullestOf(records(this.readers));
    if (run) return run;
    throw failure;
  }

  writers(): readonly WriterRecord[] {
    return this.readers.map((reader) => reader.writer());
  }

  /** What each of them holds, by writer: the next one remembers it [JRN-15]. */
  held(): Readonly<Record<string, LostRows>> {
    const held = new Map<string, LostRows>();
    for (const reader of this.readers) {
      const { writer } = reader.writer();
      held.set(writer, most(held.get(writer), heldBy(reader)));
    }
    return Object.fromEntries(held);
  }

  /** One more than all that are there [JRN-15]. */
  get nextGeneration(): number {
    return 1 + this.writers().reduce((latest, { generation }) => Math.max(latest, generation), 0);
  }

  /** Over all writers that are not fenced. */
  liveness(): Liveness {
    return livenessOfRun(
      this.readers.map((reader) => ({ ...reader.writer(), liveness: writerLiveness(reader) })),
    );
  }

  /** All attempts at one sample in the order of generation and number, each origin once. */
  attemptsAt(id: SampleId, epoch: number): readonly From<AttemptRow>[] {
    const found = this.#whoTried(id, epoch).flatMap((source) =>
      source.attemptsAt(id, epoch).map((attempt) => ({ ...attempt, source })),
    );
    const chosen = new Map<Origin, From<AttemptRow>>();
    for (const attempt of found) {
      const other = chosen.get(attempt.origin);
      if (!other || isBetterCopy(attempt, other)) chosen.set(attempt.origin, attempt);
    }
    return found.filter((attempt) => chosen.get(attempt.origin) === attempt);
  }

  /** The union of what was bought for a sample in all attempts at it. */
  answersAt(id: SampleId, epoch: number): readonly SampleAnswer[] {
    return unionOfAnswers(
      this.#whoTried(id, epoch).flatMap((source) =>
        source.attemptNumbersAt(id, epoch).map((n) => source.answers(n)),
      ),
    );
  }

  /**
   * The journals that may hold an attempt at a sample, oldest generation first: those that are being written, and of the others those that
   * have one. Of thousands of journals all but a few hold nothing of it, and each would have to be opened to say so.
   */
  #whoTried(id: SampleId, epoch: number): readonly JournalReader[] {
    if (this.readers.length <= ASKED_MAX) return this.readers;
    this.#bySample ??= samplesOf(this.readers);
    const { asked, bySample } = this.#bySample;
    const tried = bySample.get(sampleKeyText(id, epoch)) ?? [];
    return [...asked, ...tried].sort((a, b) => a - b).flatMap((index) => this.readers[index] ?? []);
  }

  /** Every attempt of the run, oldest generation first, each origin once. */
  *outline(): Iterable<From<AttemptOutline>> {
    const chosen = this.#chosenCopies();
    for (const source of this.readers) {
      for (const attempt of source.outline()) {
        const copy = chosen.get(attempt.origin);
        if (!copy || (copy.source === source && copy.n === attempt.n)) yield { ...attempt, source };
      }
    }
  }

  /** What other logs lend, only as the writers say that nobody came after [JRN-16]. */
  *reused(): Iterable<From<ReusedOutline>> {
    const before = new Set(this.writers().flatMap(({ after }) => after));
    const seen = new Set<string>();
    for (const source of this.readers) {
      const { writer } = source.writer();
      if (before.has(writer) || seen.has(writer)) continue;
      seen.add(writer);
      for (const row of source.reused()) yield { ...row, source };
    }
  }

  /** What all answers cost: those of a copied attempt count once. */
  spentUsd(): number {
    let usd = 0;
    for (const reader of this.readers) usd += reader.spentUsd();
    for (const copies of this.#copies().values()) {
      const costs = copies.map(({ source, n }) => source.spentUsd(n));
      usd += Math.max(...costs) - costs.reduce((sum, cost) => sum + cost, 0);
    }
    return usd;
  }

  /** True when nothing in any of them cost anything. Of what is damaged or gone nobody can say that. */
  isUnpaid(): boolean {
    return this.damage.sentences.length === 0 && this.readers.every((reader) => reader.isUnpaid());
  }

  /** What cannot be read in any of them. Attempts are named in the damage of their own journal. */
  get damage(): Pick<JournalDamage, 'sentences' | 'lost'> {
    const all = this.readers.map((reader) => reader.damage());
    const { unreadable } = this.#about;
    const { sentences: missing, lost } = lostOfRun(this.readers, unreadable);
    const reasons = unreadable.map(({ reason }) => reason);
    return {
      sentences: [...missing, ...reasons, ...all.flatMap(({ sentences }) => sentences)],
      ...(lost ? { lost } : {}),
    };
  }

  close(): void {
    for (const reader of this.readers) reader.close();
  }

  /** Which copy stands for an origin that is there more than once. */
  #chosenCopies(): ReadonlyMap<Origin, From<AttemptOutline>> {
    const chosen = new Map<Origin, From<AttemptOutline>>();
    for (const [origin, copies] of this.#copies())
      chosen.set(
        origin,
        copies.reduce((best, copy) => (isBetterCopy(copy, best) ? copy : best)),
      );
    return chosen;
  }

  /** The origins that are there more than once. Nearly all attempts are where they began, so these are few. */
  #copies(): ReadonlyMap<Origin, readonly From<AttemptOutline>[]> {
    const copies = new Map<Origin, From<AttemptOutline>[]>();
    const suspects = this.readers.length < 2 ? undefined : this.#suspects();
    if (!suspects) return copies;
    for (const source of this.readers) {
      for (const attempt of source.outline()) {
        if (!suspects(attempt.origin)) continue;
        const known = copies.get(attempt.origin);
        if (known) known.push({ ...attempt, source });
        else copies.set(attempt.origin, [{ ...attempt, source }]);
      }
    }
    for (const [origin, found] of copies) if (found.length < 2) copies.delete(origin);
    return copies;
  }

  /**
   * An attempt can be there twice when a journal holds one that began elsewhere, or a writer is there twice. Undefined when
   * neither is so, as it is in nearly every run: then nothing has to be compared.
   */
  #suspects(): ((origin: Origin) => boolean) | undefined {
    const writers = this.writers().map(({ writer }) => writer);
    if (new Set(writers).size < writers.length) return () => true;
    const { runId } = this.run();
    const foreign = new Set(this.readers.flatMap((reader) => reader.foreignOrigins(runId)));
    return foreign.size === 0 ? undefined : (origin) => foreign.has(origin);
  }
}

/** So many journals are asked one by one: that is quicker than to remember who has what. */
const ASKED_MAX = 8;

/** Which journals have attempts at which sample, by their places in the list. */
interface BySample {
  /** What is in them may change: they are asked each time. */
  readonly asked: readonly number[];
  readonly bySample: ReadonlyMap<string, readonly number[]>;
}

function samplesOf(readers: readonly JournalReader[]): BySample {
  const asked: number[] = [];
  const bySample = new Map<string, number[]>();
  for (const [index, reader] of readers.entries()) {
    if (!reader.rows.isSettled) {
      asked.push(index);
      continue;
    }
    for (const { id, epoch } of reader.outline()) {
      const name = sampleKeyText(id, epoch);
      const tried = bySample.get(name);
      if (!tried) bySample.set(name, [index]);
      else if (tried.at(-1) !== index) tried.push(index);
    }
  }
  return { asked, bySample };
}

const RANKS = [undefined, 'errored', 'completed'] as const;

/**
 * Copies of one attempt differ only when it went on in one of them, or one is damaged: the one that got further stands for
 * it. Among those with a result that is the first; among those without the last, since it may have gone on.
 */
function isBetterCopy(later: AttemptOutline, first: AttemptOutline): boolean {
  if (later.status !== first.status) return RANKS.indexOf(later.status) > RANKS.indexOf(first.status);
  if (later.isDamaged !== first.isDamaged) return first.isDamaged;
  return later.status === undefined;
}

function byGeneration(a: JournalReader, b: JournalReader): number {
  const [left, right] = [a.writer(), b.writer()];
  if (left.generation !== right.generation) return left.generation - right.generation;
  if (left.writer !== right.writer) return left.writer < right.writer ? -1 : 1;
  return a.path < b.path ? -1 : 1;
}

function nothingReadable({ runDir, unreadable }: About): DamageError {
  const reasons = unreadable.map(({ reason }) => reason);
  return new DamageError({
    code: 'E_JOURNAL_EMPTY',
    message: `${runDir} holds no journal that can be read. ${reasons.join(' ')}`.trim(),
    hint: 'Look for its segments in the bucket, if it has one.',
  });
}
