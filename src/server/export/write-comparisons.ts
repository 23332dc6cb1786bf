import { questionOf } from '../../views/index.ts';
import type {
  ComparedSample,
  DocumentPlace,
  RunItem,
  SampleId,
  WrittenComparison,
  WrittenRows,
} from '../api.ts';
import type { Asking } from './asking.ts';
import { type Pair, pairsOf } from './pairs.ts';
import { SCORES_MAX, writeRows } from './write-run.ts';

/** So many pairs of runs are compared, besides those that follow one another. */
const PAIRS_MAX = 200;
/** So many transcripts are laid side by side; of a pair all or none. */
const ALIGNED_MAX = 400;
const ASKED_ROWS = 1_000;

export interface ToCompare {
  /** Newest first. */
  readonly items: readonly RunItem[];
  /** Those that were named one by one. */
  readonly named: readonly string[];
  /** The samples of a run at their epochs. */
  readonly epochsOf: (run: string) => readonly (readonly [SampleId, number])[];
}

export interface ComparisonsWritten {
  readonly answers: readonly (readonly [string, DocumentPlace])[];
  readonly comparisons: readonly WrittenComparison[];
}

/** Writes comparisons of runs, in both directions, and of the newest of them their transcripts side by side. */
export async function writeComparisons(asking: Asking, given: ToCompare): Promise<ComparisonsWritten> {
  const writing = new ComparisonsWriting(asking, given);
  const pairs = pairsOf(given.items, { named: given.named, most: PAIRS_MAX });
  for (const [before, after] of pairs) {
    await writing.compare([before, after]);
    await writing.compare([after, before]);
  }
  for (const pair of pairs) await writing.align(pair);
  return writing;
}

class ComparisonsWriting implements ComparisonsWritten {
  readonly answers: [string, DocumentPlace][] = [];
  readonly comparisons: WrittenComparison[] = [];
  readonly #asking: Asking;
  readonly #given: ToCompare;
  #aligned = 0;

  constructor(asking: Asking, given: ToCompare) {
    this.#asking = asking;
    this.#given = given;
  }

  async compare(runs: readonly string[]): Promise<void> {
    const asked = await this.#asking.tryAsk('compare', {}, { runs });
    if ('error' in asked) {
      this.#answer(runs, undefined, await this.#asking.writeError(asked.error));
      return;
    }
    const { answer } = asked;
    const scores = answer.scores.slice(0, SCORES_MAX);
    const samples: WrittenComparison['samples'] = [];
    const first = await this.#asking.writeAnswer(answer);
    const rows = await this.#writeRows(runs, undefined);
    for (const score of [undefined, ...scores]) {
      const isFirst = score === undefined || score === answer.score;
      const place = isFirst ? first : await this.#writeOther(runs, score);
      this.#answer(runs, score, place);
      samples.push([score ?? null, isFirst ? rows : await this.#writeRows(runs, score)]);
    }
    this.comparisons.push({ runs: [...runs], samples });
  }

  async #writeOther(runs: readonly string[], score: string): Promise<DocumentPlace> {
    return this.#asking.writeAnswer(await this.#asking.ask('compare', {}, { runs, score }));
  }

  #answer(runs: readonly string[], score: string | undefined, place: DocumentPlace): void {
    this.answers.push([questionOf('compare', [], { runs, score }), place]);
  }

  async #writeRows(runs: readonly string[], score: string | undefined): Promise<WrittenRows> {
    const items: ComparedSample[] = [];
    for (let offset = 0, all = 1; offset < all; offset += ASKED_ROWS) {
      const query = { runs, score, offset, limit: ASKED_ROWS, sort: 'id' };
      const page = await this.#asking.ask('comparedSamples', {}, query);
      all = page.all;
      items.push(...page.samples);
    }
    const empty = await this.#asking.ask('comparedSamples', {}, { runs, score, limit: 0 });
    return { page: await this.#asking.writeAnswer(empty), rows: await writeRows(this.#asking, items) };
  }

  /** Samples of either run at their epochs. */
  async align([before, after]: Pair): Promise<void> {
    const both = [...this.#given.epochsOf(before), ...this.#given.epochsOf(after)];
    const keys = new Map(both.map(([id, epoch]) => [`${id} ${epoch}`, { id: String(id), epoch }]));
    if (this.#aligned + 2 * keys.size > ALIGNED_MAX) return;
    this.#aligned += 2 * keys.size;
    for (const { id, epoch } of keys.values()) {
      await this.#align([before, after], id, epoch);
      await this.#align([after, before], id, epoch);
    }
  }

  async #align(runs: Pair, sample: string, epoch: number): Promise<void> {
    const asked = await this.#asking.tryAsk('transcripts', { sample }, { runs, epoch });
    const place =
      'error' in asked
        ? await this.#asking.writeError(asked.error)
        : await this.#asking.writeAnswer(asked.answer);
    this.answers.push([questionOf('transcripts', [sample], { runs, epoch }), place]);
  }
}
