import { scaleLinear } from 'd3-scale';
import type { RunSession } from '../../../../src/server/api.ts';

/** Time in which nobody worked on the run, in milliseconds after its start. */
export interface Gap {
  readonly from: number;
  readonly to: number;
}

/** How wide a gap is that was left out, in pixels. */
export const GAP_WIDTH = 18;

/** The time between sessions. */
export function gapsOf(sessions: readonly RunSession[], startMs: number): readonly Gap[] {
  return sessions.slice(1).flatMap((session, index) => {
    const before = sessions[index]?.end;
    if (before === undefined) return [];
    const from = Date.parse(before) - startMs;
    const to = Date.parse(session.start) - startMs;
    return to > from && from > 0 ? [{ from, to }] : [];
  });
}

export interface TimeScale {
  /** From milliseconds after the start to pixels. */
  readonly x: (ms: number) => number;
  readonly left: number;
  readonly right: number;
  /** Gaps that were left out. */
  readonly cuts: readonly Gap[];
}

interface TimeScaleOptions {
  readonly lengthMs: number;
  readonly cuts: readonly Gap[];
  readonly left: number;
  readonly right: number;
}

/** Straight, but for gaps that are left out: each of them is as wide as every other. */
export function timeScale({ lengthMs, cuts, left, right }: TimeScaleOptions): TimeScale {
  const inside = cuts.filter(({ from, to }) => from > 0 && to < lengthMs);
  const spared = inside.reduce((sum, { from, to }) => sum + to - from, 0);
  const perMs = Math.max(0, right - left - inside.length * GAP_WIDTH) / Math.max(1, lengthMs - spared);
  const domain = [0];
  const range = [left];
  let at = left;
  let before = 0;
  for (const { from, to } of inside) {
    at += (from - before) * perMs;
    domain.push(from, to);
    range.push(at, at + GAP_WIDTH);
    at += GAP_WIDTH;
    before = to;
  }
  domain.push(Math.max(1, lengthMs));
  range.push(right);
  const scale = scaleLinear(domain, range).clamp(true);
  return { x: (ms) => scale(ms), left, right, cuts: inside };
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const STEPS = [
  SECOND,
  5 * SECOND,
  15 * SECOND,
  30 * SECOND,
  MINUTE,
  2 * MINUTE,
  5 * MINUTE,
  10 * MINUTE,
  15 * MINUTE,
  30 * MINUTE,
  HOUR,
  2 * HOUR,
  3 * HOUR,
  6 * HOUR,
  12 * HOUR,
  DAY,
  2 * DAY,
  7 * DAY,
];

export interface TimeTick {
  /** Milliseconds after the start. */
  readonly at: number;
  readonly label: string;
}

interface TicksOptions {
  readonly startMs: number;
  readonly lengthMs: number;
  /** No more than these. */
  readonly most: number;
  /** What the clock here is ahead of UTC. */
  readonly aheadMs: number;
}

/** Moments of the clock that are round, in the time of here. */
export function timeTicks({ startMs, lengthMs, most, aheadMs }: TicksOptions): readonly TimeTick[] {
  const step = STEPS.find((one) => lengthMs / one <= most) ?? DAY * Math.ceil(lengthMs / DAY / most);
  const here = startMs + aheadMs;
  const ticks: TimeTick[] = [];
  for (let at = Math.ceil(here / step) * step; at <= here + lengthMs; at += step)
    ticks.push({ at: at - here, label: clockText(at, step) });
  return ticks;
}

function clockText(hereMs: number, step: number): string {
  const text = new Date(hereMs).toISOString();
  if (step >= DAY) return text.slice(5, 10);
  if (step < MINUTE) return text.slice(11, 19);
  const isMidnight = text.slice(11, 16) === '00:00';
  return isMidnight ? text.slice(5, 10) : text.slice(11, 16);
}
