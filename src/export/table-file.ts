import { commitFile, commitNewFile, type Disk, type DiskFile, tempPathFor } from '../disk/index.ts';

/** How much is gathered before it is written. */
const CHUNK_BYTES = 256 * 2 ** 10;

/**
 * A file that is being written and has no name yet.
 *
 * ### Ordering
 * Bytes go into a temporary file beside the final one; `commit` syncs it and gives it its name. A crash before that leaves an
 * orphan, which whoever writes there next sweeps. `abandon` removes it.
 */
export class TableFile {
  readonly path: string;
  readonly #disk: Disk;
  readonly #temp: string;
  readonly #file: DiskFile;
  #chunks: Uint8Array[] = [];
  #gathered = 0;
  #written = 0;
  #isOpen = true;

  private constructor(
    disk: Disk,
    about: { readonly path: string; readonly temp: string; readonly file: DiskFile },
  ) {
    this.#disk = disk;
    this.path = about.path;
    this.#temp = about.temp;
    this.#file = about.file;
  }

  static async begin(disk: Disk, path: string): Promise<TableFile> {
    const temp = tempPathFor(path);
    return new TableFile(disk, { path, temp, file: await disk.open(temp, 'create') });
  }

  get sizeBytes(): number {
    return this.#written + this.#gathered;
  }

  async append(bytes: Uint8Array): Promise<void> {
    this.#chunks.push(bytes);
    this.#gathered += bytes.length;
    if (this.#gathered >= CHUNK_BYTES) await this.#flush();
  }

  /** False when there is a file of that name, which is left as it is. */
  async commit({ replace }: { readonly replace: boolean }): Promise<boolean> {
    await this.#flush();
    await this.#close();
    if (!replace) return (await commitNewFile(this.#disk, this.#temp, this.path)) === 'committed';
    await commitFile(this.#disk, this.#temp, this.path);
    return true;
  }

  async abandon(): Promise<void> {
    await this.#close();
    await this.#disk.remove(this.#temp);
  }

  async #close(): Promise<void> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    await this.#file.close();
  }

  async #flush(): Promise<void> {
    const bytes = Buffer.concat(this.#chunks);
    this.#chunks = [];
    this.#gathered = 0;
    await this.#file.write(bytes, this.#written);
    this.#written += bytes.length;
  }
}
