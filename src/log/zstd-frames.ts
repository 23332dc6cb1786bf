const FRAME_MAGIC = 0xfd2fb528;
const SKIPPABLE_MAGIC = 0x184d2a50;
const DICTIONARY_ID_BYTES = [0, 1, 2, 4];
const CONTENT_SIZE_BYTES = [0, 2, 4, 8];

/**
 * Finds where zstd frames end without decompressing them, because Node's decoder stops after the first frame of a
 * member and stays silent about the rest. Bytes come in any portions.
 */
export class ZstdFrameScanner {
  /** Bytes of a header that is not complete yet. */
  #header: number[] = [];
  #headerBytes = 4;
  #skip = 0;
  #state: 'magic' | 'skippable' | 'descriptor' | 'frame-header' | 'block' | 'checksum' = 'magic';
  #hasChecksum = false;
  #isLastBlock = false;

  /** True between frames: here a member may end. */
  get isBetweenFrames(): boolean {
    return this.#state === 'magic' && this.#header.length === 0 && this.#skip === 0;
  }

  /** How many of these bytes belong to the current frame. Fewer than given means that the frame ends there. */
  push(bytes: Uint8Array): number | 'not-zstd' {
    let at = 0;
    while (at < bytes.length) {
      if (this.#skip > 0) {
        const skipped = Math.min(this.#skip, bytes.length - at);
        this.#skip -= skipped;
        at += skipped;
        if (this.#skip > 0) return at;
        if (this.#isFrameOver()) return this.#startOver(at);
        continue;
      }
      this.#header.push(bytes[at++] as number);
      if (this.#header.length < this.#headerBytes) continue;
      if (!this.#takeHeader()) return 'not-zstd';
      if (this.#skip === 0 && this.#isFrameOver()) return this.#startOver(at);
    }
    return at;
  }

  #isFrameOver(): boolean {
    if (this.#state === 'magic') return true;
    if (this.#state !== 'block' || !this.#isLastBlock) return false;
    if (!this.#hasChecksum) return true;
    this.#state = 'checksum';
    this.#hasChecksum = false;
    this.#headerBytes = 4;
    return false;
  }

  #startOver(at: number): number {
    this.#state = 'magic';
    this.#headerBytes = 4;
    this.#isLastBlock = false;
    return at;
  }

  #takeHeader(): boolean {
    const header = this.#header;
    this.#header = [];
    switch (this.#state) {
      case 'magic':
        return this.#takeMagic(number(header));
      case 'skippable':
        this.#skip = number(header);
        this.#state = 'magic';
        return true;
      case 'descriptor':
        this.#takeDescriptor(header[0] as number);
        return true;
      case 'frame-header':
        this.#state = 'block';
        this.#headerBytes = 3;
        return true;
      case 'block':
        return this.#takeBlock(number(header));
      case 'checksum':
        this.#state = 'magic';
        return true;
    }
  }

  #takeMagic(magic: number): boolean {
    if (magic === FRAME_MAGIC) {
      this.#state = 'descriptor';
      this.#headerBytes = 1;
      this.#isLastBlock = false;
      return true;
    }
    this.#state = 'skippable';
    this.#headerBytes = 4;
    return magic >= SKIPPABLE_MAGIC && magic < SKIPPABLE_MAGIC + 16;
  }

  #takeDescriptor(descriptor: number): void {
    const isSingleSegment = (descriptor & 0x20) !== 0;
    const contentSizeFlag = descriptor >> 6;
    const contentBytes =
      contentSizeFlag === 0 && isSingleSegment ? 1 : (CONTENT_SIZE_BYTES[contentSizeFlag] ?? 0);
    this.#hasChecksum = (descriptor & 0x04) !== 0;
    this.#headerBytes = (isSingleSegment ? 0 : 1) + (DICTIONARY_ID_BYTES[descriptor & 3] ?? 0) + contentBytes;
    this.#state = 'frame-header';
  }

  #takeBlock(header: number): boolean {
    this.#isLastBlock = (header & 1) !== 0;
    const type = (header >> 1) & 3;
    const isRun = type === 1;
    this.#skip = isRun ? 1 : header >> 3;
    return type !== 3;
  }
}

/** Little-endian, any of 1 to 4 bytes. */
function number(bytes: readonly number[]): number {
  return bytes.reduceRight((value, byte) => value * 256 + byte, 0);
}
