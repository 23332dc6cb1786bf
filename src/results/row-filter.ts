import { isCutOf, type RunRow } from './run-row.ts';

/** Which runs of a list are meant. */
export interface RunFilter {
  readonly eval?: string;
  readonly target?: string;
  readonly experiment?: string;
  readonly tag?: string;
  readonly status?: string;
  /** Only runs that began then or later, in milliseconds. */
  readonly sinceMs?: number;
  /** Also runs that were removed, which are hidden otherwise. */
  readonly withRemoved?: boolean;
}

/** By what the row says, where a long name may be cut; when a run began is seen from its id. */
export function matchesFilter(
  row: Pick<RunRow, 'eval' | 'target' | 'experiment' | 'status' | 'tags' | 'isCut'>,
  { eval: name, target, experiment, tag, status }: RunFilter,
): boolean {
  const is = (text: string | undefined, wanted: string | undefined) =>
    wanted === undefined ||
    text === wanted ||
    (row.isCut === true && text !== undefined && isCutOf(text, wanted));
  return (
    is(row.eval, name) &&
    is(row.target, target) &&
    is(row.experiment, experiment) &&
    (status === undefined || row.status === status) &&
    (tag === undefined || row.tags.includes(tag))
  );
}

/** A run that cannot be read is shown unless something is asked for that only its row could say. */
export function isFiltering({ eval: name, target, experiment, tag, status }: RunFilter): boolean {
  return [name, target, experiment, tag, status].some((wanted) => wanted !== undefined);
}
