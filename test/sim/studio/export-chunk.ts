import { inflateRawSync } from 'node:zlib';

/** The text that a file of data of an export holds. */
export function textOfChunk(script: string): string {
  const [, , packed = ''] = /^holdfastChunk\("(\w+)","([A-Za-z0-9+/=]*)"\);\n$/.exec(script) ?? [];
  return inflateRawSync(Buffer.from(packed, 'base64')).toString('utf8');
}
