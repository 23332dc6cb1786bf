import { type JsonObject, toJson } from '../../base/index.ts';
import type { DamagedObject } from '../../cluster/index.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import type { Style } from '../style.ts';
import { oneLine } from '../table.ts';

const SHOWN_MAX = 20;

/** What of a run cannot be read, and what can be done about it [SHR-24]. */
export function damageLines(run: string, damaged: readonly DamagedObject[], style: Style): string[] {
  if (damaged.length === 0) return [];
  const more = damaged.length - SHOWN_MAX;
  return [
    ...damaged
      .slice(0, SHOWN_MAX)
      .map(({ job, problem }) =>
        style.bad(`damaged${job === undefined ? '' : ` ${job}`}: ${oneLine(problem)}`),
      ),
    ...(more > 0 ? [style.bad(`${more} more of these: see --json`)] : []),
    `Nothing else is lost by it. Restore it from a copy, or run again what it is of: holdfast runs resume ${run}`,
  ];
}

/** Whatever else is so: nobody may read that all went well, or that only samples failed. */
export function exitAfterDamage(exitCode: ExitCode, damaged: readonly DamagedObject[]): ExitCode {
  return damaged.length > 0 ? EXIT.damage : exitCode;
}

export function damagedJson(damaged: readonly DamagedObject[]): JsonObject[] {
  return damaged.map((one) => toJson(one) as JsonObject);
}
