export interface CostPoint {
  readonly run: number;
  readonly name: string;
  readonly usd: number;
  readonly score: number;
  readonly low?: number | undefined;
  readonly high?: number | undefined;
}

/** Those that nothing beats in both: cheaper ones score less. By cost, the cheapest first. */
export function frontierOf(points: readonly CostPoint[]): readonly CostPoint[] {
  const byCost = points.toSorted((a, b) => a.usd - b.usd || b.score - a.score);
  let best = Number.NEGATIVE_INFINITY;
  return byCost.filter(({ score }) => {
    const isBetter = score > best;
    if (isBetter) best = score;
    return isBetter;
  });
}

/** Costs that are more than thirty times apart are shown on a scale of powers. */
export function isWide(points: readonly CostPoint[]): boolean {
  const costs = points.map(({ usd }) => usd).filter((usd) => usd > 0);
  return costs.length > 1 && costs.length === points.length && Math.max(...costs) / Math.min(...costs) > 30;
}
