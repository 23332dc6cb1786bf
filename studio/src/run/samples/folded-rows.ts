/** A row of the table: a sample, or one of its epochs when it is unfolded. */
export interface TableRow {
  /** Which sample, in the order of the list. */
  readonly sample: number;
  /** Which of its epochs, from 0; undefined for the sample itself. */
  readonly epoch: number | undefined;
}

/** A sample that is unfolded, by its place in the list, and how many epochs it has. */
export interface Unfolded {
  readonly sample: number;
  readonly epochs: number;
}

/** Rows when some samples are unfolded; `unfolded` is in the order of the list. */
export class FoldedRows {
  readonly count: number;
  readonly #unfolded: readonly Unfolded[];

  constructor(samples: number, unfolded: readonly Unfolded[]) {
    this.#unfolded = unfolded.filter(({ sample }) => sample < samples);
    this.count = samples + this.#unfolded.reduce((sum, { epochs }) => sum + epochs, 0);
  }

  at(row: number): TableRow {
    let before = 0;
    for (const { sample, epochs } of this.#unfolded) {
      const head = sample + before;
      if (row <= head) break;
      if (row <= head + epochs) return { sample, epoch: row - head - 1 };
      before += epochs;
    }
    return { sample: row - before, epoch: undefined };
  }

  rowOf(sample: number): number {
    const before = this.#unfolded.filter((one) => one.sample < sample);
    return sample + before.reduce((sum, { epochs }) => sum + epochs, 0);
  }
}
