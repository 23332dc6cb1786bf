import { join } from 'node:path';
import { shortId } from '../base/index.ts';
import {
  createWriter,
  importWriter,
  type JournalReader,
  type JournalWriter,
  journalPath,
  openRunJournals,
  RunJournals,
  type RunRecord,
  readJournal,
} from '../journal/index.ts';
import type { SegmentPlace } from './places.ts';
import type { RunSettings } from './settings.ts';

export interface JoinOptions {
  readonly run: RunRecord;
  /** Writers of one round of a shared run do not come after each other. */
  readonly round: number;
}

/**
 * A run that this process works on beside others elsewhere: it writes a journal of its own, ships it, and reads of the others'
 * segments what it needs.
 */
export class JoinedRun {
  readonly run: RunRecord;
  readonly writer: JournalWriter;
  readonly #settings: RunSettings;
  readonly #place: SegmentPlace;
  readonly #scratch: string;
  readonly #others = new Map<string, JournalReader>();
  #journals: RunJournals;
  #imports = 0;

  private constructor(
    settings: RunSettings,
    parts: {
      readonly run: RunRecord;
      readonly writer: JournalWriter;
      readonly place: SegmentPlace;
      readonly own: RunJournals;
    },
  ) {
    this.run = parts.run;
    this.writer = parts.writer;
    this.#settings = settings;
    this.#place = parts.place;
    this.#scratch = settings.places.state.incomingDir(parts.run.runId);
    this.#journals = parts.own;
  }

  static async open(
    settings: RunSettings,
    place: SegmentPlace,
    { run, round }: JoinOptions,
  ): Promise<JoinedRun> {
    const { disk, places, random } = settings;
    const runDir = places.state.runDir(run.runId);
    await disk.makeDir(runDir);
    const writer = await createWriter({
      runDir,
      run,
      writer: { writer: shortId(random), generation: round, after: [], reuse: 'none' },
      ports: settings,
    });
    const none = await openRunJournals({ disk, runDir, except: [writer.record.writer] });
    return new JoinedRun(settings, { run, writer, place, own: none.with(writer.reader) });
  }

  /** This writer's own, and those of others as far as they were read. */
  get journals(): RunJournals {
    return this.#journals;
  }

  /** Reads what another writer shipped, again if it was read before: it may have shipped more. Gives sentences about what is damaged. */
  async readOther(writer: string): Promise<readonly string[]> {
    if (writer === this.writer.record.writer) return [];
    const { disk } = this.#settings;
    const runDir = join(this.#scratch, String(++this.#imports));
    await disk.makeDir(runDir);
    const { bucket, prefix } = this.#place;
    const run = this.run.runId;
    const { problems } = await importWriter({ disk, bucket, prefix, run, writer, runDir });
    const before = this.#others.get(writer);
    this.#others.set(writer, readJournal(journalPath(runDir, writer)));
    const own = this.#journals.readers.filter(
      (reader) => ![...this.#others.values(), before].includes(reader),
    );
    this.#journals = new RunJournals([...own, ...this.#others.values()], { runDir, unreadable: [] });
    before?.close();
    return problems;
  }

  /** The journal stays: it is let go when the run is sealed. */
  async close(): Promise<void> {
    this.#journals.close();
    this.writer.close();
    await this.#settings.disk.removeTree(this.#scratch);
  }
}
