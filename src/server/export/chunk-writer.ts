import { join } from 'node:path';
import type { Disk } from '../../disk/index.ts';
import type { DocumentPlace } from '../api.ts';
import { scriptChunk } from './script-chunk.ts';

/** A chunk is closed before its text has more bytes than that. Base64 takes a third more, but text that saves less than a quarter is no text. */
const CHUNK_BYTES_MAX = 900_000;
/** Documents are cut into pieces of so many UTF-16 units, each of which has at most three bytes; one more where a pair would be cut. */
const PIECE_UNITS = 4_096;
const PIECE_BYTES_MAX = 3 * (PIECE_UNITS + 1);

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
    for (let from = 0; from < document.length; ) {
      const end = pieceEnd(document, from);
      await this.#add(document.slice(from, end));
      from = end;
    }
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
    this.#chunkBytes += Buffer.byteLength(piece);
  }

  async #writeFile(key: string, text: string): Promise<void> {
    const bytes = Buffer.from(await scriptChunk(key, text));
    await using file = await this.#disk.open(join(this.#dir, `${key}.js`), 'create');
    await file.write(bytes, 0);
    await file.sync();
    this.sizeBytes += bytes.length;
  }
}

/** Not between the halves of a pair: each alone is no text, and would not come back. */
function pieceEnd(document: string, from: number): number {
  const end = from + PIECE_UNITS;
  const isPairCut = /^[\ud800-\udbff][\udc00-\udfff]/.test(document.slice(end - 1, end + 1));
  return isPairCut ? end + 1 : Math.min(end, document.length);
}
