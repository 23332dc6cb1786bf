/** Heights of labels, as near to where they belong as can be when each has `gap` for itself, within the ends. */
export function spreadLabels(
  heights: readonly number[],
  gap: number,
  [top, bottom]: readonly [number, number],
): readonly number[] {
  const order = heights.map((height, index) => ({ height, index })).sort((a, b) => a.height - b.height);
  const placed = order.map(({ height }) => Math.max(top, Math.min(bottom, height)));
  for (let at = 1; at < placed.length; at += 1)
    placed[at] = Math.max(placed[at] ?? 0, (placed[at - 1] ?? 0) + gap);
  const over = (placed.at(-1) ?? 0) - bottom;
  if (over > 0) {
    placed[placed.length - 1] = bottom;
    for (let at = placed.length - 2; at >= 0; at -= 1)
      placed[at] = Math.min(placed[at] ?? 0, (placed[at + 1] ?? 0) - gap);
  }
  const result: number[] = [];
  for (const [at, { index }] of order.entries()) result[index] = placed[at] ?? 0;
  return result;
}
