import { shownOf } from '../sources/index.ts';
import type { RunItem } from './api.ts';

/**
 * One row of all forms of a run: that which is shown, with what people said of the published one. Undefined when there is none.
 */
export function mergeItems(items: readonly RunItem[]): RunItem | undefined {
  if (items.length < 2) return items[0];
  const { shown } = shownOf(items, ({ form, facts }) => ({ form, end: facts?.end }));
  const published = items.find(({ form, facts }) => form === 'published' && facts);
  if (!published || shown === published) return shown;
  const merged: RunItem = { ...shown };
  if (shown.facts && published.facts) merged.facts = { ...shown.facts, tags: published.facts.tags };
  if (published.notes !== undefined) merged.notes = published.notes;
  if (published.removed !== undefined) merged.removed = published.removed;
  return merged;
}

/** Puts lists that are newest first together, so that ids which are in several come once. */
export function mergeIds(lists: readonly (readonly string[])[]): readonly string[] {
  const [only] = lists;
  if (lists.length < 2) return only ?? [];
  const places = lists.map(() => 0);
  const merged: string[] = [];
  for (;;) {
    let newest: string | undefined;
    for (const [n, list] of lists.entries()) {
      const id = list[places[n] ?? 0];
      if (id !== undefined && (newest === undefined || id > newest)) newest = id;
    }
    if (newest === undefined) return merged;
    merged.push(newest);
    for (const [n, list] of lists.entries()) {
      const at = places[n] ?? 0;
      if (list[at] === newest) places[n] = at + 1;
    }
  }
}
