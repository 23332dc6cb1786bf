import { ActionableError } from '../../base/index.ts';
import {
  questionOf,
  sampleFields,
  type TextFilter,
  TextFilterMaker,
  visitTexts,
  withTexts,
} from '../../views/index.ts';
import type { DocumentPlace, SampleId, SampleView, WrittenSample, WrittenTranscript } from '../api.ts';
import { strictText } from '../strict-text.ts';
import type { Asking } from './asking.ts';
import { LongTexts } from './long-texts.ts';
import { SharedItems } from './shared-items.ts';
import { type TranscriptOptions, writeTranscript } from './write-transcript.ts';

export interface SampleToWrite {
  readonly run: string;
  readonly id: SampleId;
  readonly epoch: number;
  /** Names of scores that may decide; the first does unless one is asked for. */
  readonly scores: readonly string[];
}

export interface SampleWritten {
  readonly place: DocumentPlace;
  readonly filter: TextFilter;
  readonly events: number;
  readonly errors: readonly ActionableError[];
}

const MESSAGES = 100;

/** Writes one sample at one epoch. What cannot be read of it is written as the server would answer, and told. */
export async function writeSample(asking: Asking, sample: SampleToWrite): Promise<SampleWritten> {
  return new SampleWriting(asking, sample).write();
}

class SampleWriting {
  readonly #asking: Asking;
  readonly #sample: SampleToWrite;
  readonly #params: Readonly<Record<'run' | 'sample' | 'epoch', string>>;
  readonly #filter = new TextFilterMaker();
  readonly #texts: LongTexts;
  readonly #items: SharedItems;
  readonly #answers: [string, DocumentPlace][] = [];
  readonly #errors: ActionableError[] = [];

  constructor(asking: Asking, sample: SampleToWrite) {
    this.#asking = asking;
    this.#sample = sample;
    this.#params = { run: sample.run, sample: String(sample.id), epoch: String(sample.epoch) };
    this.#texts = new LongTexts(asking, this.#params, this.#filter);
    this.#items = new SharedItems(asking);
  }

  async write(): Promise<SampleWritten> {
    const transcript = await this.#writeTranscript(undefined);
    const view = await this.#writeView();
    const attempts: WrittenSample['attempts'] = [];
    for (const { attempt } of view?.attempts ?? [])
      attempts.push([attempt, await this.#writeTranscript(attempt)]);
    const messages = await this.#writeMessages();
    const written: WrittenSample = {
      answers: this.#answers,
      transcript,
      attempts,
      messages,
      texts: this.#texts.written,
    };
    return {
      place: await this.#asking.write(written),
      filter: this.#filter.finish(),
      events: transcript.total,
      errors: this.#errors,
    };
  }

  /** Of a transcript that cannot be read, that is the first page. */
  async #writeTranscript(attempt: number | undefined): Promise<WrittenTranscript> {
    const options: TranscriptOptions = {
      asking: this.#asking,
      sample: this.#params,
      attempt,
      texts: this.#texts,
      items: this.#items,
      filter: this.#filter,
    };
    try {
      return await writeTranscript(options);
    } catch (error) {
      if (!(error instanceof ActionableError)) throw error;
      this.#errors.push(error);
      const place = await this.#asking.writeError(error);
      return { total: 0, skeleton: [[0, place]], events: [[0, place]], uuids: [], whole: [], entered: [] };
    }
  }

  async #writeView(): Promise<SampleView | undefined> {
    const asked = await this.#asking.tryAsk('sample', this.#params, {});
    if ('error' in asked) {
      this.#errors.push(asked.error);
      const place = await this.#asking.writeError(asked.error);
      for (const score of [undefined, ...this.#sample.scores]) this.#answer(score, place);
      return undefined;
    }
    const { answer: view } = asked;
    const place = await this.#asking.writeAnswer(view);
    const [first, ...others] = this.#sample.scores;
    this.#answer(undefined, place);
    if (first !== undefined) this.#answer(first, place);
    for (const score of others) this.#answer(score, await this.#writeLike(view, place, score));
    this.#addFields(view);
    await this.#texts.writeOf(view);
    return view;
  }

  #answer(score: string | undefined, place: DocumentPlace): void {
    this.#answers.push([questionOf('sample', [], { score }), place]);
  }

  /** Only the members that another score makes others [EXP-7]. */
  async #writeLike(view: SampleView, like: DocumentPlace, score: string): Promise<DocumentPlace> {
    const other = await this.#asking.ask('sample', this.#params, { score });
    const entries = Object.entries(other).filter(([key, value]) => strictText(value) !== textOf(view, key));
    const without = Object.keys(view).filter((key) => !Object.hasOwn(other, key));
    return this.#asking.write({ answer: Object.fromEntries(entries), like, without });
  }

  #addFields(view: SampleView): void {
    const { before, after, told } = sampleFields(view);
    for (const [, value] of [...before, ...after, ...told])
      visitTexts(
        withTexts(value, () => ''),
        (text) => this.#filter.add(text),
      );
  }

  async #writeMessages(): Promise<DocumentPlace[]> {
    const places: DocumentPlace[] = [];
    for (let total = 1; places.length < total; ) {
      const query = { from: places.length, limit: MESSAGES };
      const asked = await this.#asking.tryAsk('messages', this.#params, query);
      if ('error' in asked) {
        // A sample that cannot be read says so once.
        if (this.#errors.length === 0) this.#errors.push(asked.error);
        const place = await this.#asking.writeError(asked.error);
        this.#answers.push([questionOf('messages', [], {}), place]);
        return [];
      }
      const { messages } = asked.answer;
      if (messages.length === 0) break;
      total = asked.answer.total;
      for (const message of messages) places.push((await this.#items.write(message)).place);
      await this.#texts.writeOf(messages);
    }
    return places;
  }
}

function textOf(view: SampleView, key: string): string | undefined {
  return key in view ? strictText(Reflect.get(view, key)) : undefined;
}
