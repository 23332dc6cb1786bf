/**
 * Holm's adjustment (Scandinavian Journal of Statistics 6, 1979): the probabilities of several tests, made larger so that the
 * chance of calling any equal pair different stays what it was for one.
 */
export function holmAdjusted(probabilities: readonly number[]): number[] {
  const order = probabilities
    .map((_, index) => index)
    .sort((a, b) => at(probabilities, a) - at(probabilities, b));
  const adjusted = [...probabilities];
  let before = 0;
  for (const [rank, index] of order.entries()) {
    before = Math.max(before, Math.min(1, (probabilities.length - rank) * at(probabilities, index)));
    adjusted[index] = before;
  }
  return adjusted;
}

function at(values: readonly number[], index: number): number {
  return values[index] ?? 1;
}
