/** How many rows are asked for at once. */
export const PAGE_SIZE = 200;

export interface PageRange {
  readonly first: number;
  readonly last: number;
}

/** The offsets of the pages that hold the rows that are seen, and two screens before and after them. */
export function pagesFor({ first, last }: PageRange, total: number, pageSize: number): readonly number[] {
  const screen = Math.max(1, last - first + 1);
  const from = Math.max(0, first - 2 * screen);
  const to = Math.min(Math.max(0, total - 1), last + 2 * screen);
  const offsets = [];
  for (let page = Math.floor(from / pageSize); page <= Math.floor(to / pageSize); page += 1)
    offsets.push(page * pageSize);
  return offsets;
}

export function placeOf(
  index: number,
  pageSize: number,
): { readonly offset: number; readonly within: number } {
  const within = index % pageSize;
  return { offset: index - within, within };
}
