import { type Clock, type Random, shortId } from '../base/index.ts';
import type { BundlePlace } from './bundle.ts';

/** How long a sign of a submit counts: nobody sends a bundle for longer. */
const SUBMIT_MS = 86_400_000;
/** How long that of a collection counts. It removes nothing any more after half of that. */
const COLLECTION_MS = 120_000;
const LOOK_AGAIN_MS = 1_000;

type SignKind = 'submits' | 'collections';

export interface SignPorts {
  readonly clock: Clock;
  readonly random: Random;
  readonly signal?: AbortSignal | undefined;
}

/** One's own sign in the bucket, and what time it is there. */
interface Sign {
  readonly key: string;
  /** By the clock of the bucket. */
  readonly nowMs: () => number;
}

/**
 * Says that somebody is about to submit, and gives what takes that back: called when the submission is in the bucket, or will not be. Until then no
 * collection removes anything of bundles [BUN-15].
 *
 * ### Ordering
 * The sign comes first, then it is looked whether anybody collects, and only when nobody does what bundles there are. A collection looks for
 * submits after its own sign is there: one of the two sees the other.
 */
export async function signSubmit(
  place: BundlePlace,
  { onWait, ...ports }: SignPorts & { readonly onWait?: () => void },
): Promise<() => Promise<void>> {
  const { clock, signal } = ports;
  const sign = await giveSign(place, 'submits', ports);
  const takeBack = () => place.bucket.remove(sign.key);
  try {
    for (let isFirst = true; (await counting(place, 'collections', sign)).length > 0; isFirst = false) {
      if (isFirst) onWait?.();
      await clock.sleep(LOOK_AGAIN_MS, signal);
    }
  } catch (error) {
    await takeBack();
    throw error;
  }
  return takeBack;
}

/** A collection that nobody who submits is in the way of. */
export interface CollectionTurn {
  /** False when its sign will not count for much longer: whoever submits may not wait for it any more. */
  readonly mayRemove: () => boolean;
  readonly end: () => Promise<void>;
}

/** Says that bundles are being collected; undefined when somebody is about to submit: then nothing may be removed [BUN-16]. */
export async function signCollection(
  place: BundlePlace,
  ports: SignPorts,
): Promise<CollectionTurn | undefined> {
  const { clock } = ports;
  const startedMs = clock.monotonicMs();
  const sign = await giveSign(place, 'collections', ports);
  const end = () => place.bucket.remove(sign.key);
  try {
    if ((await counting(place, 'submits', sign)).length === 0)
      return { end, mayRemove: () => clock.monotonicMs() - startedMs < COLLECTION_MS / 2 };
  } catch (error) {
    await end();
    throw error;
  }
  await end();
  return undefined;
}

/** Signs of whoever died: they count no more. Gives their keys. */
export async function deadSigns(place: BundlePlace, nowMs: number): Promise<readonly string[]> {
  const dead: string[] = [];
  for (const kind of ['submits', 'collections'] as const) {
    const all = await signsOf(place, kind);
    dead.push(...all.flatMap(({ key, modifiedMs }) => (nowMs - modifiedMs > countsMs(kind) ? key : [])));
  }
  return dead;
}

async function giveSign(place: BundlePlace, kind: SignKind, { clock, random }: SignPorts): Promise<Sign> {
  const key = `${signsFolder(place, kind)}${shortId(random)}`;
  await place.bucket.create(key, new Uint8Array());
  const stat = await place.bucket.stat(key);
  const givenMs = clock.monotonicMs();
  return { key, nowMs: () => (stat?.modifiedMs ?? 0) + clock.monotonicMs() - givenMs };
}

/** Signs that count, one's own left out. */
async function counting(place: BundlePlace, kind: SignKind, own: Sign): Promise<readonly string[]> {
  const signs = await signsOf(place, kind);
  return signs.flatMap(({ key, modifiedMs }) =>
    key !== own.key && own.nowMs() - modifiedMs <= countsMs(kind) ? key : [],
  );
}

async function signsOf(
  place: BundlePlace,
  kind: SignKind,
): Promise<readonly { readonly key: string; readonly modifiedMs: number }[]> {
  const signs: { readonly key: string; readonly modifiedMs: number }[] = [];
  for await (const { key } of place.bucket.list(signsFolder(place, kind))) {
    const stat = await place.bucket.stat(key);
    if (stat) signs.push({ key, modifiedMs: stat.modifiedMs });
  }
  return signs;
}

function countsMs(kind: SignKind): number {
  return kind === 'submits' ? SUBMIT_MS : COLLECTION_MS;
}

function signsFolder({ prefix }: BundlePlace, kind: SignKind): string {
  return `${prefix}bundles/${kind}/`;
}
