import type { Clock } from '../base/index.ts';
import { isShipped } from './is-shipped.ts';
import { readJournal } from './read-journal.ts';
import { SegmentShipper, type ShipperOptions } from './shipper.ts';
import { writerLiveness } from './writer-liveness.ts';

/**
 * Sends for a writer that is dead what it had written and not sent: it was paid for, and whoever goes on elsewhere finds it only in the bucket.
 * True when the bucket has all of it. The journal stays as it is.
 */
export async function shipDead(
  path: string,
  { clock, ...options }: Pick<ShipperOptions, 'bucket' | 'prefix' | 'onProblem'> & { readonly clock: Clock },
): Promise<boolean> {
  const reader = readJournal(path);
  try {
    // What is damaged is not taken for all that there is: whoever recovers it sees to that.
    if (writerLiveness(reader) !== 'dead' || reader.damage().sentences.length > 0) return false;
    if (isShipped(reader)) return true;
    let failure: unknown;
    const journal = {
      ...{ reader, clock, run: reader.run(), record: reader.writer(), bytesWritten: 0 },
      get failure() {
        return failure;
      },
      fail: (error: unknown) => {
        failure = error;
      },
      // Nobody writes here any more: the next who asks compares with the bucket once more.
      recordShipped: () => undefined,
    };
    return await new SegmentShipper(journal, options).finish();
  } finally {
    reader.close();
  }
}
