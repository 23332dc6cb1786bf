import { assert, type SampleKey, sampleKeyText } from '../base/index.ts';
import type { AttemptStatus, JournalReader, ReusedOutline } from '../journal/index.ts';

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
  readonly #sourceOf: Uint32Array;
  readonly #statusOf: Uint8Array;
  readonly #rows = new Map<number, ReusedOutline>();

  constructor(choices: readonly Chosen[]) {
    this.#sources = [...new Set(choices.map(({ source }) => source))];
    this.#numbers = new Float64Array(choices.length);
    this.#sourceOf = new Uint32Array(choices.length);
    this.#statusOf = new Uint8Array(choices.length);
    const places = new Map(this.#sources.map((source, index) => [source, index]));
    for (const [index, choice] of choices.entries()) {
      this.#sourceOf[index] = places.get(choice.source) ?? 0;
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

  /** Those that are kept, in the same order. */
  filter(isKept: (chosen: Chosen) => boolean): ChoiceList {
    return new ChoiceList([...this].filter(isKept));
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

/** Which sample a choice is of; read from its journal, since the list does not keep it. */
export function sampleOfChosen(chosen: Chosen): SampleKey {
  if (chosen.from === 'log') return chosen.row;
  const row = chosen.source.attempt(chosen.attempt.n);
  assert(row, `attempt ${chosen.attempt.n} vanished`);
  return row;
}

export function nameOfChosen(chosen: Chosen): string {
  const { id, epoch } = sampleOfChosen(chosen);
  return sampleKeyText(id, epoch);
}
