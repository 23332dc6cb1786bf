import { definedOf } from '../../base/index.ts';
import { ageOf, jobNames, type SeenWorker } from '../../cluster/index.ts';
import type { SharedWorker } from '../api.ts';

import type { SeenRun } from './shared-runs.ts';

/** The workers that have to do with a run: those about whom something is to be said first, then the busiest. */
export function workerViews({ shared, status, seen }: SeenRun): readonly SharedWorker[] {
  const nameOf = jobNames(shared.submission);
  const viewOf = ({ worker, host, state, slots, silentMs, busy, refuses }: SeenWorker): SharedWorker => {
    const own = busy.filter(({ run }) => run === shared.run);
    return {
      ...{ worker, state, slots, silentMs, others: busy.length - own.length },
      has: own.map(({ job, since }) => ({
        ...{ job, ...nameOf(job), since },
        ageMs: ageOf(seen, { worker, at: since }),
      })),
      ...definedOf({ host, refuses: refuses.find(({ run }) => run === shared.run)?.reason }),
    };
  };
  return status.workers.map(viewOf).sort((a, b) => rankOf(a) - rankOf(b) || b.has.length - a.has.length);
}

function rankOf({ state, refuses }: SharedWorker): number {
  if (state === 'silent') return 0;
  if (state === 'unknown') return 1;
  if (refuses !== undefined) return 2;
  return state === 'live' ? 3 : 4;
}
