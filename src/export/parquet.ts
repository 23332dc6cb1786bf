import { zstdCompressSync } from 'node:zlib';
import { type BasicType, ByteWriter, ParquetWriter, schemaFromColumnData } from 'hyparquet-writer';
import type { Cell, Column, Kind } from './column.ts';
import type { ByteSink, Encoder } from './encoder.ts';

/** A row group is written when it has so many rows, or about so many bytes: it is all that is held. */
const GROUP_ROWS = 10_000;
const GROUP_BYTES = 4 * 2 ** 20;

const TYPES: Readonly<Record<Kind, BasicType>> = {
  text: 'STRING',
  int: 'INT64',
  number: 'DOUBLE',
  boolean: 'BOOLEAN',
  time: 'TIMESTAMP',
};

/** Parquet by row groups, compressed with zstd. Every column may hold nulls; times are milliseconds in UTC. */
export class ParquetEncoder implements Encoder {
  readonly #columns: readonly Column[];
  readonly #writer: ParquetWriter;
  readonly #bytes: SinkWriter;
  #cells: Cell[][];
  #rows = 0;
  #sizeBytes = 0;

  constructor(columns: readonly Column[], sink: ByteSink) {
    this.#columns = columns;
    this.#cells = columns.map(() => []);
    this.#bytes = new SinkWriter(sink);
    this.#writer = new ParquetWriter({
      writer: this.#bytes,
      schema: schemaFromColumnData({
        columnData: columns.map(({ name, kind }) => ({ name, data: [], type: TYPES[kind] })),
      }),
      codec: 'ZSTD',
      compressors: { ZSTD: (input) => zstdCompressSync(input) },
      // Bounds of texts would be in the order of UTF-16, where readers that skip by them expect that of UTF-8.
      statistics: false,
    });
  }

  async add(row: readonly Cell[]): Promise<void> {
    for (const [index, cells] of this.#cells.entries()) {
      const cell = row[index] ?? null;
      cells.push(cell);
      this.#sizeBytes += typeof cell === 'string' ? 2 * cell.length : 8;
    }
    this.#rows++;
    if (this.#rows >= GROUP_ROWS || this.#sizeBytes >= GROUP_BYTES) await this.#writeGroup();
  }

  async finish(): Promise<void> {
    if (this.#rows > 0) await this.#writeGroup();
    await this.#writer.finish();
  }

  async #writeGroup(): Promise<void> {
    const columnData = this.#columns.map(({ name }, index) => ({ name, data: this.#cells[index] ?? [] }));
    await this.#writer.write({ columnData, rowGroupSize: this.#rows });
    this.#cells = this.#columns.map(() => []);
    this.#rows = 0;
    this.#sizeBytes = 0;
  }
}

/** Hands on what was written after each row group, and uses its buffer again. */
class SinkWriter extends ByteWriter {
  readonly #sink: ByteSink;

  constructor(sink: ByteSink) {
    super();
    this.#sink = sink;
  }

  async flush(): Promise<void> {
    const bytes = this.getBytes().slice();
    this.index = 0;
    await this.#sink.append(bytes);
  }

  override finish(): Promise<void> {
    return this.flush();
  }
}
