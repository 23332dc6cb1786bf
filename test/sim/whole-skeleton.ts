import type { Skeleton } from '../../src/server/api.ts';
import { skeleton } from '../../src/server/handlers/transcript.ts';
import type { Studio } from '../../src/server/studio.ts';
import { ask } from './studio-of-logs.ts';

/** All parts of a skeleton as one, as a browser puts them together: however long it takes to read the sample. */
export async function wholeSkeleton(
  studio: Studio,
  params: Readonly<Record<string, string>>,
  query: { readonly attempt?: number; readonly limit?: number } = {},
): Promise<Skeleton> {
  let whole: Skeleton | undefined;
  for (;;) {
    const from: number = whole?.columns.kind.length ?? 0;
    const part = await ask(studio, 'skeleton', skeleton, { params, query: { ...query, from } });
    whole = whole ? joined(whole, part) : part;
    // Of a sample under way all that there is now.
    if ((part.isWhole || part.progress >= 1) && whole.columns.kind.length >= part.known) return whole;
  }
}

function joined(before: Skeleton, part: Skeleton): Skeleton {
  const names = Object.keys(before.columns) as (keyof Skeleton['columns'])[];
  const columns = Object.fromEntries(
    names.map((name) => [name, [...before.columns[name], ...part.columns[name]]]),
  );
  return {
    ...part,
    from: 0,
    kindsFrom: 0,
    lanesFrom: 0,
    kinds: [...before.kinds.slice(0, part.kindsFrom), ...part.kinds],
    lanes: [...before.lanes.slice(0, part.lanesFrom), ...part.lanes],
    columns: columns as Skeleton['columns'],
  };
}
