import { join } from 'node:path';
import { shortId } from '../base/index.ts';
import {
  briefRunRecord,
  createWriter,
  importWriter,
  type JournalReader,
  type JournalWriter,
  journalPath,
  listSegmentsOf,
  RunJournals,
  type RunRecord,
  readJournal,
  segmentCount,
  type WriterRecord,
} from '../journal/index.ts';
import type { SegmentPlace } from './places.ts';
import type { RunSettings } from './settings.ts';

export interface JoinOptions {
  readonly run: RunRecord;
  /** True for one of many writers, each of one sample: it does not name all the others [JRN-18]. */
  readonly isBrief?: boolean | undefined;
  /** What this writer comes after: writers that work side by side do not come after each other. */
  readonly beside: Pick<WriterRecord, 'generation' | 'after' | 'held' | 'reuse'>;
  /** Where the segments of others are; undefined when all of them write into the same directory. */
  readonly place?: SegmentPlace | undefined;
}

/** The journal of another writer, as it was read at one time. */
interface ReadJournal {
  readonly reader: JournalReader;
  /** Where its segments were put together; undefined when it is the journal itself. */
  readonly scratch?: string;
  users: number;
}

interface Other {
  journal?: ReadJournal;
  problems: readonly string[];
  /** How many segments there were when it was last put together of them. */
  segments: number;
  reading: Promise<unknown>;
  /** Not begun yet. */
  next?: Promise<readonly string[]> | undefined;
}

/** Journals for as long as somebody needs them. */
export interface LentJournals extends AsyncDisposable {
  readonly journals: RunJournals;
}

/**
 * A run that this process works on beside others: it writes a journal of its own, and reads of what the others wrote what it
 * needs.
 */
export class JoinedRun {
  readonly run: RunRecord;
  readonly writer: JournalWriter;
  readonly #settings: RunSettings;
  readonly #place: SegmentPlace | undefined;
  readonly #scratch: string;
  readonly #others = new Map<string, Other>();
  /** All that are open, also those that were read anew while somebody still needed them. */
  readonly #open = new Set<ReadJournal>();
  #imports = 0;

  private constructor(settings: RunSettings, writer: JournalWriter, { run, place }: JoinOptions) {
    this.run = run;
    this.writer = writer;
    this.#settings = settings;
    this.#place = place;
    this.#scratch = settings.places.state.incomingDir(run.runId);
  }

  static async open(settings: RunSettings, options: JoinOptions): Promise<JoinedRun> {
    const { disk, places, random } = settings;
    const runDir = places.state.runDir(options.run.runId);
    await disk.makeDir(runDir);
    const writer = await createWriter({
      ...{ runDir, run: options.isBrief ? briefRunRecord(options.run) : options.run, ports: settings },
      writer: { writer: shortId(random), ...options.beside },
    });
    return new JoinedRun(settings, writer, options);
  }

  /** This writer's own, and those of others as far as they were read: they stay as they are until they are given back. No more than these are asked. */
  lend(writers: Iterable<string>): LentJournals {
    const runDir = this.#settings.places.state.runDir(this.run.runId);
    const lent = [...new Set(writers)].flatMap((writer) => this.#others.get(writer)?.journal ?? []);
    for (const journal of lent) journal.users++;
    const readers = [this.writer.reader, ...lent.map(({ reader }) => reader)];
    return {
      journals: new RunJournals(readers, { runDir, unreadable: [] }),
      [Symbol.asyncDispose]: async () => {
        for (const journal of lent) journal.users--;
        await this.#closeReplaced();
      },
    };
  }

  /** Reads what another writer wrote, again if there is more than was read before. Gives sentences about what is damaged. */
  async readOther(writer: string): Promise<readonly string[]> {
    if (writer === this.writer.record.writer) return [];
    const other = this.#others.get(writer) ?? { problems: [], segments: -1, reading: Promise.resolve() };
    this.#others.set(writer, other);
    // Who asks while it is being read may need what came since that began: one more time is enough for all of them.
    other.next ??= this.#readNext(writer, other);
    return other.next;
  }

  /** The journal stays: it is let go when the run is sealed. */
  async close(): Promise<void> {
    for (const { reader } of this.#open) reader.close();
    this.writer.close();
    await this.#settings.disk.removeTree(this.#scratch);
  }

  async #readNext(writer: string, other: Other): Promise<readonly string[]> {
    await Promise.allSettled([other.reading]);
    other.next = undefined;
    const reading = this.#read(writer, other);
    other.reading = reading;
    return reading;
  }

  /** Of a writer on this machine the journal itself; of any other what its segments hold, if it sent any. */
  async #read(writer: string, other: Other): Promise<readonly string[]> {
    const { disk, places } = this.#settings;
    const { runId } = this.run;
    const here = journalPath(places.state.runDir(runId), writer);
    if (await disk.stat(here)) {
      await this.#replace(other, { reader: readJournal(here), users: 0 });
      return [];
    }
    if (!this.#place) return [`The journal of writer ${writer} of run ${runId} is gone.`];
    const of = { ...this.#place, run: runId, writer };
    const chains = await listSegmentsOf(writer, of);
    // One that was lost before it sent anything left nothing that could be read, or that is missed.
    if (chains === undefined) return [];
    const segments = segmentCount(chains);
    if (segments > other.segments) {
      const scratch = join(this.#scratch, String(++this.#imports));
      await disk.makeDir(scratch);
      const { problems } = await importWriter({ disk, ...of, chains, runDir: scratch, isScratch: true });
      const reader = readJournal(journalPath(scratch, writer));
      await this.#replace(other, { reader, scratch, users: 0 });
      other.segments = segments;
      other.problems = problems;
    }
    return other.problems;
  }

  async #replace(other: Other, journal: ReadJournal): Promise<void> {
    other.journal = journal;
    this.#open.add(journal);
    await this.#closeReplaced();
  }

  /** Another sample may be reading what was read anew meanwhile: it goes with the last that needs it. */
  async #closeReplaced(): Promise<void> {
    const current = new Set([...this.#others.values()].map(({ journal }) => journal));
    const replaced = [...this.#open].filter((journal) => journal.users === 0 && !current.has(journal));
    // All at once, before anything is waited for: what is read meanwhile is current.
    for (const journal of replaced) {
      this.#open.delete(journal);
      journal.reader.close();
    }
    for (const { scratch } of replaced)
      if (scratch !== undefined) await this.#settings.disk.removeTree(scratch);
  }
}
