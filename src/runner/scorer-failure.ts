import { type Digest, definedOf, digestOf, isJsonObject } from '../base/index.ts';
import type { Score } from '../log/index.ts';

/** The score that stands where a scorer threw or took too long: unscored, with the whole reason. */
export function failedScore(reason: string, code?: string): Score {
  return {
    value: Number.NaN,
    explanation: `The scorer failed: ${reason}`,
    metadata: { error: reason, ...definedOf({ code }), holdfast: { failed: true } },
    history: [],
  };
}

/** Why a scorer gave no score; undefined when it did its work, also when it said "unscored" itself. */
export function scorerFailure({ metadata }: Score): string | undefined {
  const ours = metadata?.holdfast;
  if (!isJsonObject(ours) || ours.failed !== true) return undefined;
  return typeof metadata?.error === 'string' ? metadata.error : 'it threw';
}

/** Names of those that gave none. */
export function scorersFailedIn(scores: Readonly<Record<string, Score>>): readonly string[] {
  return Object.keys(scores).filter((name) => {
    const score = scores[name];
    return score !== undefined && scorerFailure(score) !== undefined;
  });
}

export function hasFailedScore(scores: Readonly<Record<string, Score>>): boolean {
  return scorersFailedIn(scores).length > 0;
}

/** A result without all its scores is none to take over: under a key of its own only its output is found again. */
export function unscoredKey(key: Digest): Digest {
  return digestOf(`${key} without all its scores`);
}
