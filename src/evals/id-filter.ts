import type { EvalDefinition, SampleRow } from './eval.ts';
import { matchesFilter } from './row.ts';

/** Only the rows with the given ids, of those that another filter leaves. It knows the ids, to say which are not there. */
export interface IdFilter {
  (row: SampleRow): boolean;
  readonly ids: readonly string[];
}

export function idFilter(ids: readonly string[], filter: EvalDefinition['filter']): IdFilter {
  const wanted = new Set(ids);
  const isWanted = (row: SampleRow) => {
    if (!wanted.has(String(row.id))) return false;
    if (filter === undefined) return true;
    return typeof filter === 'function' ? filter(row) : matchesFilter(row, filter);
  };
  return Object.assign(isWanted, { ids });
}

/** The ids that a filter looks for, if it is one that does. */
export function idsWanted(filter: EvalDefinition['filter']): readonly string[] | undefined {
  if (typeof filter !== 'function') return undefined;
  const ids: unknown = Reflect.get(filter, 'ids');
  return Array.isArray(ids) ? ids.map(String) : undefined;
}
