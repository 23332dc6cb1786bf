import { digestOfJson, isJsonObject, type Json, type JsonObject } from '../base/index.ts';
import { readScore, type Score } from '../log/index.ts';
import { scorerKeys } from '../stats/index.ts';
import type { ScoreFact } from './sample-facts.ts';

/**
 * The scores of a completed sample. Its summary has them thinned; the score events have them whole. An event stands
 * for a score only if it names the same scorer and has the same value: a score may have been edited since.
 */
export function fullScores(
  thinned: Json | undefined,
  facts: readonly ScoreFact[],
): Readonly<Record<string, Score>> | undefined {
  const told = scoresByKey(facts);
  if (!isJsonObject(thinned)) return told.size > 0 ? Object.fromEntries(told) : undefined;
  const scores: Record<string, Score> = {};
  for (const [key, score] of Object.entries(thinned)) {
    if (!isJsonObject(score)) continue;
    const whole = told.get(key);
    scores[key] = whole && isSameValue(whole, score) ? whole : toScore(score);
  }
  return scores;
}

/** The keys that Inspect gives to scorers of one name: base, base1, base2 … */
function scoresByKey(facts: readonly ScoreFact[]): Map<string, Score> {
  const named = facts.filter(({ scorer }) => scorer !== undefined);
  const keys = scorerKeys(named.map(({ scorer }) => String(scorer)));
  return new Map(named.map(({ score }, index) => [String(keys[index]), toScore(score)]));
}

function toScore(score: JsonObject): Score {
  const present = Object.entries(score).filter(([, value]) => value !== null);
  // A null value is one that could not be computed: Inspect reads it as NaN.
  const unscored: Score = { value: Number.NaN };
  return readScore({ ...unscored, ...Object.fromEntries(present) }) ?? unscored;
}

function isSameValue(one: Score, other: JsonObject): boolean {
  return digestOfJson(one.value) === digestOfJson(other.value ?? Number.NaN);
}
