import type { CutText } from '../server/api.ts';

export type Cut = CutText['$cut'];

/** What was cut of an answer, wherever in it that stands. */
export function visitCuts(value: unknown, visit: (cut: Cut) => void): void {
  if (Array.isArray(value)) for (const item of value) visitCuts(item, visit);
  else if (isCut(value)) visit(value.$cut);
  else if (typeof value === 'object' && value !== null)
    for (const item of Object.values(value)) visitCuts(item, visit);
}

/** The same value with a text in the place of each that was cut. */
export function withTexts(value: unknown, textOf: (cut: Cut) => string): unknown {
  if (Array.isArray(value)) return value.map((item) => withTexts(item, textOf));
  if (typeof value !== 'object' || value === null) return value;
  if (isCut(value)) return textOf(value.$cut);
  // By entries, because a member may be called `__proto__`.
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withTexts(item, textOf)]));
}

/** What is called so in a transcript itself is written with one more `$`. */
function isCut(value: unknown): value is CutText {
  if (typeof value !== 'object' || value === null || !('$cut' in value)) return false;
  const { $cut: cut } = value;
  return typeof cut === 'object' && cut !== null && 'at' in cut && typeof cut.at === 'string';
}
