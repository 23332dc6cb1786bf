import { type RunId, UsageError } from '../base/index.ts';

const CANDIDATES_MAX = 10;

/** By the whole id, its beginning, or the beginning of its random part, which is what people copy. */
export function isNamedBy(run: RunId, given: string): boolean {
  return run.startsWith(given) || run.slice(run.indexOf('-') + 1).startsWith(given);
}

/** The day, as folders of results are called, that the beginning of an id tells; E_RUN_ID for what can be none. */
export function dayIn(given: string): string | undefined {
  if (!isIdLike(given)) throw noRunId(given);
  return /^(\d{4})(\d\d)(\d\d)(?:T|$)/.exec(given)?.slice(1).join('-');
}

/** The one run that is meant: the one with this very id, else the only candidate. */
export function chooseRun(given: string, found: readonly RunId[]): RunId {
  // A run may be there several times: as two copies of its log, or as a torn one and a whole one.
  const candidates = [...new Set(found)];
  const exact = candidates.find((run) => run === given);
  const [first, ...others] = candidates;
  if (exact) return exact;
  if (!first) throw unknownRun(given);
  if (others.length > 0) throw ambiguous(given, candidates);
  return first;
}

/** What can be no id is told as such, by whichever command. */
export function unknownRun(given: string): UsageError {
  if (!isIdLike(given) && !/\.(eval|json)$|::/.test(given)) return noRunId(given);
  return new UsageError({
    code: 'E_RUN_UNKNOWN',
    message: `No run has the id ${given}.`,
    hint: '"holdfast results list" shows what is there.',
  });
}

/** A run that was archived is shown by naming the branch that keeps it. */
export function archivedRun(
  run: RunId,
  { branch, before }: { readonly branch: string; readonly before: string },
): UsageError {
  return new UsageError({
    code: 'E_RUN_ARCHIVED',
    message: `Run ${run} is archived: runs before ${before} are kept in the branch ${branch}.`,
    hint: `Name it with --branch ${branch}.`,
  });
}

function isIdLike(given: string): boolean {
  return /^[0-9A-Za-z-]+$/.test(given);
}

function noRunId(given: string): UsageError {
  return new UsageError({
    code: 'E_RUN_ID',
    message: `${JSON.stringify(given)} is no id of a run.`,
    hint: 'Ids look like 20261116T181503393-KvkpiQSMQs; "holdfast results list" shows them, and the beginning of one is enough.',
  });
}

function ambiguous(given: string, candidates: readonly RunId[]): UsageError {
  const named = candidates.slice(0, CANDIDATES_MAX).join(', ');
  const more = candidates.length > CANDIDATES_MAX ? `, and ${candidates.length - CANDIDATES_MAX} more` : '';
  return new UsageError({
    code: 'E_RUN_AMBIGUOUS',
    message: `Several runs begin with ${given}: ${named}${more}.`,
    hint: 'Give more of the id.',
  });
}
