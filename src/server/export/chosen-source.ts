import type { RunId } from '../../base/index.ts';
import type { RunSource, SourceRun } from '../../sources/index.ts';

export interface ChosenOptions {
  readonly runs: ReadonlySet<string>;
  /** Whether what people said of runs may be seen. */
  readonly withNotes: boolean;
}

/**
 * A source that has only the runs that are exported, as they are now. So whoever asks a Studio on it, also for histories, trends and what was
 * before, is told nothing of any other run.
 */
export async function chosenSource(
  source: RunSource,
  { runs, withNotes }: ChosenOptions,
): Promise<RunSource> {
  const chosen: SourceRun[] = [];
  for await (const run of source.runs())
    if (runs.has(run.run)) chosen.push(withNotes ? run : withoutNotes(run));
  const byId = new Map<RunId, SourceRun>(chosen.map((run) => [run.run, run]));
  return {
    place: source.place,
    kind: source.kind,
    runs: async function* ({ before } = {}) {
      for (const run of chosen) if (before === undefined || run.run < before) yield run;
    },
    find: async (given) => byId.get(given as RunId),
    // Whoever opened the source closes it.
    [Symbol.asyncDispose]: async () => undefined,
  };
}

/** Tags stay: they name a run rather than judge it. */
function withoutNotes(run: SourceRun): SourceRun {
  const { marks } = run;
  return marks ? { ...run, marks: { ...marks, notes: [], verdicts: [], damage: [] } } : run;
}
