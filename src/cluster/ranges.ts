/** Positions of samples as a short text: `0-99,105`. Most evals need an artifact for many rows in a row. */
export function rangesText(positions: Iterable<number>): string {
  const sorted = [...new Set(positions)].sort((a, b) => a - b);
  const parts: string[] = [];
  for (let at = 0; at < sorted.length; ) {
    const first = sorted[at] as number;
    let last = first;
    while (sorted[++at] === last + 1) last++;
    parts.push(first === last ? `${first}` : `${first}-${last}`);
  }
  return parts.join(',');
}

/** Undefined for a text that is no list of ranges. */
export function parseRanges(text: string): readonly (readonly [number, number])[] | undefined {
  if (text === '') return [];
  const ranges: [number, number][] = [];
  for (const part of text.split(',')) {
    const [, first, last = first] = /^(\d+)(?:-(\d+))?$/.exec(part) ?? [];
    if (first === undefined || Number(last) < Number(first)) return undefined;
    ranges.push([Number(first), Number(last)]);
  }
  return ranges;
}

export function* positionsIn(ranges: readonly (readonly [number, number])[]): Iterable<number> {
  for (const [first, last] of ranges) for (let at = first; at <= last; at++) yield at;
}
