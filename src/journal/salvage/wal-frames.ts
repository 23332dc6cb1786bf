import { openSyncFile, type SyncFile } from '../../disk/index.ts';

const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
const MAGIC_LITTLE = 0x377f0682;
const MAGIC_BIG = 0x377f0683;

/** One page in a write-ahead log. */
export interface WalFrame {
  readonly page: number;
  /** Where the bytes of the page begin. */
  readonly at: number;
  /** True for the last frame of a transaction. */
  readonly isCommit: boolean;
  /** False for what is left from before the log was begun anew. */
  readonly isCurrent: boolean;
  /** True when SQLite would read it: all checksums up to here are right, and its transaction was committed. */
  readonly isReadable: boolean;
}

export interface Wal {
  readonly frames: readonly WalFrame[];
  readonly pageBytes: number;
  /**
   * Transactions that SQLite will not read, because a checksum before them is wrong. A crash leaves at most one (the last,
   * torn); more than one were acknowledged, and the file was damaged afterwards.
   */
  readonly unreadableCommits: number;
}

/**
 * Walks the frames of a write-ahead log as SQLite does (its file format, section 4), but beyond the damage too: checksums
 * of rows tell there what is whole. Undefined when there is no log, or nothing in it.
 */
export function readWal(path: string, pageBytesGuess: number): Wal | undefined {
  using file = openSyncFile(path, 'read');
  const sizeBytes = file?.sizeBytes() ?? 0;
  if (!file || sizeBytes <= HEADER_BYTES) return undefined;
  const header = readAt(file, 0, HEADER_BYTES);
  const magic = header.getUint32(0);
  const isSound = magic === MAGIC_LITTLE || magic === MAGIC_BIG;
  const said = header.getUint32(8);
  const pageBytes = isSound && isPageSize(said) ? said : pageBytesGuess;
  const walk = new Walk(file, { header, pageBytes, isLittle: magic !== MAGIC_BIG, isSound });
  return { pageBytes, ...walk.run(sizeBytes) };
}

/** Two numbers that SQLite gives a write-ahead log when it begins it: the first grows by one each time, the second is random. */
export type WalSalts = readonly [number, number];

/** The salts of a log; undefined when there is none, nothing is in it, or its header is not whole. */
export function readWalSalts(path: string): WalSalts | undefined {
  using file = openSyncFile(path, 'read');
  if (!file || file.sizeBytes() < HEADER_BYTES) return undefined;
  const header = readAt(file, 0, HEADER_BYTES);
  const magic = header.getUint32(0);
  if (magic !== MAGIC_LITTLE && magic !== MAGIC_BIG) return undefined;
  const [first, second] = checksum(header, { from: 0, to: 24, isLittle: magic === MAGIC_LITTLE });
  const isWhole = header.getUint32(24) === first >>> 0 && header.getUint32(28) === second >>> 0;
  return isWhole ? [header.getUint32(16), header.getUint32(20)] : undefined;
}

export function isPageSize(bytes: number): boolean {
  return bytes >= 512 && bytes <= 65_536 && (bytes & (bytes - 1)) === 0;
}

interface WalkOptions {
  readonly header: DataView;
  readonly pageBytes: number;
  readonly isLittle: boolean;
  readonly isSound: boolean;
}

class Walk {
  readonly #file: SyncFile;
  readonly #header: DataView;
  readonly #pageBytes: number;
  readonly #isLittle: boolean;
  readonly #isSound: boolean;
  #first = 0;
  #second = 0;

  constructor(file: SyncFile, { header, pageBytes, isLittle, isSound }: WalkOptions) {
    this.#file = file;
    this.#header = header;
    this.#pageBytes = pageBytes;
    this.#isLittle = isLittle;
    this.#isSound = isSound;
  }

  run(sizeBytes: number): Pick<Wal, 'frames' | 'unreadableCommits'> {
    const frameBytes = FRAME_HEADER_BYTES + this.#pageBytes;
    this.#add(this.#header, 0, 24);
    let isChainWhole = this.#isSound && this.#matches(this.#header, 24);
    const salt = isChainWhole ? saltAt(this.#header, 16) : this.#firstSalt(sizeBytes);
    const found: { frame: Omit<WalFrame, 'isReadable'>; isWhole: boolean }[] = [];
    for (let at = HEADER_BYTES; at + frameBytes <= sizeBytes; at += frameBytes) {
      const view = readAt(this.#file, at, frameBytes);
      const isCurrent = saltAt(view, 8) === salt;
      this.#add(view, 0, 8);
      this.#add(view, FRAME_HEADER_BYTES, frameBytes);
      isChainWhole &&= isCurrent && this.#matches(view, 16);
      const page = view.getUint32(0);
      const isCommit = view.getUint32(4) !== 0;
      found.push({
        frame: { page, at: at + FRAME_HEADER_BYTES, isCommit, isCurrent },
        isWhole: isChainWhole,
      });
    }
    const lastCommit = found.findLastIndex(({ frame, isWhole }) => isWhole && frame.isCommit);
    const frames = found.map(({ frame }, index) => ({ ...frame, isReadable: index <= lastCommit }));
    const lost = frames.filter(({ isCommit, isCurrent, isReadable }) => isCommit && isCurrent && !isReadable);
    return { frames, unreadableCommits: lost.length };
  }

  /** A log is written from its beginning: its first frame is of the current one, whatever its header says. */
  #firstSalt(sizeBytes: number): string {
    return sizeBytes < HEADER_BYTES + FRAME_HEADER_BYTES
      ? ''
      : saltAt(readAt(this.#file, HEADER_BYTES, FRAME_HEADER_BYTES), 8);
  }

  #matches(view: DataView, at: number): boolean {
    return view.getUint32(at) === this.#first >>> 0 && view.getUint32(at + 4) === this.#second >>> 0;
  }

  /** Checksums go on from frame to frame. */
  #add(view: DataView, from: number, to: number): void {
    const before = [this.#first, this.#second] as const;
    [this.#first, this.#second] = checksum(view, { from, to, isLittle: this.#isLittle }, before);
  }
}

/** SQLite's checksum of a part of a log, as it goes on from what is before. */
function checksum(
  view: DataView,
  part: { readonly from: number; readonly to: number; readonly isLittle: boolean },
  before: readonly [number, number] = [0, 0],
): readonly [number, number] {
  let [first, second] = before;
  for (let at = part.from; at < part.to; at += 8) {
    first = (first + view.getUint32(at, part.isLittle) + second) | 0;
    second = (second + view.getUint32(at + 4, part.isLittle) + first) | 0;
  }
  return [first, second];
}

function saltAt(view: DataView, at: number): string {
  return `${view.getUint32(at)} ${view.getUint32(at + 4)}`;
}

function readAt(file: SyncFile, position: number, length: number): DataView {
  const bytes = new Uint8Array(length);
  file.read(bytes, position);
  return new DataView(bytes.buffer);
}
