import { isJsonArray, isJsonObject, type Json } from '../base/index.ts';
import type { Score } from '../log/index.ts';
import { isUnscored, toFloat } from '../stats/index.ts';

/**
 * The figures of a sample: one for each scorer, `scorer`; where its score is a record one for each key, `scorer/key`; where it is a
 * list one for each place, `scorer[0]`. The values are as the log has them: `C`, `true`, `0.5`.
 */
export function figuresOf(scores: Readonly<Record<string, Score>> | undefined): ReadonlyMap<string, Json> {
  const figures = new Map<string, Json>();
  for (const [scorer, { value }] of Object.entries(scores ?? {})) {
    if (isJsonObject(value)) {
      for (const [key, item] of Object.entries(value)) figures.set(`${scorer}/${key}`, item ?? null);
    } else if (isJsonArray(value)) {
      for (const [place, item] of value.entries()) figures.set(`${scorer}[${place}]`, item);
    } else figures.set(scorer, value);
  }
  return figures;
}

/**
 * A value as a number; undefined when it is none: not scored, nested deeper, or a text that says no number. Inspect counts such a
 * text as 0; a comparison that did so would find differences where nobody measured any.
 */
export function numberOf(value: Json | undefined): number | undefined {
  if (value === undefined || isUnscored(value) || isJsonObject(value) || isJsonArray(value)) return undefined;
  const { float, isGuess } = toFloat(value);
  return isGuess || !Number.isFinite(float) ? undefined : float;
}

/** True for the figures that a name on the command line means: a scorer's own, and those of its keys. */
export function isFigureOf(figure: string, name: string): boolean {
  return figure === name || figure.startsWith(`${name}/`) || figure.startsWith(`${name}[`);
}

/** As the eval names its scorers; what it does not name comes last. */
export function byScorer(order: readonly string[]): (a: string, b: string) => number {
  const rank = (figure: string) => {
    const place = order.findIndex((name) => isFigureOf(figure, name));
    return place < 0 ? order.length : place;
  };
  return (a, b) => rank(a) - rank(b) || (a < b ? -1 : 1);
}
