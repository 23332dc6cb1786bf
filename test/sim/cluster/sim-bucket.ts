import type { Random } from '../../../src/base/index.ts';
import { type Bucket, bucketErrors } from '../../../src/bucket/index.ts';
import type { SimProcess } from './sim-process.ts';
import type { VirtualTime } from './virtual-time.ts';

/** How bad the network between a process and the bucket is. */
export interface BucketWeather {
  /** Of requests: how many never arrive, arrive although an error came back, or arrive long after it did. */
  faultShare: number;
  /** Until when it answers nothing. */
  awayUntilMs: number;
}

/** The cable between one process and the bucket. */
export interface Cable {
  cutUntilMs: number;
}

const LATE_MS = 20_000;

/** The one bucket of the simulation, as one process sees it. */
export function bucketOf(
  process: SimProcess,
  world: {
    readonly bucket: Bucket;
    readonly time: VirtualTime;
    readonly random: Random;
    readonly weather: BucketWeather;
    readonly cable: Cable;
  },
): Bucket {
  const { bucket, time, random, weather, cable } = world;
  const away = (what: string) => bucketErrors.away(bucket.url, new Error(`no answer came to ${what}`));
  const send = <T>(what: string, request: () => Promise<T>): Promise<T> =>
    process.call(async () => {
      if (time.nowMs < Math.max(weather.awayUntilMs, cable.cutUntilMs)) throw away(what);
      if (random.next() >= weather.faultShare) return request();
      const kind = random.next();
      if (kind < 0.4) throw away(what);
      if (kind < 0.7) {
        await request();
        throw away(what);
      }
      time.after(LATE_MS * random.next(), () => void request().catch(() => undefined));
      throw away(what);
    });
  return {
    url: bucket.url,
    create: (key, bytes) => send(`create ${key}`, () => bucket.create(key, bytes)),
    replaceIf: (key, replacement) => send(`replace ${key}`, () => bucket.replaceIf(key, replacement)),
    createFromFile: (key, path) => send(`upload ${key}`, () => bucket.createFromFile(key, path)),
    read: (key) => send(`read ${key}`, () => bucket.read(key)),
    readTagged: (key) => send(`read ${key}`, () => bucket.readTagged(key)),
    readRange: (key, range) => send(`read ${key}`, () => bucket.readRange(key, range)),
    download: (key, path) => send(`download ${key}`, () => bucket.download(key, path)),
    stat: (key) => send(`stat ${key}`, () => bucket.stat(key)),
    async *list(folder, options) {
      yield* await send(`list ${folder}`, () => Array.fromAsync(bucket.list(folder, options)));
    },
    async *listFolder(folder, options) {
      yield* await send(`list ${folder}`, () => Array.fromAsync(bucket.listFolder(folder, options)));
    },
    remove: (key) => send(`remove ${key}`, () => bucket.remove(key)),
    removeAll: (keys) => send('remove', () => bucket.removeAll(keys)),
  };
}
