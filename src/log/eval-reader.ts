import {
  bySampleOrder,
  DamageError,
  type Json,
  type SampleId,
  type SampleKey,
  sampleKeyText,
} from '../base/index.ts';
import { chunkedDocument } from './chunked-document.ts';
import type { SampleParts } from './condensed.ts';
import { logErrors } from './log-errors.ts';
import type { RawMember } from './log-file.ts';
import type { MemberInfo, StoredLogReader } from './log-reader.ts';
import { MemberJson } from './member-json.ts';
import type { Members } from './members.ts';
import { readHeader, readReductions } from './read-header.ts';
import { readParts } from './read-parts.ts';
import {
  readEvents,
  readFields,
  readSample,
  readTranscript,
  type SampleContext,
  type SampleTranscript,
} from './read-sample.ts';
import { answersMemberName, readAnswer, type SampleAnswer } from './sample-answers.ts';
import { monolithDocument } from './sample-document.ts';
import { sampleMemberName } from './sample-text.ts';
import type {
  EvalSample,
  EvalSampleReductions,
  EvalSampleSummary,
  LogEvent,
  LogHeader,
  SampleFields,
} from './schema.ts';
import { summarize } from './summarize.ts';
import { saysEnd, summaryIn } from './summary-row.ts';
import type { Scratch } from './text-store.ts';
import { DEFAULT_LIMITS, type ReadLimits } from './zip-reader.ts';

const SAMPLE_NAME = /^samples\/(.*)_epoch_(\d+)(\.json|\/sample\.json)$/s;

/** A log whose documents are somewhere else than in a file. */
export function openMembers(members: Members, scratch?: Scratch): StoredLogReader {
  return new EvalLogReader(members, { limits: DEFAULT_LIMITS, scratch });
}

/** Reads a `.eval`: a ZIP of JSON documents. */
export class EvalLogReader implements StoredLogReader {
  readonly path: string;
  readonly sizeBytes: number;
  readonly #zip: Members;
  readonly #limits: ReadLimits;
  readonly #scratch: Scratch | undefined;
  #header: Promise<LogHeader> | undefined;
  #folders: Map<string, string[]> | undefined;

  constructor(zip: Members, options: { readonly limits: ReadLimits; readonly scratch: Scratch | undefined }) {
    this.path = zip.source.name;
    this.sizeBytes = zip.source.sizeBytes;
    this.#zip = zip;
    this.#limits = options.limits;
    this.#scratch = options.scratch;
  }

  /** A ZIP is a log when it has a header or the start of one. */
  static isLog(zip: Members): boolean {
    return zip.entries.has('header.json') || zip.entries.has('_journal/start.json');
  }

  static hasSamples(zip: Members): boolean {
    for (const name of zip.entries.keys()) if (SAMPLE_NAME.test(name)) return true;
    return false;
  }

  header(): Promise<LogHeader> {
    this.#header ??= this.#readHeader();
    return this.#header;
  }

  async *summaries(): AsyncGenerator<EvalSampleSummary> {
    const whole = this.json('summaries.json');
    if (whole) {
      for await (const row of whole.readItems())
        yield summaryIn(whole, row, saysEnd(row) || (await this.#isFinished()));
      return;
    }
    const seen = new Set<string>();
    for await (const row of this.#journalSummaries()) {
      seen.add(sampleKeyText(row.id, row.epoch));
      yield row;
    }
    for (const { id, epoch } of await this.samples()) {
      const fields = seen.has(sampleKeyText(id, epoch)) ? undefined : await this.sampleFields(id, epoch);
      if (fields) yield summarize(fields);
    }
  }

  async samples(): Promise<readonly SampleKey[]> {
    const keys: SampleKey[] = [];
    for (const name of this.#zip.entries.keys()) {
      const [, id, epoch, ending] = SAMPLE_NAME.exec(name) ?? [];
      if (id === undefined) continue;
      // A sample that is there both whole and in chunks is one sample.
      const isTwice = ending !== '.json' && this.#zip.entries.has(`samples/${id}_epoch_${epoch}.json`);
      if (!isTwice) keys.push({ id: idOf(id), epoch: Number(epoch) });
    }
    return keys.sort(bySampleOrder);
  }

  async sample(id: SampleId, epoch: number): Promise<EvalSample | undefined> {
    const context = await this.context(id, epoch);
    return context && readSample(context);
  }

  async sampleFields(id: SampleId, epoch: number): Promise<SampleFields | undefined> {
    const context = await this.context(id, epoch);
    return context && readFields(context);
  }

  async *events(id: SampleId, epoch: number): AsyncGenerator<LogEvent> {
    const context = await this.context(id, epoch);
    if (context) yield* readEvents(context);
  }

  async transcript({ id, epoch }: SampleKey): Promise<SampleTranscript | undefined> {
    const context = await this.context(id, epoch);
    return context && readTranscript(context);
  }

  async parts(id: SampleId, epoch: number): Promise<SampleParts | undefined> {
    const context = await this.context(id, epoch);
    const parts = context && (await readParts(context));
    return parts && { ...parts, answers: this.answers({ id, epoch }) };
  }

  async *answers(sample: SampleKey): AsyncGenerator<SampleAnswer> {
    for await (const item of this.json(answersMemberName(sample))?.readItems() ?? []) {
      const answer = readAnswer(item);
      if (answer) yield answer;
    }
  }

  async reductions(): Promise<readonly EvalSampleReductions[] | undefined> {
    const reductions = await this.json('reductions.json')?.read();
    const header = reductions === undefined ? await this.json('header.json')?.readObject() : undefined;
    return readReductions(reductions, header?.results);
  }

  members(): readonly MemberInfo[] {
    return Array.from(this.#zip.entries.values(), ({ headerOffset: _, ...info }) => info);
  }

  get memberCount(): number {
    return this.#zip.entries.size;
  }

  memberNames(): Iterable<string> {
    return this.#zip.entries.keys();
  }

  async rawMember(name: string): Promise<RawMember | undefined> {
    const entry = this.#zip.entries.get(name);
    const chunks = entry && this.#zip.readCompressed?.(entry);
    if (!entry || !chunks) return undefined;
    const { headerOffset: _, ...rest } = entry;
    return { ...rest, chunks };
  }

  readMember(name: string): AsyncIterable<Uint8Array> | undefined {
    const entry = this.#zip.entries.get(name);
    return entry && this.#zip.readMember(entry);
  }

  close(): Promise<void> {
    return this.#zip.source.close();
  }

  async #readHeader(): Promise<LogHeader> {
    const header = await this.json('header.json')?.readObject();
    if (header) return readHeader(header, this.path);
    const start = await this.json('_journal/start.json')?.readObject();
    // Only one whose end is missing is opened without either.
    if (!start) throw logErrors.torn(this.path, 'it has neither header.json nor _journal/start.json');
    const updates: Json[] = [];
    for (const name of this.#numbered('_journal/config_updates'))
      updates.push((await this.json(name)?.read()) ?? null);
    const known = { ...start, status: 'started', ...(updates.length > 0 && { config_updates: updates }) };
    return readHeader(known, this.path);
  }

  /** Batches in numeric order; a sample that was logged twice is listed once, as it was logged last. */
  async *#journalSummaries(): AsyncGenerator<EvalSampleSummary> {
    const last = new Map<string, number>();
    let position = 0;
    for await (const row of this.#journalRows()) last.set(sampleKeyText(row.id, row.epoch), position++);
    position = 0;
    for await (const row of this.#journalRows()) {
      if (last.get(sampleKeyText(row.id, row.epoch)) === position++) yield row;
    }
  }

  async *#journalRows(): AsyncGenerator<EvalSampleSummary> {
    for (const name of this.#numbered('_journal/summaries')) {
      const batch = this.json(name);
      if (!batch) continue;
      for await (const row of batch.readItems())
        yield summaryIn(batch, row, saysEnd(row) || (await this.#isFinished()));
    }
  }

  /** Of a run whose header is damaged nobody knows. */
  async #isFinished(): Promise<boolean> {
    const header = await this.#headerIfWhole();
    return header !== undefined && header.status !== 'started';
  }

  async context(id: SampleId, epoch: number): Promise<SampleContext | undefined> {
    const name = sampleMemberName(id, epoch);
    const monolith = this.json(name);
    const folder = name.slice(0, -'.json'.length);
    const chunked = monolith ? undefined : this.json(`${folder}/sample.json`);
    const member = monolith ?? chunked;
    if (!member) return undefined;
    const document = monolith ? monolithDocument(monolith) : this.#chunked(folder, member);
    return {
      path: this.path,
      member: member.member,
      document,
      scorerName: await this.#firstScorer(),
      scratch: this.#scratch,
      sampleSizeBytesMax: this.#limits.sampleSizeBytesMax,
    };
  }

  /** Samples are read without it where the header is damaged: only those of old logs have a score without a name. */
  async #firstScorer(): Promise<string | undefined> {
    return (await this.#headerIfWhole())?.results?.scores?.[0]?.name;
  }

  async #headerIfWhole(): Promise<LogHeader | undefined> {
    try {
      return await this.header();
    } catch (error) {
      if (error instanceof DamageError) return undefined;
      throw error;
    }
  }

  #chunked(folder: string, sample: MemberJson) {
    const members = {
      list: (part: string) => this.#listFolder(`${folder}/${part}`),
      member: (name: string) => this.json(`${folder}/${name}`),
    };
    return chunkedDocument(members, sample);
  }

  json(name: string): MemberJson | undefined {
    const entry = this.#zip.entries.get(name);
    if (!entry) return undefined;
    return new MemberJson({
      path: this.path,
      member: name,
      sizeBytes: entry.sizeBytes,
      open: () => this.#zip.readMember(entry),
      limits: this.#limits,
    });
  }

  /** `1.json`, `2.json`, … as numbers, not as text. */
  #numbered(folder: string): string[] {
    return this.#listFolder(folder)
      .filter((name) => /^\d+\.json$/.test(name))
      .sort((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10))
      .map((name) => `${folder}/${name}`);
  }

  #listFolder(folder: string): readonly string[] {
    this.#folders ??= this.#indexFolders();
    return this.#folders.get(folder) ?? [];
  }

  #indexFolders(): Map<string, string[]> {
    const folders = new Map<string, string[]>();
    for (const name of this.#zip.entries.keys()) {
      const slash = name.lastIndexOf('/');
      const folder = name.slice(0, Math.max(slash, 0));
      if (folder === 'samples') continue;
      const names = folders.get(folder);
      if (names) names.push(name.slice(slash + 1));
      else folders.set(folder, [name.slice(slash + 1)]);
    }
    return folders;
  }
}

/** A name does not tell 1 from "1"; both find the sample, and sorting needs the number. */
function idOf(text: string): SampleId {
  return /^(0|-?[1-9]\d{0,14})$/.test(text) ? Number(text) : text;
}
