import { definedOf } from '../base/index.ts';
import { type JobName, jobNames } from './job-names.ts';
import type { Lease } from './lease-standing.ts';
import type { JobId } from './shared-keys.ts';
import type { Cancelled, LeaseEnded } from './shared-records.ts';
import type { SharedRun } from './shared-run.ts';

/** One thing that happened to a shared run, as the bucket tells it. Times are those of whoever wrote it down. */
export type RunEvent =
  | { readonly kind: 'submitted'; readonly at: string; readonly by: string }
  | {
      readonly kind: 'round' | 'cancelled';
      readonly at: string;
      readonly round: number;
      readonly by: string;
      readonly reason?: string;
    }
  | ({ readonly kind: 'begun' } & LeaseEvent)
  | ({
      readonly kind: 'ended';
      readonly status: LeaseEnded['status'];
      /** Who says so; another than the worker when that was lost. */
      readonly by: string;
    } & LeaseEvent &
      Partial<Pick<LeaseEnded, 'reason' | 'usd' | 'evidence'>>);

/** With what people call its job. */
interface LeaseEvent extends JobName {
  readonly at: string;
  readonly round: number;
  readonly job: JobId;
  /** Which lease of the job. */
  readonly n: number;
  readonly worker: string;
  readonly writer: string;
}

/** What is asked for; nothing: all of it. */
export interface EventFilter {
  readonly job?: JobId | undefined;
  readonly worker?: string | undefined;
}

/** All that happened, by time; what one lease is about stays in its order whatever clocks say. */
export function eventsOf(shared: SharedRun, { job, worker }: EventFilter = {}): readonly RunEvent[] {
  const { at, by } = shared.submission;
  const events: RunEvent[] = [{ kind: 'submitted', at, by }];
  for (const { begun, cancelled } of shared.rounds) {
    events.push({ kind: 'round', at: begun.at, round: begun.n, by: begun.by });
    if (cancelled) events.push(ofCancel(cancelled));
  }
  const nameOf = jobNames(shared.submission);
  for (const one of job === undefined ? shared.jobs() : [job])
    for (const lease of shared.leasesOf(one))
      if (worker === undefined || lease.begun.worker === worker) events.push(...ofLease(lease, nameOf(one)));
  return events.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
}

function ofCancel({ at, round, by, reason }: Cancelled): RunEvent {
  return { kind: 'cancelled', at, round, by, ...definedOf({ reason }) };
}

function ofLease({ begun, ended }: Lease, name: JobName): readonly RunEvent[] {
  const { job, n, round, worker, writer } = begun;
  const about = { round, job, ...name, n, worker, writer };
  const began: RunEvent = { kind: 'begun', at: begun.at, ...about };
  if (!ended) return [began];
  const { status, by, reason, usd, evidence } = ended;
  // Whoever ended it may have another clock.
  const isBehind = ended.at < begun.at;
  const at = (isBehind ? begun : ended).at;
  return [began, { kind: 'ended', at, ...about, status, by, ...definedOf({ reason, usd, evidence }) }];
}

/** What tells one event from all others of its run. */
export function eventName(event: RunEvent): string {
  if (event.kind === 'submitted') return event.kind;
  if (event.kind === 'begun' || event.kind === 'ended') return `${event.kind} ${event.job}.${event.n}`;
  return `${event.kind} ${event.round}`;
}
