/** Runs of a comparison are known by letters, the base is A. Their colours are tokens, and never stand without the letter. */
export const RUN_LETTERS = ['A', 'B', 'C', 'D', 'E', 'F'] as const;
export const RUNS_MAX = RUN_LETTERS.length;

export function letterOf(index: number): string {
  return RUN_LETTERS[index] ?? String(index + 1);
}

/** As a value in CSS. What has no letter has no colour of its own. */
export function colourOf(index: number): string {
  const letter = RUN_LETTERS[index];
  return letter === undefined ? 'var(--text-3)' : `var(--run-${letter.toLowerCase()})`;
}
