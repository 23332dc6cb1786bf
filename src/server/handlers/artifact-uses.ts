import { pinsIn } from '../../artifacts/index.ts';
import { ActionableError, inOrder } from '../../base/index.ts';
import type { ArtifactUses, RunItem } from '../api.ts';
import type { Call } from '../call.ts';
import type { Studio } from '../studio.ts';
import { cacheOf, findRecipe } from './artifacts.ts';

/** So many runs are looked into, the newest: each log has to be opened for it. */
const LOOKED_MAX = 200;
const OPEN_AT_A_TIME = 4;

type Pinned = readonly { readonly digest: string; readonly generation: string }[];

/** What finished runs pinned does not change: it is read once. */
const known = new WeakMap<Studio, Map<string, Pinned>>();

/** Which runs used generations of a recipe, as far as the logs here say. */
export async function artifactUses(call: Call<'artifactUses'>): Promise<ArtifactUses> {
  const { studio, params, signal } = call;
  const { recipe } = findRecipe(await cacheOf(studio).look(), params.recipe ?? '');
  const own = new Set((recipe?.generations ?? []).map(({ manifest }): string => manifest.digest));
  await studio.index.begun(signal);
  const items = studio.index.items();
  const looked = items.slice(0, LOOKED_MAX);
  const runs: ArtifactUses['runs'] = [];
  let unread = 0;
  const reads = inOrder(looked, {
    atATime: OPEN_AT_A_TIME,
    work: async (item) => ({ item, pins: signal.aborted ? undefined : await pinsOf(studio, item) }),
  });
  for await (const { item, pins } of reads) {
    signal.throwIfAborted();
    if (!pins) unread++;
    for (const { digest, generation } of pins ?? []) {
      if (!own.has(digest)) continue;
      const { eval: name = item.name, target = '', start = '' } = item.facts ?? {};
      runs.push({ run: item.run, eval: name, target, start, generation, digest });
    }
  }
  return { runs, looked: looked.length, of: items.length, unread };
}

/** Undefined when it cannot be read. */
async function pinsOf(studio: Studio, item: RunItem): Promise<Pinned | undefined> {
  const read = known.get(studio) ?? new Map<string, Pinned>();
  known.set(studio, read);
  const name = `${item.run} ${item.form} ${item.facts?.end ?? ''}`;
  const before = read.get(name);
  if (before) return before;
  if (item.damage !== undefined) return undefined;
  try {
    await using open = await studio.open(item.run);
    const { eval: spec } = await open.reader.header();
    const pins = pinsIn(spec.metadata).map(({ digest, generation }) => ({ digest, generation }));
    if (open.version !== undefined) read.set(name, pins);
    return pins;
  } catch (error) {
    if (!(error instanceof ActionableError)) throw error;
    return undefined;
  }
}
