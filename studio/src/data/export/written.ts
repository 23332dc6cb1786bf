import {
  type AnswerOf,
  type DocumentPlace,
  EXPORT_VERSION,
  type ExportManifest,
  exportManifest,
  type RouteName,
  runPlaces,
  type WrittenAnswer,
  type WrittenRun,
  type WrittenSample,
  writtenAnswer,
  writtenAnswers,
  writtenRun,
  writtenSample,
} from '../../../../src/server/api.ts';
import { questionOf } from '../../../../src/views/index.ts';
import { parseAnswer } from '../parse-answer.ts';
import { ProblemError } from '../problem-error.ts';
import { type Chunks, Documents } from './documents.ts';
import { damagedDocument, notHere, otherVersion } from './export-problems.ts';

/** Of which runs and samples something is asked. */
export interface AskedRun {
  readonly run: string | number;
}
export interface AskedSample extends AskedRun {
  readonly sample: string | number;
  readonly epoch: string | number;
}

type Places = readonly (readonly [string, DocumentPlace])[];

/** What was written down: finds the documents that an answer is made of. */
export class Written {
  readonly documents: Documents;
  readonly #chunks: Chunks;
  #manifest: Promise<ExportManifest> | undefined;

  constructor(chunks: Chunks) {
    this.#chunks = chunks;
    this.documents = new Documents(chunks);
  }

  async manifest(): Promise<ExportManifest> {
    this.#manifest ??= this.#readManifest();
    try {
      return await this.#manifest;
    } catch (error) {
      this.#manifest = undefined;
      throw error;
    }
  }

  async #readManifest(): Promise<ExportManifest> {
    const raw: unknown = JSON.parse(await this.#chunks.load('manifest'));
    const version = typeof raw === 'object' && raw !== null && 'version' in raw ? raw.version : undefined;
    // Before anything else of it is looked at: a later version may have other members [EXP-5].
    if (typeof version === 'number' && version !== EXPORT_VERSION) throw otherVersion(version);
    const parsed = exportManifest.safeParse(raw);
    if (parsed.success) return parsed.data;
    throw damagedDocument(parsed.error.issues[0]?.message ?? 'its manifest');
  }

  async run({ run }: AskedRun): Promise<WrittenRun> {
    const { places } = await this.manifest();
    const all = await this.documents.read(places, runPlaces);
    const place = all.find(([id]) => id === String(run))?.[1];
    if (!place) throw notHere(`run ${run}`);
    return this.documents.read(place, writtenRun);
  }

  async sample({ run, sample, epoch }: AskedSample): Promise<WrittenSample> {
    const { epochs } = await this.run({ run });
    const found = epochs.find(([id, number]) => String(id) === String(sample) && number === Number(epoch));
    if (!found) throw notHere(`sample ${sample} at epoch ${epoch} of ${run}`);
    return this.documents.read(found[2], writtenSample);
  }

  /** Answers that are of no single run. */
  async common(): Promise<Places> {
    return this.documents.read((await this.manifest()).answers, writtenAnswers);
  }

  /** The answer to a question, if it was asked when the export was made. */
  async find<Name extends RouteName>(
    name: Name,
    { among, params, query }: Question,
  ): Promise<AnswerOf<Name> | undefined> {
    const question = questionOf(name, params, query);
    const place = among.find(([asked]) => asked === question)?.[1];
    return place && parseAnswer(name, await this.answer(place));
  }

  /** As it was written; whoever asks for it checks it. */
  async answer(place: DocumentPlace): Promise<unknown> {
    return this.#whole(await this.documents.read(place, writtenAnswer));
  }

  async #whole(written: WrittenAnswer): Promise<unknown> {
    if ('error' in written) throw new ProblemError(written.error);
    const { answer, like, without = [] } = written;
    return like ? merged(await this.answer(like), answer, without) : answer;
  }

  /** An event with everything: what its page has of it, with the members that differ in their place. */
  async wholeEvent(place: DocumentPlace, inPage: unknown): Promise<unknown> {
    const written = await this.documents.read(place, writtenAnswer);
    if ('error' in written) throw new ProblemError(written.error);
    const { answer, without = [], lists = [] } = written;
    // Lists are put into it, and what was read is kept for others: so this is a copy.
    const event = structuredClone(merged(inPage, answer, without));
    for (const [path, places] of lists)
      setAt(event, path, await Promise.all(places.map((item) => this.documents.readOnce(item))));
    return event;
  }
}

export interface Question {
  readonly among: Places;
  readonly params: readonly (string | number)[];
  readonly query: object;
}

function merged(base: unknown, members: unknown, without: readonly string[]): unknown {
  if (typeof base !== 'object' || typeof members !== 'object') return members;
  const rest = Object.entries(base ?? {}).filter(([name]) => !without.includes(name));
  return { ...Object.fromEntries(rest), ...members };
}

function setAt(target: unknown, [key, ...rest]: readonly string[], value: unknown): void {
  if (key === undefined || typeof target !== 'object' || target === null) return;
  if (rest.length > 0) setAt(Reflect.get(target, key), rest, value);
  else Reflect.set(target, key, value);
}
