import { join } from 'node:path';
import { shortId } from '../base/index.ts';
import {
  createWriter,
  importWriter,
  type JournalReader,
  type JournalWriter,
  journalPath,
  RunJournals,
  type RunRecord,
  readJournal,
  type WriterRecord,
} from '../journal/index.ts';
import type { SegmentPlace } from './places.ts';
import type { RunSettings } from './settings.ts';

export interface JoinOptions {
  readonly run: RunRecord;
  /** What this writer comes after: writers that work side by side do not come after each other. */
  readonly beside: Pick<WriterRecord, 'generation' | 'after' | 'held' | 'reuse'>;
  /** Where the segments of others are; undefined when all of them write into the same directory. */
  readonly place?: SegmentPlace | undefined;
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
  readonly #others = new Map<string, JournalReader>();
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
      ...{ runDir, run: options.run, ports: settings },
      writer: { writer: shortId(random), ...options.beside },
    });
    return new JoinedRun(settings, writer, options);
  }

  /** This writer's own, and those of others as far as they were read. */
  get journals(): RunJournals {
    const runDir = this.#settings.places.state.runDir(this.run.runId);
    return new RunJournals([this.writer.reader, ...this.#others.values()], { runDir, unreadable: [] });
  }

  /** Reads what another writer wrote, again if it was read before: there may be more. Gives sentences about what is damaged. */
  async readOther(writer: string): Promise<readonly string[]> {
    if (writer === this.writer.record.writer) return [];
    const before = this.#others.get(writer);
    const { path, problems } = await this.#find(writer);
    if (path !== undefined) this.#others.set(writer, readJournal(path));
    if (path !== undefined) before?.close();
    return problems;
  }

  /** The journal stays: it is let go when the run is sealed. */
  async close(): Promise<void> {
    for (const reader of this.#others.values()) reader.close();
    this.writer.close();
    await this.#settings.disk.removeTree(this.#scratch);
  }

  /** Of a writer on this machine the journal itself; of any other what its segments hold. */
  async #find(writer: string): Promise<{ readonly path?: string; readonly problems: readonly string[] }> {
    const { disk, places } = this.#settings;
    const here = journalPath(places.state.runDir(this.run.runId), writer);
    if (await disk.stat(here)) return { path: here, problems: [] };
    if (!this.#place)
      return { problems: [`The journal of writer ${writer} of run ${this.run.runId} is gone.`] };
    const runDir = join(this.#scratch, String(++this.#imports));
    await disk.makeDir(runDir);
    const { problems } = await importWriter({ disk, ...this.#place, run: this.run.runId, writer, runDir });
    return { path: journalPath(runDir, writer), problems };
  }
}
