import { definedOf } from '../../base/index.ts';
import { parseRanges, type SharedRun } from '../../cluster/index.ts';
import type { SharedBuild } from '../api.ts';
import type { SeenRun } from './shared-runs.ts';

type Build = SharedRun['submission']['builds'][number];

/** What the run builds before its samples can be run; what is under way first, then what waits, then what is over. */
export function buildsOf({ shared, status }: SeenRun, isHere: (digest: string) => boolean): SharedBuild[] {
  const inFlight = new Map(status.inFlight.map((one) => [one.job, one]));
  const views = shared.submission.builds.map((build): SharedBuild => {
    const { job, unit, recipe } = build;
    const end = shared.endOf(job);
    const flight = inFlight.get(job);
    return {
      ...{ job, unit, recipe, samples: readersOf(build), isHere: end?.pin ? isHere(end.pin.digest) : false },
      state: end ? overAs(end.status) : flight ? 'running' : openAs(shared, job),
      ...definedOf({ worker: flight?.worker, since: flight?.since, ageMs: flight?.ageMs }),
      ...definedOf({ generation: end?.pin?.generation, digest: end?.pin?.digest }),
      ...definedOf({ usd: end?.usd, reason: end?.reason, endedAt: end?.at }),
    };
  });
  return views.sort((a, b) => ORDER.indexOf(a.state) - ORDER.indexOf(b.state));
}

const ORDER: readonly SharedBuild['state'][] = [
  ...(['running', 'errored', 'aside', 'damaged', 'due', 'waiting', 'completed'] as const),
];

function openAs(shared: SharedRun, job: Build['job']): SharedBuild['state'] {
  if (shared.isDamaged(job)) return 'damaged';
  return shared.isDue(job) ? 'due' : 'waiting';
}

/** What is over ended in one of three ways [SHR-7]. */
function overAs(status: string): SharedBuild['state'] {
  return status === 'completed' ? 'completed' : status === 'aside' ? 'aside' : 'errored';
}

function readersOf({ samples }: Build): number {
  return (parseRanges(samples) ?? []).reduce((sum, [first, last]) => sum + last - first + 1, 0);
}
