import type { SampleOverTime, SamplePoint } from '../../../src/server/api.ts';

/** The results of one target, each at its place among all runs. */
export interface Lane {
  readonly target: string;
  readonly points: readonly { readonly index: number; readonly point: SamplePoint }[];
}

/** One lane a target, in the order in which they come first. */
export function lanesOf(points: readonly SamplePoint[]): readonly Lane[] {
  const lanes = new Map<string, { index: number; point: SamplePoint }[]>();
  for (const [index, point] of points.entries()) {
    const lane = lanes.get(point.target) ?? [];
    if (lane.length === 0) lanes.set(point.target, lane);
    lane.push({ index, point });
  }
  return [...lanes].map(([target, of]) => ({ target, points: of }));
}

/** Stretches of runs at one commit. */
export interface CommitSpan {
  readonly commit: string | undefined;
  readonly from: number;
  readonly to: number;
}

export function commitSpans(points: readonly SamplePoint[]): readonly CommitSpan[] {
  const spans: { commit: string | undefined; from: number; to: number }[] = [];
  for (const [index, { commit }] of points.entries()) {
    const last = spans.at(-1);
    if (last !== undefined && last.commit === commit) last.to = index;
    else spans.push({ commit, from: index, to: index });
  }
  return spans;
}

const STATES: Readonly<Record<SampleOverTime['state'], { glyph: string; word: string }>> = {
  stable: { glyph: '=', word: 'Stable' },
  flipped: { glyph: '⇄', word: 'Flipped' },
  flaky: { glyph: '≈', word: 'Flaky' },
};

export function stateShown(state: SampleOverTime['state']) {
  return STATES[state];
}
