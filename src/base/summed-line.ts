import { crc32 } from 'node:zlib';

/** The checksum of a text: CRC-32 of its UTF-8, in eight hex digits. */
export function textSum(text: string): string {
  return crc32(text).toString(16).padStart(8, '0');
}

/**
 * A JSON object as a line of its own whose last field is the checksum of the text before it. What became another document by a bit that
 * flipped is told by it; who does not know the field reads the object all the same.
 */
export function summedLine(json: string): string {
  const before = json.slice(0, -1);
  return `${before},"sum":"${textSum(before)}"}\n`;
}

const SUM = /,"sum":"([0-9a-f]{8})"\}\s*$/;

/** False when a line says another checksum than it has. One without any is as good as what it says. */
export function isSumRight(line: string): boolean {
  const found = SUM.exec(line);
  return found === null || found[1] === textSum(line.slice(0, found.index));
}
