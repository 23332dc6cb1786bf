import { UsageError } from '../base/index.ts';
import type { Position } from '../log/index.ts';
import { tryParse } from './stored-documents.ts';

/**
 * How far a reader has got in the journals of a run: a number for each of several things, by name. As every journal only
 * grows, "all beyond these numbers" is what is new, however many writers there are by then.
 */
export type Progress = Readonly<Record<string, number>>;

export function toPosition(progress: Progress): Position {
  return JSON.stringify(progress) as Position;
}

export function fromPosition(position: Position | undefined): Progress {
  if (position === undefined) return {};
  const value = tryParse(position);
  if (isProgress(value)) return value;
  throw notAPosition(position);
}

export function notAPosition(position: string): UsageError {
  return new UsageError({
    code: 'E_RUN_POSITION',
    message: `${JSON.stringify(position)} is not a position in the journals of a run.`,
    hint: 'Give back a position that a reader of this run gave, or none to begin at its start.',
  });
}

function isProgress(value: unknown): value is Progress {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.values(value).every((number) => typeof number === 'number')
  );
}
