import { UsageError } from '../base/index.ts';
import { type Dataset, openDataset } from '../datasets/index.ts';
import type { Disk } from '../disk/index.ts';
import type { PlannedEval, SampleRow } from '../evals/index.ts';
import type { SampleFields } from '../log/index.ts';
import { recordedRow, sampleInput } from './sample-content.ts';

export interface RowLookupOptions {
  readonly disk: Disk;
  readonly eval: PlannedEval;
  readonly baseDir: string;
  readonly tempDir: string;
}

/** Rows with the types that the eval's own data has, wherever they still are what the log says. */
export class RowLookup {
  readonly #dataset: Dataset | undefined;
  readonly #indexes: ReadonlyMap<string, number>;

  private constructor(dataset: Dataset | undefined) {
    this.#dataset = dataset;
    this.#indexes = new Map(dataset?.ids.map((id, index) => [String(id), index]));
  }

  static async open(options: RowLookupOptions): Promise<RowLookup> {
    const { eval: planned, baseDir, disk, tempDir } = options;
    try {
      return new RowLookup(await openDataset({ data: planned.data, baseDir, disk, tempDir }));
    } catch (error) {
      // The data may have moved or changed since: the log itself holds every row as text.
      if (error instanceof UsageError) return new RowLookup(undefined);
      throw error;
    }
  }

  async find(fields: SampleFields): Promise<SampleRow> {
    const recorded = recordedRow(fields);
    const index = this.#indexes.get(String(fields.id));
    const row = index === undefined ? undefined : await this.#dataset?.row(index);
    return row && sampleInput(row) === recorded.input ? row : recorded;
  }

  async close(): Promise<void> {
    await this.#dataset?.close();
  }
}
