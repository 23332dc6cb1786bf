import { type TextFilterMaker, visitCuts } from '../../views/index.ts';
import type { WrittenText } from '../api.ts';
import type { Asking, Params } from './asking.ts';

const PIECE_UNITS = 2 ** 18;

/** The long texts of one sample: answers have their beginnings, and each of them is written whole, once [EXP-10]. */
export class LongTexts {
  readonly written: WrittenText[] = [];
  readonly #asking: Asking;
  readonly #sample: Params;
  readonly #filter: TextFilterMaker;
  readonly #known = new Set<string>();
  units = 0;

  constructor(asking: Asking, sample: Params, filter: TextFilterMaker) {
    this.#asking = asking;
    this.#sample = sample;
    this.#filter = filter;
  }

  /** Writes what an answer has cut. */
  async writeOf(answer: unknown, { withLists = true } = {}): Promise<void> {
    const cuts = new Set<string>();
    visitCuts(answer, ({ at, items }) => {
      if (withLists || items === undefined) cuts.add(at);
    });
    for (const at of cuts) if (!this.#known.has(at)) await this.#write(at);
  }

  async #write(at: string): Promise<void> {
    this.#known.add(at);
    const pieces: WrittenText[3] = [];
    let before = '';
    for (let from = 0, length = 1; from < length; from += PIECE_UNITS) {
      const piece = await this.#asking.ask('text', this.#sample, { at, from, length: PIECE_UNITS });
      length = piece.length;
      this.#filter.add(before + piece.text);
      before = piece.text.slice(-2);
      pieces.push(await this.#asking.write(piece.text));
      if (from + PIECE_UNITS >= length) this.written.push([at, length, PIECE_UNITS, pieces]);
    }
    this.units += pieces.reduce((sum, [, , units]) => sum + units, 0);
  }
}
