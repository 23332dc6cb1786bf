/** Everything that may happen when some act at once: each order of their steps is tried. */
import type { Bucket, ListOptions } from '../../src/bucket/index.ts';
import { withMethods } from './with-methods.ts';

/** Waits until it is the caller's turn. */
export type Step = () => Promise<void>;

export interface Turns {
  readonly step: Step;
  /** The same for whoever waits for others: there is no turn before another had one, or all others are done. */
  readonly rest: Step;
}

export type Actor = (turns: Turns) => Promise<unknown>;

export interface Scene {
  readonly actors: readonly Actor[];
  /** Looks at what came of it. */
  readonly check: () => Promise<void>;
}

interface Waiting {
  readonly actor: number;
  readonly go: () => void;
  /** How many turns others must have had. */
  readonly since: number | undefined;
}

/**
 * Plays the scene in every order there is, or in every one in which the turn goes over to another at most so many times. A failed check names
 * the order. Gives how many there were.
 */
export async function everyOrder(
  setUp: () => Promise<Scene>,
  switchesMax = Number.POSITIVE_INFINITY,
): Promise<number> {
  let order: number[] = [];
  for (let tried = 1; ; tried++) {
    const { turns, failure } = await play(await setUp(), { order, switchesMax });
    if (failure)
      throw new Error(`in the order ${turns.map(({ actor }) => actor).join('')}`, { cause: failure });
    while (turns.length > 0 && !hasOther(turns.at(-1))) turns.pop();
    const last = turns.pop();
    if (!last) return tried;
    order = [...turns.map(({ choice }) => choice), last.choice + 1];
  }
}

interface Turn {
  readonly actor: number;
  readonly choice: number;
  readonly choices: number;
}

function switchesIn(turns: readonly Turn[]): number {
  return turns.filter(({ actor }, i) => i > 0 && turns[i - 1]?.actor !== actor).length;
}

function hasOther(turn: Turn | undefined): boolean {
  return turn !== undefined && turn.choice + 1 < turn.choices;
}

async function play(
  { actors, check }: Scene,
  { order, switchesMax }: { readonly order: readonly number[]; readonly switchesMax: number },
): Promise<{ readonly turns: Turn[]; readonly failure: unknown }> {
  const turns: Turn[] = [];
  const waiting = new Set<Waiting>();
  const acting = new Set(actors.keys());
  const wait = (actor: number, since?: number) =>
    new Promise<void>((go) => void waiting.add({ actor, go, since }));
  const turnsOfOthers = (actor: number) => turns.filter((turn) => turn.actor !== actor).length;
  const ends = actors.map((act, actor) =>
    act({ step: () => wait(actor), rest: () => wait(actor, turnsOfOthers(actor)) }).finally(() =>
      acting.delete(actor),
    ),
  );
  const all = Promise.allSettled(ends);
  for (await allWait(); acting.size > 0; await allWait()) {
    const able = [...waiting].filter(
      ({ actor, since }) => since === undefined || acting.size === 1 || turnsOfOthers(actor) > since,
    );
    const same = able.filter(({ actor }) => actor === turns.at(-1)?.actor);
    // Whoever had the last turn comes first: the first order is one after the other.
    const others = same.length > 0 && switchesIn(turns) >= switchesMax ? [] : able;
    const ready = [...new Set([...same, ...others])];
    const choice = order[turns.length] ?? 0;
    const next = ready[choice];
    if (!next) throw new Error(`nobody can go on, after ${turns.length} turns`);
    waiting.delete(next);
    turns.push({ actor: next.actor, choice, choices: ready.length });
    next.go();
  }
  const failed = (await all).find((end) => end.status === 'rejected');
  try {
    if (failed) throw failed.reason;
    await check();
    return { turns, failure: undefined };
  } catch (failure) {
    return { turns, failure: failure ?? new Error('undefined was thrown') };
  }
}

/** What is done between two steps needs no more than this: buckets in memory answer at once. */
function allWait(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}

/** A bucket that takes a step before each request that is meant: what it was asked, and the key. Objects are removed one by one. */
export function steppedBucket(
  bucket: Bucket,
  step: Step,
  isMeant: (what: string, key: string) => boolean = () => true,
): Bucket {
  const before = async (what: string, key: string) => {
    if (isMeant(what, key)) await step();
  };
  async function* listed<T>(
    what: 'list' | 'listFolder',
    [folder, options]: readonly [string, ListOptions | undefined],
    list: (folder: string, options?: ListOptions) => AsyncIterable<T>,
  ): AsyncIterable<T> {
    await before(what, folder);
    yield* list(folder, options);
  }
  const remove = async (key: string) => {
    await before('remove', key);
    await bucket.remove(key);
  };
  return withMethods(bucket, {
    create: async (key, bytes) => {
      await before('create', key);
      return await bucket.create(key, bytes);
    },
    createFromFile: async (key, path) => {
      await before('create', key);
      return await bucket.createFromFile(key, path);
    },
    read: async (key) => {
      await before('read', key);
      return await bucket.read(key);
    },
    stat: async (key) => {
      await before('stat', key);
      return await bucket.stat(key);
    },
    list: (folder, options) => listed('list', [folder, options], bucket.list),
    listFolder: (folder, options) => listed('listFolder', [folder, options], bucket.listFolder),
    remove,
    removeAll: async (keys) => {
      for (const key of keys) await remove(key);
    },
  });
}
