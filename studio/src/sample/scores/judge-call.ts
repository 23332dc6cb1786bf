import type { SkeletonStore } from '../transcript/skeleton-store.ts';

const SCORING = 'scoring';

/**
 * The call of a model by which a score came to be: the last one of those who score before the score itself was told. Undefined where no
 * model judged.
 */
export function judgeCall(store: SkeletonStore, score: string): number | undefined {
  const told = scoreEvent(store, score);
  if (told === undefined) return undefined;
  for (let event = told - 1; event >= 0; event -= 1) {
    if (store.lane(event) !== SCORING) continue;
    const kind = store.kind(event);
    if (kind === 'model') return event;
    // What came before another score, or before this scorer began, is another's.
    if (kind === 'score' || (kind === 'span_begin' && store.label(event) === score)) return undefined;
  }
  return undefined;
}

/** The last one counts: a sample may be scored again. */
function scoreEvent(store: SkeletonStore, score: string): number | undefined {
  for (let event = store.count - 1; event >= 0; event -= 1) {
    const label = store.kind(event) === 'score' ? store.label(event) : '';
    if (label === score || label.startsWith(`${score} `)) return event;
  }
  return undefined;
}
