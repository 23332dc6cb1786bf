import { DEFAULT_LIMITS, MemberJson } from '../../log/index.ts';
import { amountsColumn } from './columns.ts';
import type { Spool } from './spool.ts';
import type { Stretch } from './spool-file.ts';

/** Where the items of a list lie in its bytes. */
export interface Items {
  readonly length: number;
  at(index: number): Stretch | undefined;
}

const NONE: Items = { length: 0, at: () => undefined };
const SLICE_BYTES = 2 ** 18;

const known = new WeakMap<Spool, Map<string, { readonly start: number; readonly items: Items }>>();

/** The items of a field that is a list, found once; none for any other value. */
export async function itemsOf(spool: Spool, name: string): Promise<Items> {
  const field = spool.owner.field(name);
  if (!field) return NONE;
  const ofSpool = known.get(spool.owner) ?? new Map();
  known.set(spool.owner, ofSpool);
  const before = ofSpool.get(name);
  // A field that says something else now lies elsewhere.
  if (before?.start === field.start) return before.items;
  const items = await findItems(spool.owner, name, field);
  ofSpool.set(name, { start: field.start, items });
  return items;
}

async function findItems(spool: Spool, name: string, field: Stretch): Promise<Items> {
  const json = new MemberJson({
    path: 'the sample',
    member: name,
    sizeBytes: field.sizeBytes,
    open: () => spool.fieldChunks(field),
    limits: DEFAULT_LIMITS,
  });
  const starts = amountsColumn();
  const ends = amountsColumn();
  const decide = (path: readonly unknown[]) => (path.length === 0 ? 'enter' : 'take');
  for await (const pieces of json.splitTogether({ decide, sliceBytes: SLICE_BYTES })) {
    for (const { path, start, end } of pieces) {
      if (typeof path[0] !== 'number') continue;
      if (path[0] === starts.length) {
        starts.push(start);
        ends.push(end);
      } else ends.set(path[0], end);
    }
  }
  return {
    length: starts.length,
    at: (index) =>
      index >= 0 && index < starts.length
        ? { start: starts.at(index), sizeBytes: ends.at(index) - starts.at(index) }
        : undefined,
  };
}
