import { InvalidArgumentError, Option } from 'commander';
import { systemClock } from '../../base/index.ts';
import type { RunFilter } from '../../results/index.ts';
import type { ResultsFlags } from './results-place.ts';

/** Which published runs: what the commands that take many have in common. */
export interface FilterFlags extends ResultsFlags {
  readonly eval?: string;
  readonly target?: string;
  readonly experiment?: string;
  readonly tag?: string;
  readonly status?: string;
  readonly since?: number;
}

export function filterOptions(): readonly Option[] {
  return [
    new Option('--eval <name>', 'only runs of this eval'),
    new Option('--target <name>', 'only runs on this target'),
    new Option('--experiment <name>', 'only runs of this experiment'),
    new Option('--tag <tag>', 'only runs with this tag'),
    new Option('--status <status>', 'only runs that ended so: success, error, cancelled'),
    new Option('--since <time>', 'only runs that began then or later: 2026-11-01, or 7d, 12h').argParser(
      parseSince,
    ),
  ];
}

export function filterOf(flags: FilterFlags): RunFilter {
  const { eval: name, target, experiment, tag, status, since: sinceMs } = flags;
  return {
    ...(name === undefined ? {} : { eval: name }),
    ...(target === undefined ? {} : { target }),
    ...(experiment === undefined ? {} : { experiment }),
    ...(tag === undefined ? {} : { tag }),
    ...(status === undefined ? {} : { status }),
    ...(sinceMs === undefined ? {} : { sinceMs }),
  };
}

const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** A date, a time, or how long ago. Gives milliseconds. */
function parseSince(text: string): number {
  const ago = /^(\d+)([mhdw])$/.exec(text);
  const ms = ago ? systemClock.nowMs() - Number(ago[1]) * (UNITS[ago[2] ?? 'd'] ?? 0) : Date.parse(text);
  if (!Number.isFinite(ms))
    throw new InvalidArgumentError('Write a date such as 2026-11-01, or how long ago: 7d, 12h.');
  return ms;
}
