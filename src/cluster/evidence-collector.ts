import type { Disk } from '../disk/index.ts';
import { filesBelow, readBytes, type WorkFile } from './evidence-folder.ts';
import type { EvidencePiece, LeftOut } from './evidence-part.ts';
import { PrintedText, type PrintStream } from './evidence-prints.ts';
import { keepFile, keepText, type Redact } from './evidence-text.ts';

/** How much evidence of one attempt is kept [EVI-6]. */
export interface EvidenceLimits {
  /** Of a file that is kept whole. */
  readonly fileBytesMax: number;
  /** Of a text that grows. */
  readonly textBytesMax: number;
  /** Of the end of a text that was longer. */
  readonly tailBytes: number;
  /** Of all of it. */
  readonly attemptBytesMax: number;
  /** How many files are looked at. */
  readonly filesMax: number;
  /** Of one part: what is longer goes on in the next. */
  readonly partBytesMax: number;
}

export const EVIDENCE_LIMITS: EvidenceLimits = {
  fileBytesMax: 4 * 2 ** 20,
  textBytesMax: 16 * 2 ** 20,
  tailBytes: 64 * 2 ** 10,
  attemptBytesMax: 64 * 2 ** 20,
  filesMax: 2_000,
  partBytesMax: 4 * 2 ** 20,
};

/** Files that programs write on and on. */
const isTextName = (name: string) => /\.(stdout|stderr|log|jsonl|ndjson)$/.test(name);

interface Folder {
  readonly dir: string;
  /** What paths in it begin with; empty: nothing. */
  readonly label: string;
}

const pathIn = ({ label }: Folder, name: string) => (label === '' ? name : `${label}/${name}`);

/** What is known of one file or text by its path. */
interface Seen {
  mark: string;
  /** Up to where a text was taken; undefined for what is kept whole. */
  taken: number | undefined;
  /** Of a text: there is no room for more of it. */
  isOver: boolean;
}

interface GrowingText {
  readonly path: string;
  readonly sizeBytes: number;
  read(range: { readonly from: number; readonly length: number }): Promise<Uint8Array>;
}

export interface Collected {
  readonly pieces: readonly EvidencePiece[];
  readonly leftOut: readonly LeftOut[];
  /** True when there may be more right now. */
  readonly isFull: boolean;
}

/** Looks again and again at the folders of an attempt and at what it printed, and takes what is new. */
export class EvidenceCollector {
  readonly #disk: Disk;
  readonly #redact: Redact;
  readonly #limits: EvidenceLimits;
  readonly #folders: Folder[] = [];
  readonly #seen = new Map<string, Seen>();
  readonly #said = new Set<string>();
  readonly #printed: Readonly<Record<PrintStream, PrintedText>>;
  #keptBytes = 0;
  #cutBytes = 0;

  constructor({
    disk,
    redact,
    limits,
  }: {
    readonly disk: Disk;
    readonly redact: Redact;
    readonly limits: EvidenceLimits;
  }) {
    this.#disk = disk;
    this.#redact = redact;
    this.#limits = limits;
    const { fileBytesMax } = limits;
    this.#printed = {
      stdout: new PrintedText('stdout', fileBytesMax),
      stderr: new PrintedText('stderr', fileBytesMax),
    };
  }

  /** Bytes of texts that are too long to be kept. */
  get cutBytes(): number {
    const { stdout, stderr } = this.#printed;
    return this.#cutBytes + stdout.cutBytes + stderr.cutBytes;
  }

  print(stream: PrintStream, bytes: Uint8Array): void {
    this.#printed[stream].add(bytes);
  }

  /** What is printed from now on is nobody's evidence. */
  close(): void {
    for (const text of Object.values(this.#printed)) text.close();
  }

  /** From now on what changes in the folder is taken; what is in it already came from elsewhere, and is known there [EVI-4]. */
  async watch(folder: Folder): Promise<void> {
    const { files } = await filesBelow(this.#disk, folder.dir, this.#limits.filesMax);
    for (const { name, mark, sizeBytes } of files) {
      this.#see(pathIn(folder, name), { mark, taken: isTextName(name) ? sizeBytes : undefined });
    }
    this.#folders.push(folder);
  }

  /** All that is in the folder is new, but for what is known to have been taken of its texts. */
  follow(folder: Folder, taken: ReadonlyMap<string, number> = new Map()): void {
    for (const [path, toBytes] of taken) this.#see(path, { mark: '', taken: toBytes });
    this.#folders.push(folder);
  }

  /** Undefined when there is nothing new. `isLast`: nothing more will be written. */
  async collect({ isLast }: { readonly isLast: boolean }): Promise<Collected | undefined> {
    const look = new Look(isLast, this.#limits.partBytesMax);
    for (const text of this.#printedTexts()) await this.#takeText(text, look);
    for (const folder of this.#folders) {
      const { files, hasMore } = await filesBelow(this.#disk, folder.dir, this.#limits.filesMax);
      if (hasMore) this.#leave(look, { path: folder.label, bytes: 0, why: 'too many files' });
      for (const file of files) {
        if (look.roomBytes <= 0) look.isFull = true;
        if (look.isFull) break;
        await this.#takeFile(file, pathIn(folder, file.name), look);
      }
    }
    const { pieces, leftOut, isFull } = look;
    return pieces.length + leftOut.length === 0 ? undefined : { pieces, leftOut, isFull };
  }

  /** How much is there that was not taken yet. */
  async countRest(): Promise<number> {
    let restBytes = 0;
    for (const { path, sizeBytes } of this.#printedTexts()) restBytes += sizeBytes - this.#takenOf(path);
    for (const folder of this.#folders) {
      const { files } = await filesBelow(this.#disk, folder.dir, this.#limits.filesMax);
      for (const { name, sizeBytes, mark } of files) {
        const path = pathIn(folder, name);
        if (this.#seen.get(path)?.mark !== mark) restBytes += Math.max(0, sizeBytes - this.#takenOf(path));
      }
    }
    return restBytes;
  }

  #takenOf(path: string): number {
    return this.#seen.get(path)?.taken ?? 0;
  }

  /** Those that were heard here: where prints are files, those have the same names. */
  #printedTexts(): readonly GrowingText[] {
    const heard = Object.values(this.#printed).filter(({ sizeBytes }) => sizeBytes > 0);
    return heard.map((text) => ({
      path: text.name,
      sizeBytes: text.sizeBytes,
      read: async (range) => text.read(range),
    }));
  }

  async #takeFile(file: WorkFile, path: string, look: Look): Promise<void> {
    const { sizeBytes, mark } = file;
    const seen = this.#seenAt(path, isTextName(file.name));
    // A text that became shorter was written anew.
    if (seen.taken !== undefined && sizeBytes < seen.taken) seen.taken = undefined;
    if (seen.mark === mark && seen.taken === undefined) return;
    try {
      if (seen.taken === undefined) await this.#takeWhole(file, { path, seen, look });
      else {
        const read: GrowingText['read'] = (range) => readBytes(this.#disk, file.path, range);
        await this.#takeText({ path, sizeBytes, read }, look);
        if (seen.taken === sizeBytes) seen.mark = mark;
      }
    } catch {
      // It may be gone, or not ours to read: evidence is what can be had, and the next file may be.
      seen.mark = mark;
      this.#leave(look, { path, bytes: sizeBytes, why: 'unreadable' });
    }
  }

  async #takeWhole(
    file: WorkFile,
    { path, seen, look }: { readonly path: string; readonly seen: Seen; readonly look: Look },
  ): Promise<void> {
    const { sizeBytes } = file;
    const isTooLarge = sizeBytes > this.#limits.fileBytesMax;
    if (!isTooLarge && sizeBytes > look.roomBytes && look.pieces.length > 0) {
      look.isFull = true;
      return;
    }
    seen.mark = file.mark;
    if (isTooLarge || sizeBytes > this.#roomBytes) {
      this.#leave(look, { path, bytes: sizeBytes, why: isTooLarge ? 'too large' : 'too much' });
      return;
    }
    const bytes = await readBytes(this.#disk, file.path, { from: 0, length: sizeBytes });
    const kept = keepFile(bytes, this.#redact);
    if (kept) this.#keep(look, { path, kind: 'file', from: 0, to: bytes.length, bytes: kept });
    else this.#leave(look, { path, bytes: sizeBytes, why: 'secret' });
  }

  async #takeText(text: GrowingText, look: Look): Promise<void> {
    const { path, sizeBytes } = text;
    const seen = this.#seenAt(path, true);
    const from = seen.taken ?? 0;
    const leftBytes = sizeBytes - from;
    if (leftBytes <= 0) return;
    const roomBytes = Math.min(this.#limits.textBytesMax - from, this.#roomBytes);
    if (roomBytes <= 0 || seen.isOver) return this.#takeTail(text, seen, look);
    const length = Math.min(leftBytes, roomBytes, look.roomBytes);
    const bytes = length > 0 ? await text.read({ from, length }) : new Uint8Array();
    const isEnd = bytes.length === leftBytes;
    const piece = keepText(bytes, { isWhole: isEnd && look.isLast, redact: this.#redact });
    if (piece.length > 0) {
      const to = from + piece.length;
      this.#keep(look, { path, kind: 'text', from, to, bytes: piece.kept });
      seen.taken = to;
    }
    // A line that does not fit into what is left of all room never will; one that does not fit into this part fits into the next.
    const isOver = piece.length === 0 && length === roomBytes;
    if (isOver) return this.#takeTail(text, seen, look);
    look.isFull ||= !isEnd && look.pieces.length > 0;
  }

  /** Of a text that is too long its end is kept, too, when nothing more is written: it often says why. */
  async #takeTail(text: GrowingText, seen: Seen, look: Look): Promise<void> {
    const { path, sizeBytes } = text;
    const from = seen.taken ?? 0;
    seen.isOver = true;
    this.#leave(look, { path, bytes: sizeBytes - from, why: 'too much' });
    if (!look.isLast) return;
    const tailFrom = Math.max(from, sizeBytes - this.#limits.tailBytes);
    const tail = await text.read({ from: tailFrom, length: sizeBytes - tailFrom });
    // What stands before the first line may be the end of something that must not be kept.
    const start = tailFrom === from ? from : tailFrom + (tail.indexOf(10) + 1 || tail.length);
    const { kept } = keepText(tail.subarray(start - tailFrom), { isWhole: true, redact: this.#redact });
    this.#cutBytes += start - from;
    this.#keep(look, { path, kind: 'text', from: start, to: sizeBytes, bytes: kept });
    seen.taken = sizeBytes;
  }

  get #roomBytes(): number {
    return this.#limits.attemptBytesMax - this.#keptBytes;
  }

  #seenAt(path: string, isText: boolean): Seen {
    return this.#seen.get(path) ?? this.#see(path, { mark: '', taken: isText ? 0 : undefined });
  }

  #see(path: string, about: Omit<Seen, 'isOver'>): Seen {
    const seen = { ...about, isOver: false };
    this.#seen.set(path, seen);
    return seen;
  }

  #keep(look: Look, piece: EvidencePiece): void {
    this.#keptBytes += piece.bytes.length;
    look.add({ ...piece, path: this.#redact(piece.path) });
  }

  /** Each is said once. */
  #leave(look: Look, { path, bytes, why }: LeftOut): void {
    const name = `${why} ${path}`;
    if (this.#said.has(name)) return;
    this.#said.add(name);
    look.leftOut.push({ path: this.#redact(path), bytes, why });
  }
}

/** One look, and what it found so far. */
class Look {
  readonly pieces: EvidencePiece[] = [];
  readonly leftOut: LeftOut[] = [];
  readonly isLast: boolean;
  isFull = false;
  roomBytes: number;

  constructor(isLast: boolean, roomBytes: number) {
    this.isLast = isLast;
    this.roomBytes = roomBytes;
  }

  add(piece: EvidencePiece): void {
    this.pieces.push(piece);
    this.roomBytes -= piece.bytes.length;
  }
}
