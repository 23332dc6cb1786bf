import type { Disk, DiskFile } from '../disk/index.ts';

const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
const MAGIC_LITTLE = 0x377f0682;
const MAGIC_BIG = 0x377f0683;

/**
 * How many transactions a write-ahead log holds that SQLite will not read, because a checksum before them is wrong. A
 * crash leaves at most one (the last, torn); more than one were acknowledged, and the file was damaged afterwards.
 */
export async function countUnreadableCommits(disk: Disk, walPath: string): Promise<number> {
  const stat = await disk.stat(walPath);
  if (!stat || stat.sizeBytes < HEADER_BYTES) return 0;
  await using file = await disk.open(walPath, 'read');
  const header = await readAt(file, 0, HEADER_BYTES);
  const magic = header.getUint32(0);
  if (magic !== MAGIC_LITTLE && magic !== MAGIC_BIG) return 0;
  return await new Frames(file, header, magic === MAGIC_LITTLE).countUnreadable(stat.sizeBytes);
}

/** Walks the frames as SQLite does (its file format, section 4): checksums go on from frame to frame. */
class Frames {
  readonly #file: DiskFile;
  readonly #header: DataView;
  readonly #isLittle: boolean;
  #first = 0;
  #second = 0;

  constructor(file: DiskFile, header: DataView, isLittle: boolean) {
    this.#file = file;
    this.#header = header;
    this.#isLittle = isLittle;
  }

  async countUnreadable(sizeBytes: number): Promise<number> {
    const frameBytes = FRAME_HEADER_BYTES + this.#header.getUint32(8);
    this.#add(this.#header, 0, 24);
    let isReadable = this.#matches(this.#header, 24);
    let unreadable = 0;
    for (let at = HEADER_BYTES; at + frameBytes <= sizeBytes; at += frameBytes) {
      const frame = await readAt(this.#file, at, frameBytes);
      // Frames of another log are what is left from before this one was begun anew.
      const isOurs = this.#isOfThisLog(frame);
      this.#add(frame, 0, 8);
      this.#add(frame, FRAME_HEADER_BYTES, frameBytes);
      isReadable &&= isOurs && this.#matches(frame, 16);
      const isCommit = frame.getUint32(4) !== 0;
      if (isOurs && isCommit && !isReadable) unreadable++;
    }
    return unreadable;
  }

  #isOfThisLog(frame: DataView): boolean {
    return (
      frame.getUint32(8) === this.#header.getUint32(16) && frame.getUint32(12) === this.#header.getUint32(20)
    );
  }

  #matches(view: DataView, at: number): boolean {
    return view.getUint32(at) === this.#first >>> 0 && view.getUint32(at + 4) === this.#second >>> 0;
  }

  #add(view: DataView, from: number, to: number): void {
    let first = this.#first;
    let second = this.#second;
    for (let at = from; at < to; at += 8) {
      first = (first + view.getUint32(at, this.#isLittle) + second) | 0;
      second = (second + view.getUint32(at + 4, this.#isLittle) + first) | 0;
    }
    this.#first = first;
    this.#second = second;
  }
}

async function readAt(file: DiskFile, position: number, length: number): Promise<DataView> {
  const bytes = new Uint8Array(length);
  await file.read(bytes, position);
  return new DataView(bytes.buffer);
}
