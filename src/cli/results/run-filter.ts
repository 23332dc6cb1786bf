import { Option } from 'commander';
import { definedOf } from '../../base/index.ts';
import type { RunFilter } from '../../results/index.ts';
import { parseSince } from './parse-since.ts';
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

/** Of finished runs and logs, and of those of which there are only journals. */
const STATUSES = ['success', 'error', 'cancelled', 'started', 'running', 'interrupted', 'unknown'];

export function filterOptions(): readonly Option[] {
  return [
    new Option('--eval <name>', 'only runs of this eval'),
    new Option('--target <name>', 'only runs on this target'),
    new Option('--experiment <name>', 'only runs of this experiment'),
    new Option('--tag <tag>', 'only runs with this tag'),
    new Option('--status <status>', 'only such runs').choices(STATUSES),
    new Option('--since <time>', 'only runs that began then or later: 2026-11-01, or 7d, 12h').argParser(
      parseSince,
    ),
  ];
}

export function filterOf(flags: FilterFlags): RunFilter {
  const { eval: name, target, experiment, tag, status, since: sinceMs } = flags;
  return definedOf({ eval: name, target, experiment, tag, status, sinceMs });
}
