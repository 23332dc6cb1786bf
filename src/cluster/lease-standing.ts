import { type DamagedObject, UNKNOWN } from './damage.ts';
import type { LeaseBegun, LeaseEnded } from './shared-records.ts';

/** A lease as the bucket has it; without `ended` it is open, unless something of it is damaged. */
export interface Lease {
  readonly begun: LeaseBegun;
  readonly ended?: LeaseEnded | undefined;
  /** What of it is there and cannot be read [SHR-24]. */
  readonly damaged?: readonly DamagedObject[] | undefined;
}

/** What was seen of a lease: parts of it may be damaged, or not there yet. */
export type LeaseParts = Partial<Lease>;

/** How it stands with a job in a round [SHR-7] [SHR-24]. */
export type Standing =
  | { readonly kind: 'over'; readonly end: LeaseEnded }
  /** Nobody can tell what became of it: it is neither over nor due in this round. */
  | { readonly kind: 'damaged'; readonly damaged: readonly DamagedObject[] }
  | { readonly kind: 'held'; readonly by: LeaseBegun }
  /** `after`: the number of its last lease. `isOpen`: that cannot be read, and nothing says that it ended. */
  | { readonly kind: 'free'; readonly after: number; readonly isOpen: boolean };

/** By its leases, the first one first; `isPast` tells which damaged objects a round goes past. */
export function standingOf(
  leases: readonly (LeaseParts | undefined)[],
  round: number,
  isPast: (key: string) => boolean,
): Standing {
  const end = endOfJob(leases, round);
  if (end) return { kind: 'over', end };
  const after = leases.length;
  // A lease is begun only when the one before it has ended [SHR-3]: only the last one decides.
  const last = leases.at(-1);
  if (!last || last.ended) return { kind: 'free', after, isOpen: false };
  const damaged = last.damaged ?? [];
  if (damaged.some(({ key }) => !isPast(key))) return { kind: 'damaged', damaged };
  if (damaged.length > 0)
    return { kind: 'free', after, isOpen: !damaged.some(({ key }) => key.endsWith('.ended')) };
  return last.begun ? { kind: 'held', by: last.begun } : { kind: 'free', after, isOpen: false };
}

/**
 * By which end a job is over in a round; undefined when it is due [SHR-7]. What a later round is done with is over also for whoever is handed it
 * of an earlier one, late.
 */
export function endOfJob(
  leases: readonly (Pick<LeaseParts, 'ended'> | undefined)[],
  round: number,
): LeaseEnded | undefined {
  const ends = leases.flatMap((lease) => lease?.ended ?? []);
  return (
    ends.find(({ status }) => status === 'completed') ??
    ends.findLast((end) => end.round >= round && (end.status === 'errored' || end.status === 'aside'))
  );
}

/** What is known of a lease whose beginning cannot be read: its end says the rest. Undefined when nothing is known. */
export function knownLease(parts: LeaseParts): Lease | undefined {
  if (isBegun(parts)) return parts;
  return parts.ended && { ...parts, begun: begunOf(parts.ended) };
}

function isBegun(parts: LeaseParts): parts is Lease {
  return parts.begun !== undefined;
}

/** Whose it was its end does not say, which may be another's word: whoever needs its answers looks into all journals. */
function begunOf({ version, run, job, n, round, at }: LeaseEnded): LeaseBegun {
  return { format: 'holdfast-lease', version, run, job, n, round, worker: UNKNOWN, writer: UNKNOWN, at };
}

/** The same for whoever takes the job next: of a lease of which nothing is known it is at least known that it was. */
export function earlierLease(
  parts: LeaseParts,
  about: Pick<LeaseBegun, 'version' | 'run' | 'job' | 'n' | 'round'>,
): Lease {
  const nothing = { format: 'holdfast-lease', ...about, worker: UNKNOWN, writer: UNKNOWN, at: '' } as const;
  return knownLease(parts) ?? { begun: nothing, damaged: parts.damaged };
}
