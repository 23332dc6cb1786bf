import { DamageError } from '../base/index.ts';
import type { JobId } from './shared-keys.ts';

/** An object of a run that is there and cannot be used [SHR-24]. */
export interface DamagedObject {
  readonly key: string;
  /** The job whose lease it is of; absent for what is of the whole run. */
  readonly job?: JobId;
  /** What is wrong, in a sentence that names the object. */
  readonly problem: string;
}

export const DAMAGED_HINT =
  'It was left as it is. Restore it from a copy or an earlier version of the object, if the bucket keeps them; "holdfast runs resume" goes past all but a submission.';

/** Who did something when what says so cannot be read. */
export const UNKNOWN = 'unknown';

/**
 * Gives the damage in place of what the bytes should have said, for whoever can do without. What a later version wrote is no damage: nobody
 * may go on as if it were not there.
 */
export function orDamage<T>(decode: () => T): T | DamageError {
  try {
    return decode();
  } catch (error) {
    if (error instanceof DamageError && error.code === 'E_SHARED_DAMAGED') return error;
    throw error;
  }
}

/** For whoever cannot do without. */
export function damageOf({ problem }: DamagedObject): DamageError {
  return new DamageError({ code: 'E_SHARED_DAMAGED', message: problem, hint: DAMAGED_HINT });
}
