import { definedOf } from '../base/index.ts';
import type { LeaseEnded } from './shared-records.ts';

/** What the end of a lease says of its evidence: nothing when there was none, and no word of what is not missing. */
export function tallyOf({
  parts,
  bytes,
  cutBytes,
  leftOut,
  unstoredBytes,
}: Required<NonNullable<LeaseEnded['evidence']>>): LeaseEnded['evidence'] {
  if (parts === 0 && unstoredBytes === 0) return undefined;
  return {
    ...{ parts, bytes },
    ...definedOf({
      cutBytes: cutBytes || undefined,
      leftOut: leftOut || undefined,
      unstoredBytes: unstoredBytes || undefined,
    }),
  };
}
