import { ActionableError } from '../base/index.ts';
import { compareSides, leadingFigure, sideOfTable, verdictSaid } from '../compare/index.ts';
import type { LogHeader } from '../log/index.ts';
import type { RunItem, RunView } from './api.ts';
import { readSampleRows, type SampleRows } from './sample-rows.ts';
import type { Studio } from './studio.ts';

/** The run before this one, of the same eval on the same target, and how they compare. */
export interface PreviousRun {
  readonly item: RunItem;
  readonly header: LogHeader;
  readonly since: NonNullable<RunView['previous']>;
}

/** Undefined when there is none, or it cannot be read: then nothing is said of it. */
export async function previousRun(
  studio: Studio,
  { item, rows, signal }: { readonly item: RunItem; readonly rows: SampleRows; readonly signal: AbortSignal },
): Promise<PreviousRun | undefined> {
  const before = item.previous?.run ?? runBefore(studio, item);
  if (before === undefined) return undefined;
  try {
    await using open = await studio.open(before);
    const other = await readSampleRows(studio, open, signal);
    return { item: open.found.item, header: other.header, since: sinceOf(before, other, rows) };
  } catch (error) {
    if (error instanceof ActionableError) return undefined;
    throw error;
  }
}

/** In the list that is newest first. */
function runBefore(studio: Studio, { run, facts }: RunItem): string | undefined {
  if (!facts) return undefined;
  const isSame = (other: RunItem) =>
    other.run < run &&
    !other.removed &&
    other.facts?.eval === facts.eval &&
    other.facts.target === facts.target;
  return studio.index.items().find(isSame)?.run;
}

function sinceOf(run: string, before: SampleRows, after: SampleRows): PreviousRun['since'] {
  const compared = compareSides({ before: sideOfTable(before.table), after: sideOfTable(after.table) });
  const flips = leadingFigure(compared)?.flips ?? [];
  const improved = flips.filter(({ isBetter }) => isBetter).length;
  const said = verdictSaid(compared, 'it').replace(/ than A: /, ' than the run before: ');
  return {
    run,
    verdict: compared.verdict,
    said: said.charAt(0).toUpperCase() + said.slice(1),
    improved,
    regressed: flips.length - improved,
    changes: compared.changes.map(({ what, said: changed, isWarning }) => ({
      what,
      said: changed,
      isWarning,
    })),
  };
}
