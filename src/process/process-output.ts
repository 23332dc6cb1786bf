import { isUtf8 } from 'node:buffer';
import type { Disk, DiskFile } from '../disk/index.ts';

/** What a process wrote, as far as it is kept in memory. */
export interface ProcessText {
  readonly text: string;
  /** Of the whole file. */
  readonly sizeBytes: number;
  /** How many bytes in the middle are not in `text`. */
  readonly leftOutBytes: number;
  /** The bytes were not all UTF-8; what was not is shown as U+FFFD. */
  readonly wasRepaired: boolean;
}

/** Reads at most `bytesMax` of a file: all of it, or its beginning and its end with a line that says what is missing. */
export async function readProcessText(disk: Disk, path: string, bytesMax: number): Promise<ProcessText> {
  await using file = await disk.open(path, 'read');
  const sizeBytes = await file.sizeBytes();
  if (sizeBytes <= bytesMax) {
    const bytes = await readRange(file, 0, sizeBytes);
    return { text: decode(bytes), sizeBytes, leftOutBytes: 0, wasRepaired: !isUtf8(bytes) };
  }
  const half = Math.floor(bytesMax / 2);
  const head = trimEnd(await readRange(file, 0, half));
  const tail = trimStart(await readRange(file, sizeBytes - half, half));
  const leftOutBytes = sizeBytes - head.length - tail.length;
  return {
    text: `${decode(head)}\n[… ${leftOutBytes} bytes left out; the whole text is in ${path} …]\n${decode(tail)}`,
    sizeBytes,
    leftOutBytes,
    wasRepaired: !isUtf8(head) || !isUtf8(tail),
  };
}

/** The last part of a file, for error messages. */
export async function readTail(disk: Disk, path: string, bytesMax: number): Promise<string> {
  await using file = await disk.open(path, 'read');
  const sizeBytes = await file.sizeBytes();
  const from = Math.max(0, sizeBytes - bytesMax);
  const bytes = await readRange(file, from, sizeBytes - from);
  return decode(from > 0 ? trimStart(bytes) : bytes).trim();
}

const CHUNK_BYTES = 1 << 20;

/** The lines of a file, one after the other; a line longer than `bytesMax` is skipped, never held. */
export async function* readLines(disk: Disk, path: string, bytesMax: number): AsyncGenerator<string> {
  await using file = await disk.open(path, 'read');
  const chunk = new Uint8Array(CHUNK_BYTES);
  let line: Uint8Array[] = [];
  let lineBytes = 0;
  const flush = () => {
    const text = lineBytes <= bytesMax ? decode(Buffer.concat(line)) : undefined;
    line = [];
    lineBytes = 0;
    return text;
  };
  for (let position = 0; ; ) {
    const count = await file.read(chunk, position);
    if (count === 0) break;
    position += count;
    let from = 0;
    for (let at = chunk.indexOf(10, 0); at >= 0 && at < count; at = chunk.indexOf(10, from)) {
      lineBytes += at - from;
      if (lineBytes <= bytesMax) line.push(chunk.slice(from, at));
      from = at + 1;
      const text = flush();
      if (text !== undefined) yield text;
    }
    lineBytes += count - from;
    if (lineBytes <= bytesMax) line.push(chunk.slice(from, count));
    else line = [];
  }
  const text = flush();
  if (text) yield text;
}

async function readRange(file: DiskFile, position: number, length: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(length);
  const count = await file.read(bytes, position);
  return count === length ? bytes : bytes.subarray(0, count);
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

/** A cut may go through a character: what is left of it at the end is dropped. */
function trimEnd(bytes: Uint8Array): Uint8Array {
  for (let back = 1; back <= 4 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back] as number;
    if (byte < 0x80) return bytes;
    if (byte >= 0xc0) {
      const needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
      return needed > back ? bytes.subarray(0, bytes.length - back) : bytes;
    }
  }
  return bytes;
}

function trimStart(bytes: Uint8Array): Uint8Array {
  let from = 0;
  while (from < 3 && from < bytes.length && ((bytes[from] as number) & 0xc0) === 0x80) from++;
  return bytes.subarray(from);
}
