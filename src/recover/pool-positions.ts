/** A pool by position: the row that stands there, or undefined where a row is known to be missing. */
export interface PoolLayout {
  readonly rows: readonly (number | undefined)[];
  /** Positions known to be missing. */
  readonly missing: number;
  /** True when events refer to more entries than there are, and nothing tells where the missing ones stood. */
  readonly isUncertain: boolean;
}

export interface PoolFacts {
  /** The rows that are there, ascending. */
  readonly rows: readonly number[];
  /** How many entries the events refer to: each new entry was referred to by the event that brought it. */
  readonly referred: number;
  /** The row after which something is missing, for each gap. */
  readonly gapsAfter: readonly number[];
  /** True when rows of earlier attempts may stand before those of the last one. */
  readonly hasEarlierAttempts: boolean;
}

/**
 * Says which row stands at which position. Positions are counted as rows arrived, so without a gap the rank of a row is
 * its position. Behind a gap it is not; but what follows the last gap ends where the references end, so it is placed
 * from there. What lies between two gaps can stand in more than one place: it is left out rather than guessed.
 */
export function layOutPool(facts: PoolFacts): PoolLayout {
  const rows = ofLastAttempt(facts);
  const missing = facts.referred - rows.length;
  if (missing <= 0) return { rows, missing: 0, isUncertain: false };
  const [first] = facts.gapsAfter;
  if (first === undefined) return { rows, missing, isUncertain: true };
  const last = facts.gapsAfter.at(-1) ?? first;
  const before = rows.filter((row) => row <= first);
  const after = rows.filter((row) => row > last);
  const between = facts.referred - before.length - after.length;
  const hole = Array.from({ length: between }, () => undefined);
  return { rows: [...before, ...hole, ...after], missing: between, isUncertain: false };
}

/** An attempt begins its pool anew, so the rows of the last one are those at the end. */
function ofLastAttempt({ rows, referred, hasEarlierAttempts }: PoolFacts): readonly number[] {
  return hasEarlierAttempts && rows.length > referred ? rows.slice(rows.length - referred) : rows;
}
