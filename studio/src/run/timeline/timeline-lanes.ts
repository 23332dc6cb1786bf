import type { RunTimeline } from '../../../../src/server/api.ts';
import { formatCount } from '../../ui/format.ts';
import { outcomeShown, type Tone } from '../../ui/outcomes.ts';
import { ACTIVE_BOTTOM } from './active-band.tsx';
import { endingSaid, endingsOf, markPlaces, markSaid } from './timeline-marks.ts';

/** Heights in pixels. */
export const LANE = 22;
export const AXIS = 22;
const GAP = 10;

/** Something that can be pointed to, focused and pressed. */
export interface TimelineMark {
  readonly x: number;
  /** Where it ends; the same as `x` for a moment. */
  readonly to: number;
  /** The middle of its lane. */
  readonly y: number;
  readonly radius: number;
  readonly said: string;
  /** What it stands for; none for what is no ending. */
  readonly samples: RunTimeline['samples'];
  /** Its place among all marks, for the keys. */
  readonly index: number;
}

type Unplaced = Omit<TimelineMark, 'y' | 'index'>;

interface Lane {
  readonly kind: 'endings' | 'rate limit' | 'retry' | 'crash' | 'config';
  readonly name: string;
  readonly glyph: string;
  readonly tone: Tone;
  readonly count: string;
  readonly marks: readonly Unplaced[];
}

export interface PlacedLane extends Omit<Lane, 'marks'> {
  readonly y: number;
  readonly marks: readonly TimelineMark[];
}

const KINDS = [
  { kind: 'crash', name: 'crashes', glyph: '✕', tone: 'error' },
  { kind: 'rate limit', name: 'rate limits', glyph: '◆', tone: 'limit' },
  { kind: 'retry', name: 'retries', glyph: '↻', tone: 'quiet' },
  { kind: 'config', name: 'settings', glyph: '◇', tone: 'live' },
] as const;

/** Endings by outcome, then what came between; only what there is. */
export function lanesOf({ samples, marks }: RunTimeline, x: (ms: number) => number): readonly Lane[] {
  const endings = [...endingsOf(samples, x)].map(([outcome, own]): Lane => {
    const { glyph, word, tone } = outcomeShown(outcome);
    const count = formatCount(own.reduce((sum, ending) => sum + ending.samples.length, 0));
    const placed = own.map((ending) => ({
      x: ending.x,
      to: ending.x,
      radius: ending.radius,
      said: endingSaid(ending),
      samples: [...ending.samples],
    }));
    return { kind: 'endings', name: word, glyph, tone, count, marks: placed };
  });
  const others = KINDS.flatMap(({ kind, name, glyph, tone }): Lane[] => {
    const count = marks.filter((mark) => mark.kind === kind).length;
    if (count === 0) return [];
    const places = markPlaces(marks, kind, x).map((place) => ({
      x: place.x,
      to: place.to,
      radius: 3,
      said: markSaid(place),
      samples: [],
    }));
    return [{ kind, name, glyph, tone, count: formatCount(count), marks: places }];
  });
  return [...endings, ...others];
}

/** Puts lanes under each other, and numbers their marks from left to right and from top to bottom. */
export function layOut(lanes: readonly Lane[], above = ACTIVE_BOTTOM) {
  let y = above + GAP;
  let count = 0;
  const placed = lanes.map((lane, at): PlacedLane => {
    const isFirstOther = lane.kind !== 'endings' && lanes[at - 1]?.kind === 'endings';
    y += isFirstOther ? GAP : 0;
    const middle = y + LANE / 2;
    const marks = lane.marks.map((mark) => ({ ...mark, y: middle, index: count++ }));
    y += LANE;
    return { ...lane, y: middle, marks };
  });
  return { placed, bottom: y + 4, count };
}
