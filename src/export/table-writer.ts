import type { Disk } from '../disk/index.ts';
import { type Column, cellOf, type Raw } from './column.ts';
import { CsvEncoder, type CsvOptions } from './csv.ts';
import type { ByteSink, Encoder } from './encoder.ts';
import { JsonlEncoder } from './jsonl.ts';
import { ParquetEncoder } from './parquet.ts';
import { TableFile } from './table-file.ts';

export type TableFormat = 'parquet' | 'csv' | 'jsonl';
export type TableName = 'runs' | 'samples' | 'scores';

export interface WrittenTable {
  readonly table: TableName;
  readonly path: string;
  readonly rows: number;
  readonly sizeBytes: number;
}

export interface TableWriterOptions extends CsvOptions {
  readonly table: TableName;
  readonly path: string;
  readonly format: TableFormat;
  readonly columns: readonly Column[];
}

/** One table on its way into one file. */
export class TableWriter {
  readonly table: TableName;
  readonly #file: TableFile;
  readonly #columns: readonly Column[];
  readonly #encoder: Encoder;
  #rows = 0;

  private constructor(file: TableFile, options: TableWriterOptions) {
    this.table = options.table;
    this.#file = file;
    this.#columns = options.columns;
    this.#encoder = encoderFor(options, file);
  }

  static async begin(disk: Disk, options: TableWriterOptions): Promise<TableWriter> {
    return new TableWriter(await TableFile.begin(disk, options.path), options);
  }

  /** How many texts of it a spreadsheet would take for formulas. */
  get formulas(): number {
    return this.#encoder instanceof CsvEncoder ? this.#encoder.formulas : 0;
  }

  async add(values: readonly Raw[]): Promise<void> {
    this.#rows++;
    await this.#encoder.add(this.#columns.map(({ kind }, index) => cellOf(values[index], kind)));
  }

  /** All rows are written, but for the name of the file. */
  finish(): Promise<void> {
    return this.#encoder.finish();
  }

  /** Undefined when there is a file of that name by now. */
  async commit(options: { readonly replace: boolean }): Promise<WrittenTable | undefined> {
    if (!(await this.#file.commit(options))) return undefined;
    const { path, sizeBytes } = this.#file;
    return { table: this.table, path, rows: this.#rows, sizeBytes };
  }

  abandon(): Promise<void> {
    return this.#file.abandon();
  }
}

function encoderFor(options: TableWriterOptions, sink: ByteSink): Encoder {
  const { format, columns } = options;
  if (format === 'csv') return new CsvEncoder(columns, sink, options);
  return format === 'jsonl' ? new JsonlEncoder(columns, sink) : new ParquetEncoder(columns, sink);
}
