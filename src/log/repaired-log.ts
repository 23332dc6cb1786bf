import { Readable } from 'node:stream';
import { DamageError, type SampleId, type SampleKey } from '../base/index.ts';
import type { SampleParts } from './condensed.ts';
import type { RawMember } from './log-file.ts';
import type { LogReader, MemberInfo } from './log-reader.ts';
import { MemberJson } from './member-json.ts';
import { readHeader } from './read-header.ts';
import type { SampleTranscript } from './read-sample.ts';
import type { SampleAnswer } from './sample-answers.ts';
import { sampleMemberName } from './sample-text.ts';
import type {
  EvalError,
  EvalSample,
  EvalSampleReductions,
  EvalSampleSummary,
  LogEvent,
  LogHeader,
  SampleFields,
} from './schema.ts';
import { summarize } from './summarize.ts';
import type { LogProblem } from './verify-log.ts';
import { DEFAULT_LIMITS } from './zip-reader.ts';

/** Reads a log whose own documents may be damaged. Closing it closes the log. */
export function repairedLog(log: LogReader): RepairedLog {
  return new RepairedLog(log);
}

/**
 * A log without those of its own documents that are damaged: who it is stands in `_journal/start.json` as well, and its
 * list can be made from the samples. What was damaged is in `damage`, as soon as it was needed: a log is never taken for
 * whole because its samples are [LOG-38].
 */
export class RepairedLog implements LogReader {
  readonly path: string;
  readonly sizeBytes: number;
  readonly damage: LogProblem[] = [];
  readonly #log: LogReader;
  #header: Promise<LogHeader> | undefined;
  #isListWhole: Promise<boolean> | undefined;
  #checked: Promise<void> | undefined;

  constructor(log: LogReader) {
    this.#log = log;
    this.path = log.path;
    this.sizeBytes = log.sizeBytes;
  }

  /** What a damaged header said of the run's end is not known: then the status is `error`, with the damage as its error. */
  header(): Promise<LogHeader> {
    this.#header ??= this.#readHeader();
    return this.#header;
  }

  /** The bytes of the list are checked before the first row is given: a row of a damaged list may say anything. */
  async *summaries(): AsyncGenerator<EvalSampleSummary> {
    this.#isListWhole ??= this.#checkList();
    if (await this.#isListWhole) {
      yield* this.#log.summaries();
      return;
    }
    for (const { id, epoch } of await this.#log.samples()) {
      const about = { member: sampleMemberName(id, epoch), sample: { id, epoch } };
      const fields = await this.#tryRead(() => this.#log.sampleFields(id, epoch), about);
      if (fields) yield summarize(fields);
    }
  }

  /** Looks at all documents but the samples, and tells what is damaged. */
  async checkDocuments(): Promise<readonly LogProblem[]> {
    this.#checked ??= this.#checkAll();
    await this.#checked;
    return this.damage;
  }

  async #checkAll(): Promise<void> {
    await this.#tryRead(() => this.header(), { member: 'header.json' });
    for (const { name } of this.#log.members())
      if (!name.startsWith('samples/') && name !== 'header.json') await this.#isMemberWhole(name);
  }

  samples(): Promise<readonly SampleKey[]> {
    return this.#log.samples();
  }

  sample(id: SampleId, epoch: number): Promise<EvalSample | undefined> {
    return this.#log.sample(id, epoch);
  }

  sampleFields(id: SampleId, epoch: number): Promise<SampleFields | undefined> {
    return this.#log.sampleFields(id, epoch);
  }

  transcript(sample: SampleKey): Promise<SampleTranscript | undefined> {
    return this.#log.transcript(sample);
  }

  events(id: SampleId, epoch: number): AsyncIterable<LogEvent> {
    return this.#log.events(id, epoch);
  }

  parts(id: SampleId, epoch: number): Promise<SampleParts | undefined> {
    return this.#log.parts(id, epoch);
  }

  answers(sample: SampleKey): AsyncIterable<SampleAnswer> {
    return this.#log.answers(sample);
  }

  reductions(): Promise<readonly EvalSampleReductions[] | undefined> {
    return this.#log.reductions();
  }

  members(): readonly MemberInfo[] {
    return this.#log.members();
  }

  rawMember(name: string): Promise<RawMember | undefined> {
    return this.#log.rawMember(name);
  }

  readMember(name: string): AsyncIterable<Uint8Array> | undefined {
    return this.#log.readMember(name);
  }

  close(): Promise<void> {
    return this.#log.close();
  }

  async #readHeader(): Promise<LogHeader> {
    try {
      return await this.#log.header();
    } catch (error) {
      const start = error instanceof DamageError ? await this.#readStart(error) : undefined;
      if (!start) throw error;
      return start;
    }
  }

  async #readStart(damage: DamageError): Promise<LogHeader | undefined> {
    const name = '_journal/start.json';
    const member = this.#log.members().some((one) => one.name === 'header.json') ? 'header.json' : name;
    this.#note({ member, code: damage.code, message: damage.message });
    if (member === name || !(await this.#isMemberWhole(name))) return undefined;
    const json = new MemberJson({
      path: this.path,
      member: name,
      sizeBytes: 0,
      open: () => this.#log.readMember(name) ?? Readable.from([]),
      limits: DEFAULT_LIMITS,
    });
    const error = endUnknown(damage.message);
    return { ...readHeader({ ...(await json.readObject()), status: 'error' }, this.path), error };
  }

  async #checkList(): Promise<boolean> {
    let isWhole = true;
    for (const { name } of this.#log.members())
      if (LISTS.test(name) && !(await this.#isMemberWhole(name))) isWhole = false;
    return isWhole;
  }

  async #isMemberWhole(name: string): Promise<boolean> {
    const read = async () => {
      const chunks = this.#log.readMember(name);
      for await (const _ of chunks ?? []);
      return chunks !== undefined;
    };
    return (await this.#tryRead(read, { member: name })) ?? false;
  }

  async #tryRead<T>(
    read: () => Promise<T>,
    about: Pick<LogProblem, 'member' | 'sample'>,
  ): Promise<T | undefined> {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof DamageError)) throw error;
      this.#note({ ...about, code: error.code, message: error.message });
      return undefined;
    }
  }

  #note(problem: LogProblem): void {
    if (!this.damage.some(({ message }) => message === problem.message)) this.damage.push(problem);
  }
}

const LISTS = /^(?:summaries|_journal\/summaries\/\d+)\.json$/;

function endUnknown(why: string): EvalError {
  const text = `How the run ended is not known: ${why}`;
  return { message: text, traceback: `${text}\n`, traceback_ansi: `${text}\n` };
}
