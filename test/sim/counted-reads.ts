import type { Bucket } from '../../src/bucket/index.ts';
import { withMethods } from './with-methods.ts';

/** A bucket that says which objects were read and listed since it was last asked. */
export function countedReads(bucket: Bucket) {
  let read: string[] = [];
  let listed: string[] = [];
  const found = async <T>(key: string, ask: () => Promise<T | undefined>) => {
    const answer = await ask();
    if (answer !== undefined) read.push(key);
    return answer;
  };
  return {
    bucket: withMethods(bucket, {
      read: (key, signal) => found(key, () => bucket.read(key, signal)),
      readTagged: (key, signal) => found(key, () => bucket.readTagged(key, signal)),
      async *list(folder, options) {
        for await (const entry of bucket.list(folder, options)) {
          listed.push(entry.key);
          yield entry;
        }
      },
    }),
    /** What was there and was read. */
    takeRead: () => read.splice(0),
    takeListed: () => listed.splice(0),
    reset() {
      read = [];
      listed = [];
    },
  };
}
