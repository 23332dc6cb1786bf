import {
  bySampleOrder,
  isJsonObject,
  type Json,
  type JsonObject,
  type SampleId,
  type SampleKey,
  sampleKeyText,
} from '../base/index.ts';
import { type ByteSource, readChunks } from './byte-source.ts';
import type { SampleParts } from './condensed.ts';
import type { JsonPath, Verdict } from './json-splitter.ts';
import { Wrong } from './kinds/kind.ts';
import { sampleId } from './kinds/sample-kinds.ts';
import { logErrors } from './log-errors.ts';
import type { MemberInfo, StoredLogReader } from './log-reader.ts';
import { MemberJson } from './member-json.ts';
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
import { monolithDocument } from './sample-document.ts';
import type {
  EvalSample,
  EvalSampleReductions,
  EvalSampleSummary,
  LogEvent,
  LogHeader,
  SampleFields,
} from './schema.ts';
import { summarize } from './summarize.ts';
import type { Scratch } from './text-store.ts';
import type { ReadLimits } from './zip-reader.ts';

interface Index {
  readonly top: JsonObject;
  readonly samples: ReadonlyMap<
    string,
    { readonly key: SampleKey; readonly start: number; readonly end: number }
  >;
}

/**
 * Reads a `.json` log: one object. Its first use goes through the file once and notes where each sample lies, so that
 * any of them is found later without holding the others.
 */
export class JsonLogReader implements StoredLogReader {
  readonly path: string;
  readonly sizeBytes: number;
  readonly #source: ByteSource;
  readonly #limits: ReadLimits;
  readonly #scratch: Scratch | undefined;
  #index: Promise<Index> | undefined;

  constructor(
    source: ByteSource,
    options: { readonly limits: ReadLimits; readonly scratch: Scratch | undefined },
  ) {
    this.path = source.name;
    this.sizeBytes = source.sizeBytes;
    this.#source = source;
    this.#limits = options.limits;
    this.#scratch = options.scratch;
  }

  async header(): Promise<LogHeader> {
    return readHeader((await this.#getIndex()).top, this.path);
  }

  async *summaries(): AsyncGenerator<EvalSampleSummary> {
    for (const { id, epoch } of await this.samples()) {
      const fields = await this.sampleFields(id, epoch);
      if (fields) yield summarize(fields);
    }
  }

  async samples(): Promise<readonly SampleKey[]> {
    const { samples } = await this.#getIndex();
    return Array.from(samples.values(), ({ key }) => key).sort(bySampleOrder);
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
    return context && readParts(context);
  }

  async *answers(): AsyncGenerator<never> {
    // A `.json` log has no place for them.
  }

  async reductions(): Promise<readonly EvalSampleReductions[] | undefined> {
    const { top } = await this.#getIndex();
    return readReductions(top.reductions ?? undefined, top.results);
  }

  members(): readonly MemberInfo[] {
    return [];
  }

  readonly memberCount = 0;

  memberNames(): Iterable<string> {
    return [];
  }

  async rawMember(): Promise<undefined> {
    return undefined;
  }

  readMember(): undefined {
    return undefined;
  }

  json(): undefined {
    return undefined;
  }

  close(): Promise<void> {
    return this.#source.close();
  }

  #getIndex(): Promise<Index> {
    this.#index ??= this.#readIndex();
    return this.#index;
  }

  async #readIndex(): Promise<Index> {
    const json = this.#document('the log', 0, this.#source.sizeBytes);
    const top: Record<string, Json> = {};
    const samples = new Map<string, { key: SampleKey; start: number; end: number }>();
    let current: { id?: Json; epoch?: Json } = {};
    const isSample = (path: JsonPath) => path.length === 2 && path[0] === 'samples';
    for await (const piece of json.split({ decide, reportEnd: isSample })) {
      const { path, bytes, start, end } = piece;
      if (piece.isEnd) {
        const id = sampleId(current.id ?? null);
        const key = { id: id instanceof Wrong ? '' : id, epoch: Number(current.epoch) };
        if (id instanceof Wrong || Number.isNaN(key.epoch))
          throw json.wrongShape('has a sample without id or epoch');
        samples.set(sampleKeyText(key.id, key.epoch), { key, start, end });
        current = {};
      } else if (path.length === 1 && path[0] !== 'samples') top[String(path[0])] = json.parse(bytes);
      else if (path.length === 3) current = { ...current, [String(path[2])]: json.parse(bytes) };
    }
    if (!isJsonObject(top.eval)) throw logErrors.foreign(this.path, 'it is JSON without an "eval" object');
    return { top, samples };
  }

  async context(id: SampleId, epoch: number): Promise<SampleContext | undefined> {
    const { samples } = await this.#getIndex();
    const found = samples.get(sampleKeyText(id, epoch));
    if (!found) return undefined;
    const header = await this.header();
    const member = `sample ${id} (epoch ${epoch})`;
    return {
      path: this.path,
      member,
      document: monolithDocument(this.#document(member, found.start, found.end)),
      scorerName: header.results?.scores?.[0]?.name,
      scratch: this.#scratch,
      sampleSizeBytesMax: this.#limits.sampleSizeBytesMax,
    };
  }

  #document(member: string, start: number, end: number): MemberJson {
    return new MemberJson({
      path: this.path,
      member,
      sizeBytes: end - start,
      open: () => readChunks(this.#source, start, end),
      limits: this.#limits,
    });
  }
}

function decide(path: JsonPath): Verdict {
  if (path.length === 0) return 'enter';
  if (path[0] !== 'samples') return 'take';
  if (path.length < 3) return 'enter';
  return path[2] === 'id' || path[2] === 'epoch' ? 'take' : 'skip';
}
