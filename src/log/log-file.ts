import { assert, type Json, type JsonObject, type SampleKey, stringifyJson } from '../base/index.ts';
import type { Disk, DiskFile } from '../disk/index.ts';
import { completeHeader, completeScore, completeStart, completeSummary } from './always-written.ts';
import type { CompressionMethod } from './compress.ts';
import type { SampleParts } from './condensed.ts';
import { encodeTexts, jsonMembers, type Many, separated } from './json-text.ts';
import { answersChunks, answersMemberName, type SampleAnswer } from './sample-answers.ts';
import { sampleMemberName, sampleText } from './sample-text.ts';
import type { EvalSampleReductions, EvalSampleSummary, LogHeader, LogStart } from './schema.ts';
import type { ZipEntry } from './zip-format.ts';
import { ZipWriter } from './zip-writer.ts';

/**
 * Writes a log, member by member, in any order that the caller likes; Inspect's own is start, samples, summaries,
 * reductions, header. Calls must not overlap. What is handed in is iterated once and never held whole.
 *
 * ### Ordering
 * The file is whole and durable once `finish` has resolved; its name is the caller's business (rename, `syncDir`).
 * `abandon` closes a file that will not be finished; removing it is the caller's business, too.
 */
export interface LogFile {
  writeStart(start: LogStart): Promise<void>;
  /** With its answers, in a member of their own [LOG-37]. */
  writeSample(parts: SampleParts): Promise<void>;
  /** Takes over a sample of another log, with its answers; false when it is not one member there. */
  copySample(from: MemberSource, sample: SampleKey): Promise<boolean>;
  /** A member of its own, unless there is none. */
  writeAnswers(sample: SampleKey, answers: Many<SampleAnswer>): Promise<void>;
  /** Takes over a member of another log: where that is a ZIP as it is, compressed bytes and checksum, without decoding it. */
  copyMember(from: MemberSource, name: string): Promise<void>;
  /** `summaries.json`, which every reader asks first. */
  writeSummaries(summaries: Many<EvalSampleSummary>): Promise<void>;
  /** `_journal/summaries/{n}.json`: only for whoever shows a log before it is finished [LOG-6]. */
  writeSummaryBatch(summaries: readonly EvalSampleSummary[]): Promise<void>;
  writeReductions(reductions: Many<EvalSampleReductions>): Promise<void>;
  writeHeader(header: LogHeader): Promise<void>;
  writeJson(name: string, value: Json): Promise<void>;
  /** A member from chunks of UTF-8 text that is JSON already. */
  writeMember(name: string, chunks: Many<Uint8Array>): Promise<void>;
  finish(): Promise<{ readonly sizeBytes: number }>;
  abandon(): Promise<void>;
}

/** Where `copyMember` copies from: a LogReader is one. */
export interface MemberSource {
  rawMember(name: string): Promise<RawMember | undefined>;
  /** For what is not kept as a ZIP has it. */
  readMember?(name: string): AsyncIterable<Uint8Array> | undefined;
}

export interface RawMember extends Omit<ZipEntry, 'headerOffset'> {
  /** The compressed bytes, as they are. */
  readonly chunks: AsyncIterable<Uint8Array>;
}

export interface LogFileOptions {
  /** Default zstd, as Inspect writes today; deflate for tools of before 2026. */
  readonly method?: CompressionMethod;
}

/** Creates the file; one that exists is refused with EEXIST. */
export async function createLogFile(
  disk: Disk,
  path: string,
  options: LogFileOptions = {},
): Promise<LogFile> {
  return new EvalLogFile(await disk.open(path, 'create'), options.method ?? 'zstd');
}

class EvalLogFile implements LogFile {
  readonly #file: DiskFile;
  readonly #zip: ZipWriter;
  #summaryBatches = 0;

  constructor(file: DiskFile, method: CompressionMethod) {
    this.#file = file;
    this.#zip = new ZipWriter(file, method);
  }

  writeStart(start: LogStart): Promise<void> {
    return this.writeJson('_journal/start.json', documentJson(completeStart(start)));
  }

  async writeSample(parts: SampleParts): Promise<void> {
    const { fields, answers } = parts;
    await this.writeMember(sampleMemberName(fields.id, fields.epoch), encodeTexts(sampleText(parts)));
    if (answers) await this.writeAnswers(fields, answers);
  }

  async writeAnswers(sample: SampleKey, answers: Many<SampleAnswer>): Promise<void> {
    const some = await unlessEmpty(answers);
    if (some) await this.writeMember(answersMemberName(sample), answersChunks(some));
  }

  async copySample(from: MemberSource, sample: SampleKey): Promise<boolean> {
    const name = sampleMemberName(sample.id, sample.epoch);
    if (!(await from.rawMember(name))) return false;
    await this.copyMember(from, name);
    const answers = answersMemberName(sample);
    if (await from.rawMember(answers)) await this.copyMember(from, answers);
    return true;
  }

  async copyMember(from: MemberSource, name: string): Promise<void> {
    const member = await from.rawMember(name);
    const bytes = member ? undefined : from.readMember?.(name);
    if (bytes) return await this.writeMember(name, bytes);
    assert(member, `there is no member ${name} to copy`);
    const { chunks, ...entry } = member;
    await this.#zip.addCompressed(entry, chunks);
  }

  writeSummaries(summaries: Many<EvalSampleSummary>): Promise<void> {
    return this.writeMember('summaries.json', encodeTexts(['[', separated(summaries, summaryText), ']']));
  }

  writeSummaryBatch(summaries: readonly EvalSampleSummary[]): Promise<void> {
    this.#summaryBatches++;
    const value = summaries.map((summary) => documentJson(completeSummary(summary)));
    return this.writeJson(`_journal/summaries/${this.#summaryBatches}.json`, value);
  }

  writeReductions(reductions: Many<EvalSampleReductions>): Promise<void> {
    return this.writeMember('reductions.json', encodeTexts(['[', reductionsTexts(reductions), ']']));
  }

  writeHeader(header: LogHeader): Promise<void> {
    return this.writeJson('header.json', documentJson(completeHeader(header)));
  }

  writeJson(name: string, value: Json): Promise<void> {
    return this.#zip.addWhole(name, Buffer.from(stringifyJson(value), 'utf8'));
  }

  writeMember(name: string, chunks: Many<Uint8Array>): Promise<void> {
    return this.#zip.addMember(name, chunks);
  }

  async finish(): Promise<{ readonly sizeBytes: number }> {
    const result = await this.#zip.finish();
    await this.#file.close();
    return result;
  }

  async abandon(): Promise<void> {
    await this.#file.close();
  }
}

/** The same items, unless there is none. */
async function unlessEmpty<T>(items: Many<T>): Promise<Many<T> | undefined> {
  const iterator = Symbol.iterator in items ? items[Symbol.iterator]() : items[Symbol.asyncIterator]();
  const first = await iterator.next();
  if (first.done) return undefined;
  return (async function* () {
    yield first.value;
    for (let next = await iterator.next(); !next.done; next = await iterator.next()) yield next.value;
  })();
}

function summaryText(summary: EvalSampleSummary): string {
  return documentText(completeSummary(summary));
}

/** Sample by sample: the reductions of a large run are as long as its list of samples. */
async function* reductionsTexts(reductions: Many<EvalSampleReductions>): AsyncGenerator<string> {
  let separator = '';
  for await (const { samples, ...rest } of reductions) {
    yield `${separator}{${jsonMembers(documentJson(rest) as JsonObject)},"samples":[`;
    yield* separated(samples, (score) => documentText(completeScore(score)));
    yield ']}';
    separator = ',';
  }
}

function documentText(document: object): string {
  return stringifyJson(documentJson(document));
}

/** The documents are JSON by construction; their interfaces merely lack the index signature. */
function documentJson(document: object): Json {
  return document as Json;
}
