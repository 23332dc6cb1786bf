import { ActionableError, definedOf } from '../../base/index.ts';
import { compareSides, type FigureComparison, sideOfTable } from '../../compare/index.ts';
import type { AnswerOf, RunChange, RunItem } from '../api.ts';
import type { Call } from '../call.ts';
import { Gate } from '../gate.ts';
import { type ReadRun, tablesOf } from '../run-tables.ts';
import type { Studio } from '../studio.ts';
import { previousOf } from '../trends.ts';

/** A list asks for what it shows, not for everything. */
const RUNS_MAX = 200;
const KEPT_MAX = 5_000;
/** Two at a time: whoever looks at a run meanwhile is to be answered. */
const AT_A_TIME = 2;

/** Whether runs differ from the ones before them: by the paired test over their samples, not by two numbers. */
export async function runChanges(call: Call<'runChanges'>): Promise<AnswerOf<'runChanges'>> {
  const { studio, query, signal } = call;
  await studio.index.begun(signal);
  call.sameAs(studio.index.version);
  signal.throwIfAborted();
  const wanted = new Set(query.runs.slice(0, RUNS_MAX));
  const all = studio.index.items();
  const items = all.filter(({ run }) => wanted.has(run));
  const changes = changesOf(studio);
  const found = await Promise.all(
    items.map(async (item) => {
      const previous = previousOf(item, all);
      return previous && changes.between(item, previous, signal);
    }),
  );
  return { changes: found.filter((change) => change !== undefined) };
}

const known = new WeakMap<Studio, Changes>();

function changesOf(studio: Studio): Changes {
  const changes = known.get(studio) ?? new Changes(studio);
  known.set(studio, changes);
  return changes;
}

/** What was compared once is kept, as long as both runs stay what they are. */
class Changes {
  readonly #studio: Studio;
  readonly #gate = new Gate(AT_A_TIME);
  /** In the order of use. */
  readonly #kept = new Map<string, RunChange>();

  constructor(studio: Studio) {
    this.#studio = studio;
  }

  async between(item: RunItem, previous: RunItem, signal: AbortSignal): Promise<RunChange> {
    const key = keyOf(item, previous);
    const kept = this.#kept.get(key);
    if (kept) {
      this.#kept.delete(key);
      this.#kept.set(key, kept);
      return kept;
    }
    using _ = await this.#gate.enter(signal);
    const change = await this.#compare(item, previous, signal);
    this.#kept.set(key, change);
    if (this.#kept.size > KEPT_MAX) this.#kept.delete([...this.#kept.keys()][0] ?? '');
    return change;
  }

  async #compare(item: RunItem, previous: RunItem, signal: AbortSignal): Promise<RunChange> {
    const about = { run: item.run, previous: previous.run };
    const tables = tablesOf(this.#studio);
    try {
      const before = await tables.readOne(previous.run);
      signal.throwIfAborted();
      return { ...about, ...changeBetween(before, await tables.readOne(item.run), item) };
    } catch (error) {
      // It was there a moment ago; the list will say what became of it.
      if (!(error instanceof ActionableError)) throw error;
      return { ...about, is: 'unknown' };
    }
  }
}

type Judged = Omit<RunChange, 'run' | 'previous'>;

function changeBetween(before: ReadRun, after: ReadRun, { facts }: RunItem): Judged {
  if (!before.table || !after.table) return { is: 'unknown' };
  const { scores } = compareSides({ before: sideOfTable(before.table), after: sideOfTable(after.table) });
  const figure = figureOf(scores, facts?.scores[0]?.name, facts?.scores[0]?.scorer);
  return figure ? judged(figure) : { is: 'unknown' };
}

/** The figure that the first score of the list is made of. */
function figureOf(
  figures: readonly FigureComparison[],
  ...names: readonly (string | undefined)[]
): FigureComparison | undefined {
  return figures.find(({ figure }) => names.includes(figure)) ?? figures[0];
}

function judged({ verdict, kind, difference, interval, flips }: FigureComparison): Judged {
  const improved = flips.filter(({ isBetter }) => isBetter).length;
  // Of figures that are no pass or fail only the largest moves are known: they are not counted.
  const counts = kind === 'pass/fail' ? { improved, regressed: flips.length - improved } : {};
  return {
    is: verdict === 'cannot tell' ? 'cannot tell' : 'real',
    difference,
    ...counts,
    ...definedOf({
      isBetter: verdict === 'cannot tell' ? undefined : verdict === 'better',
      low: interval?.lower,
      high: interval?.upper,
    }),
  };
}

/** A row says all that decides which log of a run is shown. */
function keyOf(item: RunItem, previous: RunItem): string {
  return [item, previous]
    .map(({ run, form, place, name, facts }) => [run, form, place, name, facts?.end].join(' '))
    .join('\n');
}
