import type { Wrong } from './query.ts';

/** By what rows can be put into order; undefined where a row has none. */
export type SortKey<Item> = (item: Item) => string | number | undefined | null;

export interface SortKeys<Item> {
  readonly keys: Readonly<Record<string, SortKey<Item>>>;
  /** `score.accuracy`: a key by its name after the dot. */
  named?(key: string, name: string): SortKey<Item> | undefined;
}

export interface ParsedSort<Item> {
  readonly order: readonly { readonly of: SortKey<Item>; readonly isDescending: boolean }[];
  readonly wrong?: Wrong;
}

/** `-cost,eval`: by falling cost, and between equals by name. What is no key is left out and told. */
export function parseSort<Item>(sort: string, { keys, named }: SortKeys<Item>): ParsedSort<Item> {
  const order: { of: SortKey<Item>; isDescending: boolean }[] = [];
  let wrong: Wrong | undefined;
  let at = 0;
  for (const part of sort.split(',')) {
    const text = part.trim();
    const [, minus = '', key = '', name] = /^([-+]?)([^.]*)(?:\.(.*))?$/s.exec(text) ?? [];
    const known = key.toLowerCase();
    const of =
      name === undefined ? (Object.hasOwn(keys, known) ? keys[known] : undefined) : named?.(known, name);
    if (of) order.push({ of, isDescending: minus === '-' });
    else if (text !== '' && !wrong)
      wrong = {
        at,
        message: `Nothing can be sorted by "${text}": there are ${Object.keys(keys).join(', ')}.`,
      };
    at += part.length + 1;
  }
  return wrong ? { order, wrong } : { order };
}

/**
 * Puts rows into order: stable, and what has no value comes last in both directions. Each value is looked at once, and texts become
 * ranks, so that a hundred thousand rows are sorted by plain numbers.
 */
export function sortRows<Item>(items: readonly Item[], { order }: ParsedSort<Item>): readonly Item[] {
  if (order.length === 0 || items.length < 2) return items;
  const columns = order.map(({ of, isDescending }) => columnOf(items, of, isDescending));
  const places = new Uint32Array(items.length).map((_, at) => at);
  places.sort((a, b) => {
    for (const column of columns) {
      const one = column[a] as number;
      const other = column[b] as number;
      if (one !== other) return one < other ? -1 : 1;
    }
    return a - b;
  });
  return Array.from(places, (at) => items[at] as Item);
}

/** Above any number that a row has. */
const MISSING = Number.POSITIVE_INFINITY;
const HUGE = Number.MAX_VALUE;

function columnOf<Item>(items: readonly Item[], of: SortKey<Item>, isDescending: boolean): Float64Array {
  const values = items.map(of);
  const rank = ranksOf(values);
  const column = new Float64Array(items.length);
  for (let at = 0; at < values.length; at += 1) {
    const value = values[at];
    const number = typeof value === 'string' ? (rank.get(value) ?? 0) : value;
    if (number === undefined || number === null || Number.isNaN(number)) column[at] = MISSING;
    else column[at] = (isDescending ? -1 : 1) * Math.min(HUGE, Math.max(-HUGE, number));
  }
  return column;
}

/** As people order names: without regard to case, and 10 after 9. */
const NAMES = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

function ranksOf(values: readonly unknown[]): ReadonlyMap<string, number> {
  const texts = [...new Set(values.filter((value) => typeof value === 'string'))];
  // Many different ones are ids, which are in order as they are.
  const sorted = texts.length > RANKED_MAX ? texts.sort() : texts.sort(byName);
  return new Map(sorted.map((text, rank) => [text, rank]));
}

const RANKED_MAX = 20_000;

function byName(a: string, b: string): number {
  const order = NAMES.compare(a, b);
  return order !== 0 ? order : a < b ? -1 : a > b ? 1 : 0;
}
