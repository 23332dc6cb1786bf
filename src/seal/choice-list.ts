import { assert } from '../base/index.ts';
import type { AttemptStatus, JournalReader, ReusedOutline } from '../journal/index.ts';
import type { Choice } from './choose-attempts.ts';

/** A choice without the name of its sample: what sealing needs of it. */
export type Chosen =
  | { readonly from: 'journal'; readonly source: JournalReader; readonly attempt: ChosenAttempt }
  | { readonly from: 'log'; readonly source: JournalReader; readonly row: ReusedOutline };

export interface ChosenAttempt {
  readonly n: number;
  readonly status: AttemptStatus | undefined;
}

const STATUSES: readonly (AttemptStatus | undefined)[] = [undefined, 'errored', 'completed'];

/** Choices in a few bytes each: those of 100,000 samples would weigh as much as all their scores. */
export class ChoiceList {
  readonly #sources: readonly JournalReader[];
  readonly #numbers: Float64Array;
  readonly #sourceOf: Uint16Array;
  readonly #statusOf: Uint8Array;
  readonly #rows = new Map<number, ReusedOutline>();

  constructor(sources: readonly JournalReader[], choices: readonly Choice[]) {
    this.#sources = sources;
    this.#numbers = new Float64Array(choices.length);
    this.#sourceOf = new Uint16Array(choices.length);
    this.#statusOf = new Uint8Array(choices.length);
    for (const [index, choice] of choices.entries()) {
      this.#sourceOf[index] = sources.indexOf(choice.source);
      if (choice.from === 'log') this.#rows.set(index, choice.row);
      else {
        this.#numbers[index] = choice.attempt.n;
        this.#statusOf[index] = STATUSES.indexOf(choice.attempt.status);
      }
    }
  }

  get length(): number {
    return this.#numbers.length;
  }

  *[Symbol.iterator](): Iterator<Chosen> {
    for (let index = 0; index < this.length; index++) yield this.#at(index);
  }

  #at(index: number): Chosen {
    const source = this.#sources[this.#sourceOf[index] ?? 0];
    assert(source, `choice ${index} has no source`);
    const row = this.#rows.get(index);
    if (row) return { from: 'log', source, row };
    const status = STATUSES[this.#statusOf[index] ?? 0];
    return { from: 'journal', source, attempt: { n: this.#numbers[index] ?? 0, status } };
  }
}
