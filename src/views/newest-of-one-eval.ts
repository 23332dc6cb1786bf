import type { RunItem } from '../server/api.ts';

/** The newest runs of the eval of the newest, oldest first: a sample of one eval is no sample of another, although it may have the same id. */
export function newestOfOneEval(items: readonly RunItem[], limit: number): readonly string[] {
  const readable = items.filter(({ facts }) => facts !== undefined);
  const name = readable[0]?.facts?.eval;
  const ofOne = readable.filter(({ facts }) => facts?.eval === name);
  return ofOne
    .slice(0, limit)
    .map(({ run }) => run)
    .reverse();
}
