import { DamageError, definedOf, inOrder, type Random, shortId } from '../base/index.ts';
import { orDamage } from './damage.ts';
import { beatPrefix, type SharedPlace } from './shared-keys.ts';
import { type Beat, decodeShared, SHARED_VERSION } from './shared-records.ts';
import { SILENCE_MS } from './signs-of-life.ts';

const READS_AT_A_TIME = 32;

/** `unknown`: nobody can tell what time it is in the bucket. That is not dead. */
export type WorkerState = 'live' | 'silent' | 'ended' | 'unknown';

export interface SeenWorker {
  readonly worker: string;
  readonly host?: string | undefined;
  readonly state: WorkerState;
  readonly slots: number;
  /** Since its last sign of life, by the clock of the bucket; null where that cannot be told. */
  readonly silentMs: number | null;
  readonly busy: Beat['busy'];
  readonly refuses: NonNullable<Beat['refuses']>;
  /** Why its sign of life tells nothing but how old it is. */
  readonly problem?: string;
}

export interface SeenWorkers {
  readonly workers: readonly SeenWorker[];
  /** What time it is in the bucket; undefined when it cannot be told. */
  readonly nowMs: number | undefined;
  /** By workers, how far their clocks are ahead of that of the bucket: their last signs of life have the time of both. */
  readonly aheadMs?: ReadonlyMap<string, number>;
}

/** How long ago it was what a worker wrote down by its own clock, by that of the bucket; null where it cannot be told. */
export function ageOf(
  { nowMs, aheadMs }: SeenWorkers,
  { worker, at }: { readonly worker: string; readonly at: string },
): number | null {
  const ahead = aheadMs?.get(worker);
  if (nowMs === undefined || ahead === undefined) return null;
  return Math.max(0, nowMs + ahead - Date.parse(at));
}

/** All workers of a bucket, as their last signs of life tell [SHR-6]. */
export function seeWorkers(place: SharedPlace, ports: { readonly random: Random }): Promise<SeenWorkers> {
  return new WorkersWatch(place, ports).look();
}

/** Silent for so long, a worker is hardly coming back: it is looked at with every tenth look. */
const GONE_MS = 60_000;
const GONE_LOOKS = 10;

/** Looks at all workers of a bucket again and again. Of those that are gone there is little news, and with time they are most. */
export class WorkersWatch {
  readonly #place: SharedPlace;
  readonly #random: Random;
  /** By keys, those that said that nothing follows, and those that have been silent for long. */
  #gone = new Map<string, SeenBeat>();
  #looks = 0;

  constructor(place: SharedPlace, { random }: { readonly random: Random }) {
    this.#place = place;
    this.#random = random;
  }

  async look(): Promise<SeenWorkers> {
    const place = this.#place;
    const keys: string[] = [];
    for await (const { key } of place.bucket.list(beatPrefix(place.prefix))) keys.push(key);
    const isThorough = this.#looks++ % GONE_LOOKS === 0;
    const known = (key: string) => {
      const gone = this.#gone.get(key);
      return gone && (gone.beat.isEnded || !isThorough) ? gone : undefined;
    };
    // Of a thousand workers, one after the other would take longer than the silence that is allowed.
    const work = async (key: string) => ({ key, one: known(key) ?? (await readBeat(place, key)) });
    const beats = new Map<string, SeenBeat>();
    for await (const { key, one } of inOrder(keys, { atATime: READS_AT_A_TIME, work }))
      if (one) beats.set(key, one);
    const isAnyoneAlive = [...beats.values()].some(({ beat }) => !beat.isEnded);
    const nowMs = isAnyoneAlive ? await bucketNowMs(place, { random: this.#random }) : undefined;
    this.#gone = new Map([...beats].filter(([, one]) => isGone(one, nowMs)));
    const all = [...beats.values()];
    return { nowMs, workers: all.map((one) => seen(one, nowMs)), aheadMs: new Map(all.flatMap(aheadOf)) };
  }
}

function isGone({ beat, modifiedMs }: SeenBeat, nowMs: number | undefined): boolean {
  return beat.isEnded || (nowMs !== undefined && nowMs - modifiedMs > GONE_MS);
}

interface SeenBeat {
  readonly beat: Beat;
  /** By the clock of the bucket. */
  readonly modifiedMs: number;
  readonly problem?: string;
}

/** Undefined when it is gone by now. */
async function readBeat({ bucket, prefix }: SharedPlace, key: string): Promise<SeenBeat | undefined> {
  const bytes = await bucket.read(key);
  const stat = bytes && (await bucket.stat(key));
  if (!bytes || !stat) return undefined;
  const beat = orDamage(() => decodeShared('beat', bytes, key));
  const { modifiedMs } = stat;
  if (!(beat instanceof DamageError)) return { beat, modifiedMs };
  return { beat: unreadBeat(key.slice(beatPrefix(prefix).length)), modifiedMs, problem: beat.message };
}

/** Nothing of one that cannot be read. */
function aheadOf({ beat, modifiedMs }: SeenBeat): readonly (readonly [worker: string, aheadMs: number])[] {
  const aheadMs = Date.parse(beat.at) - modifiedMs;
  return Number.isNaN(aheadMs) ? [] : [[beat.worker, aheadMs]];
}

/** Only its name is known: how long ago it was heard the bucket tells [SHR-24]. */
function unreadBeat(worker: string): Beat {
  const nothing = { n: 1, at: '', slots: 0, busy: [], isEnded: false };
  return { format: 'holdfast-beat', version: SHARED_VERSION, worker, ...nothing };
}

function seen({ beat, modifiedMs, problem }: SeenBeat, nowMs: number | undefined): SeenWorker {
  const { worker, host, slots, busy, refuses = [], isEnded } = beat;
  const silentMs = nowMs === undefined ? null : Math.max(0, nowMs - modifiedMs);
  const state = isEnded ? 'ended' : stateOf(silentMs);
  // What one that went could not work on says nothing of who is there now.
  const isGoneNow = state === 'ended' || state === 'silent';
  return {
    worker,
    host,
    slots,
    busy,
    refuses: isGoneNow ? [] : refuses,
    silentMs,
    state,
    ...definedOf({ problem }),
  };
}

function stateOf(silentMs: number | null): WorkerState {
  if (silentMs === null) return 'unknown';
  return silentMs > SILENCE_MS ? 'silent' : 'live';
}

/** Clocks of machines are not compared with that of the bucket: an object is made, and the bucket says when. Undefined where nothing may be written. */
export async function bucketNowMs(
  { bucket, prefix }: SharedPlace,
  { random }: { readonly random: Random },
): Promise<number | undefined> {
  const key = `${prefix}clock/${shortId(random)}`;
  try {
    await bucket.create(key, new Uint8Array());
    const stat = await bucket.stat(key);
    await bucket.remove(key);
    return stat?.modifiedMs;
  } catch {
    return undefined; // Whoever may only read cannot tell the time, and says so.
  }
}
