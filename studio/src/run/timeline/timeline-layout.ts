import type { Outcome, RunTimeline } from '../../../../src/server/api.ts';

export type Ending = RunTimeline['samples'][number];
export type Mark = RunTimeline['marks'][number];

const ORDER: readonly Outcome[] = [
  'pass',
  'partial',
  'number',
  'fail',
  'error',
  'unscored',
  'running',
  'missing',
];

/** Rows of endings, each of one outcome, so that they are told apart without colours; in order of time. */
export function endingRows(
  samples: readonly Ending[],
): readonly { readonly outcome: Outcome; readonly endings: readonly Ending[] }[] {
  const done = samples.filter(({ outcome }) => outcome !== 'running' && outcome !== 'missing');
  return ORDER.flatMap((outcome) => {
    const endings = done.filter((one) => one.outcome === outcome).sort((a, b) => a.to - b.to);
    return endings.length === 0 ? [] : [{ outcome, endings }];
  });
}

/** The more there are, the smaller. */
export function dotRadius(count: number): number {
  return count <= 150 ? 3.5 : count <= 600 ? 2.2 : 1.5;
}

/** How many samples were under way, as a path of steps: level until the next change. */
export function stepPath(
  active: RunTimeline['active'],
  {
    x,
    y,
    endMs,
  }: { readonly x: (ms: number) => number; readonly y: (n: number) => number; readonly endMs: number },
): string {
  const [first] = active;
  if (first === undefined) return '';
  let path = `M${round(x(first[0]))},${round(y(0))}`;
  for (const [at, count] of active) path += `H${round(x(at))}V${round(y(count))}`;
  return `${path}H${round(x(endMs))}V${round(y(0))}Z`;
}

/** How many were under way at a time. */
export function activeAt(active: RunTimeline['active'], ms: number): number {
  let low = 0;
  let high = active.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((active[middle]?.[0] ?? 0) <= ms) low = middle + 1;
    else high = middle;
  }
  return active[low - 1]?.[1] ?? 0;
}

/** The ending that is nearest to a time; of those, in the order of time. */
export function nearestEnding(endings: readonly Ending[], ms: number): Ending | undefined {
  let best: Ending | undefined;
  for (const ending of endings)
    if (best === undefined || Math.abs(ending.to - ms) < Math.abs(best.to - ms)) best = ending;
  return best;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
