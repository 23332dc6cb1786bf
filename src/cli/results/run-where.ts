import { UsageError } from '../../base/index.ts';
import { type ListPage, listAll, listItemOf, type RunInForms, type RunSource } from '../../sources/index.ts';
import { compileRunQuery, parseRunSort, sortRuns } from '../../views/index.ts';
import { wrongFilter } from '../wrong-filter.ts';

export interface WhereFlags {
  readonly where?: string;
  readonly sort?: string;
  readonly cursor?: string;
}

type ListOptions = Parameters<typeof listAll>[1];

/**
 * A list by the language of the Studio. A filter is applied while the list is read, so pages go on as ever; to sort it, all of it
 * is read.
 */
export async function listWhere(
  sources: readonly RunSource[],
  { where, sort, cursor }: WhereFlags,
  { nowMs, ...options }: ListOptions & { readonly nowMs: number },
): Promise<ListPage> {
  const filter = where === undefined ? undefined : filterOf(where, nowMs);
  const asked = filter ? { ...options, ...filter(options) } : options;
  if (sort === undefined) return listAll(sources, asked);
  const { wrong } = parseRunSort(sort);
  if (wrong) throw wrongFilter('sort', sort, wrong);
  if (cursor !== undefined) throw sortedFromCursor();
  const all = await listAll(sources, { ...asked, limit: Number.MAX_SAFE_INTEGER });
  return { runs: sorted(all.runs, sort).slice(0, options.limit), problems: all.problems };
}

/** Runs that were removed are the filter's own affair. */
function filterOf(where: string, nowMs: number) {
  const { matches, asksForRemoved, wrong } = compileRunQuery(where, { nowMs });
  if (wrong) throw wrongFilter('where', where, wrong);
  return ({ withRemoved = false }: ListOptions) => ({
    withRemoved: withRemoved || asksForRemoved,
    where: (listed: RunInForms) => {
      const item = listItemOf(listed);
      return matches(withRemoved ? { ...item, removed: false } : item);
    },
  });
}

function sorted(runs: readonly RunInForms[], sort: string): readonly RunInForms[] {
  const byId = new Map<string, RunInForms>(runs.map((listed) => [listed.run, listed]));
  return sortRuns(runs.map(listItemOf), sort).flatMap(({ run }) => byId.get(run) ?? []);
}

function sortedFromCursor(): UsageError {
  return new UsageError({
    code: 'E_FILTER',
    message: 'A list that is sorted has no pages, so --cursor cannot go on with it.',
    hint: 'Leave one of them out, or take more with --limit.',
  });
}
