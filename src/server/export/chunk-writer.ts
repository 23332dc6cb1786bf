import { join } from 'node:path';
import type { Disk } from '../../disk/index.ts';
import type { DocumentPlace } from '../api.ts';
import { literalOf, scriptChunk } from './script-chunk.ts';

/** A chunk is closed before it has more bytes than that as a file; what is left up to a megabyte is for what surrounds it. */
const CHUNK_BYTES_MAX = 960_000;
/** Documents are cut into pieces of so many UTF-16 units, each of which has at most six times as many bytes. */
const PIECE_UNITS = 4_096;
const PIECE_BYTES_MAX = 6 * PIECE_UNITS;

/**
 * Puts documents one after the other into one long text, and that into files [EXP-3] [EXP-4]. Whoever has a place finds the document again.
 *
 * ### Ordering
 * Every file is synced before it is closed. Their names are durable, and the export is seen, only after whoever owns the directory has given it its
 * name: before, a crash leaves a temporary directory and nothing else.
 */
export class ChunkWriter {
  readonly #disk: Disk;
  readonly #dir: string;
  #pieces: string[] = [];
  #units = 0;
  #chunkBytes = 0;
  #chunks = 0;
  sizeBytes = 0;

  constructor(disk: Disk, dir: string) {
    this.#disk = disk;
    this.#dir = dir;
  }

  get chunks(): number {
    return this.#chunks;
  }

  async write(document: string): Promise<DocumentPlace> {
    // What fits into one file stands in one file, as long as that leaves none half empty.
    if (this.#chunkBytes > CHUNK_BYTES_MAX / 2 && this.#chunkBytes + document.length * 1.1 > CHUNK_BYTES_MAX)
      await this.nextChunk();
    const place: DocumentPlace = [this.#chunks, this.#units, document.length];
    for (let from = 0; from < document.length; from += PIECE_UNITS)
      await this.#add(document.slice(from, from + PIECE_UNITS));
    return place;
  }

  /** What comes next begins another file: whoever looks at one thing does not load the other. */
  async nextChunk(): Promise<void> {
    if (this.#units === 0) return;
    await this.#writeFile(String(this.#chunks), this.#pieces.join(''));
    this.#chunks += 1;
    this.#pieces = [];
    this.#units = 0;
    this.#chunkBytes = 0;
  }

  /** The last thing that is written: it says where everything else is. */
  async finish(manifest: string): Promise<void> {
    await this.nextChunk();
    await this.#writeFile('manifest', manifest);
    await this.#disk.syncDir(this.#dir);
  }

  async #add(piece: string): Promise<void> {
    if (this.#chunkBytes + PIECE_BYTES_MAX > CHUNK_BYTES_MAX) await this.nextChunk();
    this.#pieces.push(piece);
    this.#units += piece.length;
    this.#chunkBytes += Buffer.byteLength(literalOf(piece));
  }

  async #writeFile(key: string, text: string): Promise<void> {
    const bytes = Buffer.from(scriptChunk(key, text));
    await using file = await this.#disk.open(join(this.#dir, `${key}.js`), 'create');
    await file.write(bytes, 0);
    await file.sync();
    this.sizeBytes += bytes.length;
  }
}
