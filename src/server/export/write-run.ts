import type { ActionableError } from '../../base/index.ts';
import { questionOf } from '../../views/index.ts';
import type { DocumentPlace, SampleId, SampleItem, WrittenRows, WrittenRun } from '../api.ts';
import type { Asking, Damage } from './asking.ts';
import { writeSample } from './write-sample.ts';

/** Lists are asked for and written in documents of so many rows. */
const ASKED_ROWS = 1_000;
const WRITTEN_ROWS = 200;
const FILTERS = 100;
/** Of scores that could decide, so many can be chosen. */
export const SCORES_MAX = 8;

export interface RunWritten {
  readonly written: WrittenRun;
  readonly scores: readonly string[];
  readonly ids: readonly SampleId[];
  readonly events: number;
  readonly damage: readonly Damage[];
}

/** Writes one run with all its samples. */
export async function writeRun(asking: Asking, run: string, onSample: () => void): Promise<RunWritten> {
  return new RunWriting(asking, run).write(onSample);
}

class RunWriting {
  readonly #asking: Asking;
  readonly #run: string;
  readonly #answers: [string, DocumentPlace][] = [];
  readonly #samples: WrittenRun['samples'] = [];
  readonly #epochs: WrittenRun['epochs'] = [];
  readonly #filters: DocumentPlace[] = [];
  readonly #damage: Damage[] = [];
  #events = 0;

  constructor(asking: Asking, run: string) {
    this.#asking = asking;
    this.#run = run;
  }

  async write(onSample: () => void): Promise<RunWritten> {
    await this.#asking.writer.nextChunk();
    const { scores, items } = await this.#writeRows();
    for (const name of ['run', 'timeline'] as const)
      for (const score of [undefined, ...scores]) await this.#writeAnswer(name, { score });
    await this.#writeAnswer('header', {});
    await this.#writeSamples(items, { scores, onSample });
    return {
      written: {
        answers: this.#answers,
        samples: this.#samples,
        epochs: this.#epochs,
        filters: this.#filters,
      },
      scores,
      ids: items.map(({ id }) => id),
      events: this.#events,
      damage: this.#damage,
    };
  }

  async #writeRows(): Promise<{ readonly scores: readonly string[]; readonly items: readonly SampleItem[] }> {
    const first = await this.#asking.tryAsk('samples', this.#params, { limit: 0 });
    if ('error' in first) {
      this.#tell(first.error);
      const page = await this.#asking.writeError(first.error);
      this.#samples.push([null, { page, rows: [] }]);
      return { scores: [], items: [] };
    }
    const scores = first.answer.scores.slice(0, SCORES_MAX);
    const { items, rows } = await this.#writeRowsOf(undefined);
    this.#samples.push(
      [null, rows],
      ...scores.slice(0, 1).map((score): [string, WrittenRows] => [score, rows]),
    );
    for (const score of scores.slice(1)) this.#samples.push([score, (await this.#writeRowsOf(score)).rows]);
    return { scores, items };
  }

  async #writeRowsOf(score: string | undefined) {
    const items: SampleItem[] = [];
    for (let offset = 0, all = 1; offset < all; offset += ASKED_ROWS) {
      const page = await this.#asking.ask('samples', this.#params, { offset, limit: ASKED_ROWS, score });
      all = page.all;
      items.push(...page.samples);
    }
    const empty = await this.#asking.ask('samples', this.#params, { limit: 0, score });
    const page = await this.#asking.writeAnswer(empty);
    return { items, rows: { page, rows: await writeRows(this.#asking, items) } };
  }

  async #writeAnswer(name: 'run' | 'timeline' | 'header', query: { readonly score?: string | undefined }) {
    const asked = await this.#asking.tryAsk(name, this.#params, query);
    if ('error' in asked && name === 'run' && query.score === undefined) this.#tell(asked.error);
    const place =
      'error' in asked
        ? await this.#asking.writeError(asked.error)
        : await this.#asking.writeAnswer(asked.answer);
    this.#answers.push([questionOf(name, [], query), place]);
  }

  async #writeSamples(
    items: readonly SampleItem[],
    { scores, onSample }: { readonly scores: readonly string[]; readonly onSample: () => void },
  ): Promise<void> {
    await this.#asking.writer.nextChunk();
    let filters: [number, string][] = [];
    for (const { id, epochs } of items) {
      for (const { epoch, outcome } of epochs) {
        if (outcome === 'missing') continue;
        const sample = await writeSample(this.#asking, { run: this.#run, id, epoch, scores });
        this.#epochs.push([id, epoch, sample.place]);
        this.#events += sample.events;
        for (const error of sample.errors.slice(0, 1)) this.#tell(error, { id, epoch });
        filters.push([sample.filter.power, sample.filter.bits]);
        if (filters.length === FILTERS) {
          this.#filters.push(await this.#asking.write(filters));
          filters = [];
        }
        onSample();
      }
    }
    if (filters.length > 0) this.#filters.push(await this.#asking.write(filters));
  }

  get #params() {
    return { run: this.#run };
  }

  #tell({ code, message }: ActionableError, at?: { readonly id: SampleId; readonly epoch: number }): void {
    // A log that cannot be opened fails for whatever is asked of it.
    if (!at && this.#damage.length > 0) return;
    const where = at ? { sample: at.id, epoch: at.epoch } : {};
    this.#damage.push({ run: this.#run, ...where, code, message });
  }
}

/** All rows of a list, in documents of some hundred [EXP-8]. */
export async function writeRows(asking: Asking, items: readonly unknown[]): Promise<DocumentPlace[]> {
  const places: DocumentPlace[] = [];
  for (let from = 0; from < items.length; from += WRITTEN_ROWS)
    places.push(await asking.write(items.slice(from, from + WRITTEN_ROWS)));
  return places;
}
