import { definedOf, isJsonObject, type Json } from '../base/index.ts';
import type { Score } from '../log/index.ts';
import type { ScorerTrouble } from './account.ts';
import { scorerFailure } from './scorer-failure.ts';

interface Count {
  failed: number;
  scored: number;
  reason: string | undefined;
}

/** Counts what scorers did over the samples of a run, so that one that did nothing cannot go unseen. */
export class ScorerTally {
  readonly #counts = new Map<string, Count>();

  add(scores: Readonly<Record<string, Score>>): void {
    for (const [scorer, score] of Object.entries(scores)) {
      const count = this.#counts.get(scorer) ?? { failed: 0, scored: 0, reason: undefined };
      this.#counts.set(scorer, count);
      const reason = scorerFailure(score);
      if (reason !== undefined) count.failed++;
      count.reason ??= reason;
      if (isScored(score.value)) count.scored++;
    }
  }

  /** Scorers that threw, or that scored none of the samples they were asked about. */
  troubles(): readonly ScorerTrouble[] {
    return [...this.#counts].flatMap(([scorer, { failed, scored, reason }]) =>
      failed === 0 && scored > 0 ? [] : [{ scorer, failed, scored, ...definedOf({ reason }) }],
    );
  }
}

/** NaN, and the null that stands for it in some logs, say: unscored. A record is scored when one of its keys is. */
function isScored(value: Json | undefined): boolean {
  if (isJsonObject(value)) return Object.values(value).some(isScored);
  return value !== null && value !== undefined && !Number.isNaN(value);
}
