import { InvalidArgumentError } from 'commander';
import { systemClock } from '../../base/index.ts';

const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** A date, a time, or how long ago. Gives milliseconds. */
export function parseSince(text: string): number {
  const ago = /^(\d+)([mhdw])$/.exec(text);
  const ms = ago ? systemClock.nowMs() - Number(ago[1]) * (UNITS[ago[2] ?? 'd'] ?? 0) : Date.parse(text);
  if (!Number.isFinite(ms))
    throw new InvalidArgumentError('Write a date such as 2026-11-01, or how long ago: 7d, 12h.');
  return ms;
}
