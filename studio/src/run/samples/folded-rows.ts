import type { SampleId } from '../../../../src/server/api.ts';

/** A sample whose epochs are shown under it. */
export interface OpenSample {
  readonly id: SampleId;
  /** Its place in the list of samples. */
  readonly index: number;
  readonly epochs: number;
}

export interface FoldedRow {
  /** The place of the sample. */
  readonly sample: number;
  /** The place of the epoch among those of its sample; undefined for the row of the sample itself. */
  readonly epoch: number | undefined;
}

export interface FoldedRows {
  readonly count: number;
  readonly at: (row: number) => FoldedRow;
  /** The row of a sample. */
  readonly rowOf: (sample: number) => number;
}

/** The rows of a table in which some samples are open. Only those cost anything, however long the list is. */
export function foldRows(total: number, open: readonly OpenSample[]): FoldedRows {
  const sorted = open.filter(({ index }) => index < total).toSorted((a, b) => a.index - b.index);
  const added = sorted.reduce((sum, { epochs }) => sum + epochs, 0);
  const at = (row: number): FoldedRow => {
    let before = 0;
    for (const { index, epochs } of sorted) {
      const own = index + before;
      if (row <= own) break;
      if (row <= own + epochs) return { sample: index, epoch: row - own - 1 };
      before += epochs;
    }
    return { sample: row - before, epoch: undefined };
  };
  const rowOf = (sample: number) =>
    sample + sorted.reduce((sum, { index, epochs }) => (index < sample ? sum + epochs : sum), 0);
  return { count: total + added, at, rowOf };
}

/** Opens a sample, or closes it. */
export function toggleOpen(open: readonly OpenSample[], sample: OpenSample): readonly OpenSample[] {
  const rest = open.filter(({ id }) => id !== sample.id);
  return rest.length < open.length ? rest : [...rest, sample];
}
