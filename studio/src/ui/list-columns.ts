import type { FittedColumn } from './fit-columns.ts';

/** A column of a list that the server sorts. */
export interface ListColumn extends FittedColumn {
  readonly label: string;
  readonly about?: string;
  readonly align?: 'right';
  /** What the server sorts by; absent where nothing can be. */
  readonly sort?: string;
  /** A first click sorts from the greatest. */
  readonly isFalling?: boolean;
}

/** How a click on the head of a column sorts, after what is sorted now: one way, the other, not at all. */
export function nextSort({ sort, isFalling }: ListColumn, now: string): string {
  if (sort === undefined) return now;
  const first = isFalling === true ? `-${sort}` : sort;
  const second = isFalling === true ? sort : `-${sort}`;
  return now === first ? second : now === second ? '' : first;
}

export function sortedBy({ sort }: ListColumn, now: string): 'up' | 'down' | undefined {
  const [first = ''] = now.split(',');
  if (sort === undefined || first.replace(/^-/, '') !== sort) return undefined;
  return first.startsWith('-') ? 'down' : 'up';
}
