import { ActionableError, assert, definedOf, UsageError } from '../base/index.ts';
import type { ResultsStore } from '../results/index.ts';
import type { RunSource } from '../sources/index.ts';
import type { PinnedState, Studio } from './studio.ts';

export interface PinnedSource {
  readonly source: RunSource;
  readonly pinned: PinnedState;
}

/** The results as they were at a commit; a run that came later is known to be there by now. Whoever opens it closes it. */
export async function pinnedSource(now: Studio, given: string): Promise<PinnedSource> {
  const { source, newest } = await sourceAt(now.sources, given);
  const pinned = source.results?.pinned;
  assert(pinned && newest, 'a source at a commit is of results');
  return {
    source: tellingLater(source, now),
    pinned: { ...pinned, isNewest: () => newest.isNewest(pinned.commit) },
  };
}

function tellingLater(source: RunSource, now: Studio): RunSource {
  const { place, kind, results } = source;
  return {
    place,
    kind,
    ...definedOf({ results }),
    runs: (options) => source.runs(options),
    find: async (run, options) => (await source.find(run, options)) ?? (await refuseLater(now, run, results)),
    ...definedOf({ changes: source.changes?.bind(source) }),
    [Symbol.asyncDispose]: () => source[Symbol.asyncDispose](),
  };
}

/** Of the first source that has such a commit; what the first of them says when none has. */
async function sourceAt(sources: readonly RunSource[], commit: string) {
  let refusal: ActionableError | undefined;
  for (const source of sources) {
    try {
      const found = await source.at?.(commit);
      if (found) return { source: found, newest: source.results };
    } catch (error) {
      if (!(error instanceof ActionableError && error.code === 'E_RESULTS_COMMIT')) throw error;
      refusal ??= error;
    }
  }
  throw refusal ?? noResults();
}

async function refuseLater(
  now: Studio,
  given: string,
  results: ResultsStore | undefined,
): Promise<undefined> {
  const found = await now.index.find(given).catch((error: unknown) => {
    // Nobody knows it now either: that is told in the usual words.
    if (error instanceof ActionableError) return undefined;
    throw error;
  });
  if (!found) return undefined;
  throw new UsageError({
    code: 'E_RUN_UNKNOWN',
    message: `Run ${found.run} is not there yet at ${results?.pinned?.commit.slice(0, 7)}.`,
    hint: 'Show it in the newest results: at the same address without the commit.',
  });
}

function noResults(): UsageError {
  return new UsageError({
    code: 'E_RESULTS_COMMIT',
    message: 'There are no results here, and only results have commits.',
    hint: 'Leave the commit out of the address, or start the Studio where the results are.',
  });
}
