import type { Breath } from '../breath.ts';
import { isInBytes, latin1Of, type Needle } from './needle.ts';

/** Searched at once: a millisecond's work, or less. */
const SLICE_BYTES = 2 ** 20;

/** Whether bytes of JSON may contain a text; when not, they surely do not. No more is read than up to the first place. */
export async function mayContain(
  chunks: AsyncIterable<Uint8Array>,
  needle: Needle,
  breath: Breath,
): Promise<boolean> {
  let end = '';
  for await (const chunk of chunks) {
    // It may have just been made of much less.
    await breath.take();
    for (let from = 0; from < chunk.length; from += SLICE_BYTES) {
      const latin1 = end + latin1Of(chunk.subarray(from, from + SLICE_BYTES));
      if (isInBytes(needle, latin1)) return true;
      end = needle.sizeBytesMax > 1 ? latin1.slice(1 - needle.sizeBytesMax) : '';
      await breath.take();
    }
  }
  return false;
}
