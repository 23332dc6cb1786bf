import { promisify } from 'node:util';
import { deflateRaw } from 'node:zlib';

const compress = promisify(deflateRaw);

/**
 * A chunk as a classic script, which is all that a browser loads from `file://` [EXP-2]: one call with two strings. The text is compressed,
 * and in base64: so it has no letter that could end a string, a line or a script.
 */
export async function scriptChunk(key: string, text: string): Promise<string> {
  const packed = await compress(text);
  return `holdfastChunk(${JSON.stringify(key)},"${packed.toString('base64')}");\n`;
}
