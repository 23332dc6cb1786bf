import type { Outcome, RunTimeline } from '../../../../src/server/api.ts';
import { formatCount } from '../../ui/format.ts';
import { outcomeShown } from '../../ui/outcomes.ts';

type TimedSample = RunTimeline['samples'][number];
type Mark = RunTimeline['marks'][number];

/** Samples that ended in the same way at about the same time. */
export interface Ending {
  readonly outcome: Outcome;
  /** Pixels. */
  readonly x: number;
  readonly samples: readonly TimedSample[];
  readonly radius: number;
}

/** So many pixels are one place: dots do not hide each other, and there are never more than the chart is wide. */
const PLACE_WIDTH = 10;

const LANES: readonly Outcome[] = ['pass', 'partial', 'number', 'fail', 'error', 'unscored'];

/** Endings by outcome, those that would hide each other as one. What goes on has not ended. */
export function endingsOf(
  samples: readonly TimedSample[],
  x: (ms: number) => number,
): ReadonlyMap<Outcome, readonly Ending[]> {
  const byOutcome = Map.groupBy(samples, ({ outcome }) => outcome);
  return new Map(
    LANES.flatMap((lane) => {
      const own = byOutcome.get(lane);
      return own === undefined ? [] : [[lane, joined(lane, own, x)] as const];
    }),
  );
}

/** From left to right: whatever ends close to the first of a place belongs to it. */
function joined(
  outcome: Outcome,
  samples: readonly TimedSample[],
  x: (ms: number) => number,
): readonly Ending[] {
  const places: { readonly from: number; readonly samples: TimedSample[] }[] = [];
  for (const sample of samples.toSorted((a, b) => a.to - b.to)) {
    const at = x(sample.to);
    const last = places.at(-1);
    if (last !== undefined && at - last.from < PLACE_WIDTH) last.samples.push(sample);
    else places.push({ from: at, samples: [sample] });
  }
  return places.map(({ samples: there }) => {
    const middle = there.reduce((sum, { to }) => sum + x(to), 0) / there.length;
    return { outcome, x: middle, samples: there, radius: radiusFor(there.length) };
  });
}

/** A ladder, not a scale: one, a few, many, very many. */
function radiusFor(count: number): number {
  if (count === 1) return 2.4;
  if (count < 5) return 3.4;
  return count < 20 ? 4.2 : 5;
}

/** "12 failed: a, b, c and 9 more" */
export function endingSaid({ outcome, samples }: Ending): string {
  const { word } = outcomeShown(outcome);
  const names = samples.slice(0, 3).map(({ id, epoch }) => `${id} (epoch ${epoch})`);
  const more = samples.length > names.length ? ` and ${formatCount(samples.length - names.length)} more` : '';
  const count = samples.length === 1 ? '' : `${formatCount(samples.length)} `;
  return `${count}${word}: ${names.join(', ')}${more}`;
}

/** How many were under way within one pixel: the most, and how many when it ends. */
export interface ActiveColumn {
  readonly x: number;
  readonly most: number;
  readonly last: number;
}

/** No more than one for each pixel, however many samples there were. */
export function activeColumns(
  active: RunTimeline['active'],
  x: (ms: number) => number,
): readonly ActiveColumn[] {
  const columns: ActiveColumn[] = [];
  for (const [ms, count] of active) {
    const at = Math.round(x(ms));
    const before = columns.at(-1);
    if (before?.x === at)
      columns[columns.length - 1] = { x: at, most: Math.max(before.most, count), last: count };
    else columns.push({ x: at, most: count, last: count });
  }
  return columns;
}

/** The area under the steps, as the path of a drawing. */
export function activePath(columns: readonly ActiveColumn[], y: (count: number) => number): string {
  const [first] = columns;
  if (first === undefined) return '';
  const steps = columns.map(({ x, most, last }, index) => {
    const next = columns[index + 1]?.x ?? x;
    const falls = last === most || next <= x + 1 ? '' : `H${x + 1}V${round(y(last))}`;
    return `H${x}V${round(y(most))}${falls}`;
  });
  return `M${first.x},${round(y(0))}${steps.join('')}V${round(y(0))}Z`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

export function mostActive(active: RunTimeline['active']): number {
  return active.reduce((most, [, count]) => Math.max(most, count), 0);
}

/** Marks of one kind, those at the same place as one. */
export interface MarkPlace {
  readonly kind: Mark['kind'];
  readonly x: number;
  /** Where the last of them ends; the same as `x` where they only have a moment. */
  readonly to: number;
  readonly marks: readonly Mark[];
}

export function markPlaces(
  marks: readonly Mark[],
  kind: Mark['kind'],
  x: (ms: number) => number,
): readonly MarkPlace[] {
  const places: { kind: Mark['kind']; x: number; to: number; marks: Mark[] }[] = [];
  for (const mark of marks.filter((one) => one.kind === kind).toSorted((a, b) => a.at - b.at)) {
    const from = x(mark.at);
    const to = x(mark.to ?? mark.at);
    const last = places.at(-1);
    if (last !== undefined && from - last.x < 4 && from <= Math.max(last.to, last.x + 4)) {
      last.to = Math.max(last.to, to);
      last.marks.push(mark);
    } else places.push({ kind, x: from, to, marks: [mark] });
  }
  return places;
}

export function markSaid({ marks, kind }: MarkPlace): string {
  const [first] = marks;
  if (marks.length === 1 || first === undefined) return `${kind}: ${first?.said ?? ''}`;
  return `${formatCount(marks.length)} × ${kind}, first ${first.said}`;
}
