import { type ActionableError, type RunId, UsageError } from '../base/index.ts';
import type { ResultsTree } from './results-tree.ts';

const CANDIDATES_MAX = 10;

/** The id of a run, by its id, its beginning, or the beginning of its part after the dash. */
export async function idOf(tree: ResultsTree, given: string): Promise<RunId> {
  if (!/^[0-9A-Za-z-]+$/.test(given)) throw noRunId(given);
  const day = /^(\d{4})(\d\d)(\d\d)(?:T|$)/.exec(given)?.slice(1).join('-');
  const candidates: RunId[] = [];
  for (const one of await tree.days()) {
    if (day !== undefined && one !== day) continue;
    for (const { run } of await tree.runsOf(one)) {
      if (run === given) return run;
      // The random part alone is enough, too: it is what people copy.
      if (run.startsWith(given) || run.slice(run.indexOf('-') + 1).startsWith(given)) candidates.push(run);
    }
  }
  const [first, ...others] = candidates;
  if (!first) throw unknownRun(given);
  if (others.length > 0) throw ambiguous(given, candidates);
  return first;
}

function noRunId(given: string): UsageError {
  return new UsageError({
    code: 'E_RUN_ID',
    message: `${JSON.stringify(given)} is no id of a run.`,
    hint: 'Ids look like 20261116T181503393-KvkpiQSMQs; "holdfast results list" shows them, and the beginning of one is enough.',
  });
}

export function unknownRun(given: string): UsageError {
  return new UsageError({
    code: 'E_RUN_UNKNOWN',
    message: `No published run has the id ${given}.`,
    hint: '"holdfast results list" shows what is there.',
  });
}

function ambiguous(given: string, candidates: readonly RunId[]): ActionableError {
  const named = candidates.slice(0, CANDIDATES_MAX).join(', ');
  const more = candidates.length > CANDIDATES_MAX ? `, and ${candidates.length - CANDIDATES_MAX} more` : '';
  return new UsageError({
    code: 'E_RUN_AMBIGUOUS',
    message: `Several runs begin with ${given}: ${named}${more}.`,
    hint: 'Give more of the id.',
  });
}
