import type { RunId } from '../base/index.ts';
import { chooseRun, isNamedBy } from '../results/index.ts';

/** A run by the id that it has here, or by the name that its source gives it. Undefined when there is none. */
export function findNamed<T extends { readonly run: RunId; readonly name: string }>(
  runs: readonly T[],
  given: string,
): T | undefined {
  const named = runs.find(({ name }) => name === given || name.endsWith(`/${given}`));
  if (named) return named;
  const candidates = runs.filter(({ run }) => isNamedBy(run, given));
  if (candidates.length === 0) return undefined;
  const chosen = chooseRun(
    given,
    candidates.map(({ run }) => run),
  );
  return candidates.find(({ run }) => run === chosen);
}
