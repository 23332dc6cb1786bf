import { eventsOf, type JobId, statusOf } from '../../../src/cluster/index.ts';
import { accountOf } from './sim-fetch.ts';
import type { WitnessedLease } from './sim-witness.ts';
import type { Simulated } from './simulate.ts';
import { wasTorn } from './was-torn.ts';

/** Every loss is named: by its worker, by what a fetch reports, and by what `runs status` and `runs events` say. */
export async function problemsOfLosses(simulated: Simulated): Promise<readonly string[]> {
  const { shared, bucket, witnessed, torn } = simulated;
  const lost = witnessed.filter(({ ended }) => ended?.status === 'lost');
  const account = await accountOf(shared, bucket);
  const reported = new Set(account.lostLeases.map(({ job, n, by, reason }) => [job, n, by, reason].join()));
  const told = new Set(
    eventsOf(shared).flatMap((event) =>
      event.kind === 'ended' && event.status === 'lost' ? `${event.job} ${event.n} ${event.worker}` : [],
    ),
  );
  const problems: string[] = [];
  for (const { job, n, worker, ended } of lost) {
    const what = `lease ${n} of ${job}, which ${worker} lost,`;
    if (!ended?.reason.includes(worker)) problems.push(`${what} has a reason that does not name it`);
    if (wasTorn(simulated, job)) continue;
    if (!reported.has([job, n, ended?.by, ended?.reason].join()))
      problems.push(`${what} is not in the report`);
    if (!told.has(`${job} ${n} ${worker}`)) problems.push(`${what} is no event of the run`);
  }
  const { lostLeases, state } = statusOf(shared, { workers: [], nowMs: undefined });
  if (torn.size === 0 && (lostLeases !== lost.length || account.lostLeases.length !== lost.length))
    problems.push(`${lost.length} leases were lost, status says ${lostLeases}`);
  if ((state === 'complete') !== account.isComplete)
    problems.push(`it is ${state}, and a fetch says another`);
  if (torn.size === 0)
    problems.push(...account.lostResults.map((job) => `a fetch misses the result of ${job}`));
  return [...problems, ...asideUnnamed(simulated, lost)];
}

/** What is set aside names all workers that it lost in that round. */
function asideUnnamed(simulated: Simulated, lost: readonly WitnessedLease[]): readonly string[] {
  const { witnessed } = simulated;
  const workersOf = (job: JobId, round: number) =>
    lost.filter((one) => one.job === job && one.round === round).map(({ worker }) => worker);
  return witnessed.flatMap(({ job, round, ended }) =>
    ended?.status === 'aside' && !wasTorn(simulated, job)
      ? workersOf(job, round).flatMap((worker) =>
          ended.reason.includes(worker) ? [] : [`${job} was set aside, and ${worker} is not named`],
        )
      : [],
  );
}
