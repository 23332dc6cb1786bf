import type { Random } from '../../../src/base/index.ts';
import type { Bucket } from '../../../src/bucket/index.ts';
import type { VirtualTime } from './virtual-time.ts';

/** When a record was damaged, and when it was whole again, if it was. */
export interface Tear {
  readonly atMs: number;
  readonly restoredAtMs?: number;
}

interface TearsWorld {
  readonly time: VirtualTime;
  readonly random: Random;
  /** Nothing is damaged after this. */
  readonly endMs: number;
  readonly note: (what: string) => void;
}

/** In so many of all seeds records of leases are damaged. */
const SHARE = 0.2;
const RESTORED_SHARE = 0.3;

/** Damages records of leases behind the back of everybody, and puts some of them right again. */
export class Tears {
  readonly #bucket: Bucket;
  readonly #world: TearsWorld;
  readonly #torn = new Map<string, Tear>();

  constructor(bucket: Bucket, world: TearsWorld) {
    this.#bucket = bucket;
    this.#world = world;
  }

  get torn(): ReadonlyMap<string, Tear> {
    return this.#torn;
  }

  plan(keys: () => readonly string[]): void {
    const { time, random, endMs } = this.#world;
    if (random.next() >= SHARE) return;
    const count = 1 + Math.floor(3 * random.next());
    for (let at = 0; at < count; at++) time.after(random.next() ** 2 * endMs, () => void this.#tear(keys()));
  }

  async #tear(keys: readonly string[]): Promise<void> {
    const { time, random, endMs, note } = this.#world;
    const leases = keys.filter((key) => /\.(begun|ended)$/.test(key) && !this.#torn.has(key));
    const key = leases[Math.floor(random.next() * leases.length)];
    const share = random.next();
    const [isRestored, inMs] = [random.next() < RESTORED_SHARE, random.next() * endMs];
    const whole = key === undefined ? undefined : await this.#bucket.read(key);
    if (key === undefined || !whole) return;
    note(`tear ${key}`);
    const atMs = time.nowMs;
    this.#torn.set(key, { atMs });
    await this.#put(key, whole.slice(0, Math.floor(share * (whole.length - 1))));
    if (!isRestored) return;
    time.after(inMs, () => {
      note(`restore ${key}`);
      this.#torn.set(key, { atMs, restoredAtMs: time.nowMs });
      void this.#put(key, whole);
    });
  }

  async #put(key: string, bytes: Uint8Array): Promise<void> {
    const { etag = '' } = (await this.#bucket.readTagged(key)) ?? {};
    await this.#bucket.replaceIf(key, { bytes, etag });
  }
}
