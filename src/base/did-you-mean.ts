/** `; did you mean "scorers"?` when a known word is close to the one given, else an empty text. */
export function didYouMean(word: string, known: readonly string[]): string {
  const best = closest(word, known);
  return best === undefined ? '' : `; did you mean "${best}"?`;
}

/** The known word with the fewest edits, if they are few for its length. */
export function closest(word: string, known: readonly string[]): string | undefined {
  let best: string | undefined;
  let bestEdits = Number.POSITIVE_INFINITY;
  for (const candidate of known) {
    const edits = editDistance(simplify(word), simplify(candidate));
    if (edits < bestEdits) [best, bestEdits] = [candidate, edits];
  }
  const allowed = Math.max(1, Math.floor((best?.length ?? 0) / 3));
  return bestEdits <= allowed ? best : undefined;
}

/** So that `ignore_case` and `ignoreCase` are no edits apart. */
function simplify(word: string): string {
  return word.toLowerCase().replace(/[-_\s]/g, '');
}

/** Insertions, deletions, replacements and swaps of neighbours. */
function editDistance(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; i++) {
    const row = [i];
    for (let j = 1; j <= to.length; j++) {
      const change = from[i - 1] === to[j - 1] ? 0 : 1;
      let edits = Math.min(at(last, j) + 1, at(row, j - 1) + 1, at(last, j - 1) + change);
      const isSwap = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      if (isSwap) edits = Math.min(edits, at(beforeLast, j - 2) + 1);
      row.push(edits);
    }
    [beforeLast, last] = [last, row];
  }
  return at(last, to.length);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Number.POSITIVE_INFINITY;
}
