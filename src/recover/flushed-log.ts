import {
  ActionableError,
  DamageError,
  type ErrorCode,
  messageOf,
  type SampleKey,
  sampleKeyText,
} from '../base/index.ts';
import { openBucketSource } from '../journal/index.ts';
import {
  type ByteSource,
  type EvalSampleSummary,
  type LogFile,
  type LogHeader,
  type LogReader,
  openLogSource,
  type RepairedLog,
  repairedLog,
  type SampleFields,
  type Scratch,
  sampleMemberName,
  scanTornLog,
  summarize,
} from '../log/index.ts';
import type { LogSite } from './log-site.ts';
import type { RecoverProblem } from './recover-report.ts';

/** A record that was copied, and the attempt that it is of. */
export interface KeptRecord extends SampleKey {
  readonly uuid: string | undefined;
}

/** What a crashed log itself holds: the samples that were flushed into it. */
export class FlushedLog {
  readonly kind: 'log' | 'torn log';
  readonly place: string;
  /** Who the run is. Undefined when neither the header nor the start can be read: then only the log's name tells. */
  readonly header: LogHeader | undefined;
  readonly keys: readonly SampleKey[];
  readonly #problems: RecoverProblem[];
  readonly #reader: RepairedLog;
  readonly #members: ReadonlySet<string>;

  private constructor(reader: RepairedLog, found: FoundFlushed & Pick<FlushedLog, 'header' | 'keys'>) {
    this.#reader = reader;
    this.kind = found.kind;
    this.place = found.place;
    this.header = found.header;
    this.keys = found.keys;
    this.#problems = [...found.problems];
    this.#members = new Set(reader.members().map(({ name }) => name));
  }

  static async of(log: LogReader, found: FoundFlushed): Promise<FlushedLog> {
    const reader = repairedLog(log);
    const header = await reader.header().catch((error: unknown) => {
      if (error instanceof DamageError) return undefined; // Told as damage of the log.
      throw error;
    });
    return new FlushedLog(reader, { ...found, header, keys: await reader.samples() });
  }

  /** What could not be read so far, each once. */
  get problems(): readonly RecoverProblem[] {
    const told = this.#reader.damage.map(({ code, message, sample }) => ({
      code: code as ErrorCode,
      message,
      ...(sample && { sample }),
    }));
    const messages = new Set(this.#problems.map(({ message }) => message));
    return [...this.#problems, ...told.filter(({ message }) => !messages.has(message))];
  }

  /** The run had ended: there is a header, whether it can be read or not. */
  get isFinished(): boolean {
    return (
      this.#members.has('header.json') || (this.header !== undefined && this.header.status !== 'started')
    );
  }

  /** False when how the run ended can no longer be read. */
  get isHeaderWhole(): boolean {
    return this.header !== undefined && !this.#reader.damage.some(({ member }) => member === 'header.json');
  }

  /** Reads the log's own documents, and all of its samples unless told otherwise: what is damaged becomes a problem. */
  async check({ withSamples }: { readonly withSamples: boolean }): Promise<void> {
    await this.#reader.checkDocuments();
    if (withSamples) for (const key of this.keys) await this.isReadable(key);
  }

  /** Reads all of a sample but its transcript, and checks its bytes to the end. Undefined, and a problem, when damaged. */
  async fields(key: SampleKey): Promise<SampleFields | undefined> {
    try {
      const fields = await this.#reader.sampleFields(key.id, key.epoch);
      for (const name of this.#chunksOf(key)) for await (const _ of this.#reader.readMember(name) ?? []);
      return fields;
    } catch (error) {
      this.#note(error, key);
      return undefined;
    }
  }

  /** Whether the bytes of a record are whole. False, and a problem, when they are not. */
  async isReadable(key: SampleKey): Promise<boolean> {
    const name = sampleMemberName(key.id, key.epoch);
    const members = this.#members.has(name) ? [name] : this.#chunksOf(key);
    // A `.json` log has no members, and no checksums: it is read as a whole.
    if (members.length === 0) return (await this.fields(key)) !== undefined;
    try {
      for (const member of members) for await (const _ of this.#reader.readMember(member) ?? []);
      return true;
    } catch (error) {
      this.#note(error, key);
      return false;
    }
  }

  /** The log's own list, as far as it can be read. */
  async *rows(): AsyncGenerator<EvalSampleSummary> {
    try {
      yield* this.#reader.summaries();
    } catch (error) {
      this.#note(error, undefined);
    }
  }

  /** Takes a sample over as it is, without decoding it. */
  async copyTo(file: LogFile, key: SampleKey): Promise<void> {
    if (await file.copySample(this.#reader, key)) return;
    const chunks = this.#chunksOf(key);
    for (const chunk of chunks) await file.copyMember(this.#reader, chunk);
    if (chunks.length > 0) return;
    // A `.json` log has no members to copy.
    const parts = await this.#reader.parts(key.id, key.epoch);
    if (parts) await file.writeSample(parts);
  }

  /** The rows of the given records: as the run wrote them, else made from the records. A row of another attempt is none. */
  async *summaries(records: readonly KeptRecord[]): AsyncGenerator<EvalSampleSummary> {
    const left = new Map(records.map((record) => [sampleKeyText(record.id, record.epoch), record]));
    for await (const row of this.rows()) {
      const name = sampleKeyText(row.id, row.epoch);
      const record = left.get(name);
      if (!record || (row.uuid ?? record.uuid) !== record.uuid) continue;
      left.delete(name);
      yield row;
    }
    for (const key of left.values()) {
      const fields = await this.fields(key);
      if (fields) yield summarize(fields);
    }
  }

  /** Samples that the log lists, whether it still holds them or not. */
  async listed(): Promise<readonly SampleKey[]> {
    const keys: SampleKey[] = [];
    for await (const { id, epoch } of this.rows()) keys.push({ id, epoch });
    return keys;
  }

  /** Documents besides the samples that the new log keeps as they are. */
  async copyJournal(file: LogFile): Promise<void> {
    const damaged = new Set((await this.#reader.checkDocuments()).map(({ member }) => member));
    for (const name of this.#members) {
      const isKept = name === '_journal/start.json' || name.startsWith('_journal/config_updates/');
      if (isKept && !damaged.has(name)) await file.copyMember(this.#reader, name);
    }
  }

  /** Whether `copyJournal` copies the start of the run. */
  async hasStart(): Promise<boolean> {
    const damage = await this.#reader.checkDocuments();
    const name = '_journal/start.json';
    return this.#members.has(name) && !damage.some(({ member }) => member === name);
  }

  close(): Promise<void> {
    return this.#reader.close();
  }

  /** The members of a sample that is not one document; there are hardly ever any. */
  #chunksOf(key: SampleKey): readonly string[] {
    const name = sampleMemberName(key.id, key.epoch);
    if (this.#members.has(name)) return [];
    const folder = `${name.slice(0, -'.json'.length)}/`;
    return [...this.#members].filter((name) => name.startsWith(folder));
  }

  #note(error: unknown, sample: SampleKey | undefined): void {
    if (!(error instanceof ActionableError)) throw error;
    if (this.problems.some(({ message }) => message === error.message)) return;
    this.#problems.push({ code: error.code, message: messageOf(error), ...(sample && { sample }) });
  }
}

interface FoundFlushed {
  readonly kind: 'log' | 'torn log';
  readonly place: string;
  readonly problems: readonly RecoverProblem[];
}

export interface OpenedLog {
  readonly flushed: FlushedLog | undefined;
  /** Why there is none although there is a file. */
  readonly problems: readonly RecoverProblem[];
  readonly isThere: boolean;
  /** The header of a log that is finished and whole: it did not crash. */
  readonly finished?: LogHeader;
  /** The file is no log at all, and this says so; its buffers may still be there. */
  readonly foreign?: ActionableError;
}

export interface OpenFlushedOptions {
  readonly scratch: Scratch;
  /** False: the samples of a finished log are not read to see whether they are whole. For lists. */
  readonly isThorough: boolean;
}

/**
 * Opens a log that a crash left: with its directory, or, when its end was cut off, by its local headers. A finished log
 * that is whole is told as such, one that is damaged holds what is whole of it; a file that is no log is told as what it is.
 */
export async function openFlushedLog(site: LogSite, options: OpenFlushedOptions): Promise<OpenedLog> {
  const { scratch } = options;
  const source = await openBucketSource(site.bucket, site.key);
  if (!source) return { flushed: undefined, problems: [], isThere: false };
  try {
    const reader = await openLogSource(source, { scratch });
    const flushed = await FlushedLog.of(reader, { kind: 'log', place: site.place, problems: [] });
    if (flushed.isFinished) await flushed.check({ withSamples: options.isThorough });
    if (!flushed.isFinished || flushed.problems.length > 0 || !flushed.header)
      return { flushed, problems: [], isThere: true };
    await flushed.close();
    return { flushed: undefined, problems: [], isThere: true, finished: flushed.header };
  } catch (error) {
    if (!(error instanceof ActionableError)) throw error;
    const nothing = {
      flushed: undefined,
      problems: [{ code: error.code, message: error.message }],
      isThere: true,
    };
    if (error.code === 'E_LOG_EMPTY') return nothing;
    if (error.code === 'E_LOG_FOREIGN') return { ...nothing, foreign: error };
    if (error.code !== 'E_LOG_TORN') throw error;
    return openTorn(site, scratch, { code: error.code, message: error.message });
  }
}

async function openTorn(site: LogSite, scratch: Scratch, problem: RecoverProblem): Promise<OpenedLog> {
  const source = (await openBucketSource(site.bucket, site.key)) as ByteSource;
  const { reader, lostBytes } = await scanTornLog(source, { scratch });
  const problems = [problem];
  if (lostBytes > 0) {
    const message = `The last ${lostBytes} bytes of ${site.place} belong to no whole member.`;
    problems.push({ code: 'E_LOG_TORN', message });
  }
  if (!reader) return { flushed: undefined, problems, isThere: true };
  const flushed = await FlushedLog.of(reader, { kind: 'torn log', place: site.place, problems });
  return { flushed, problems, isThere: true };
}
