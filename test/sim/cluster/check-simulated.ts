import { type Lease, parseJob, SharedRun } from '../../../src/cluster/index.ts';
import { problemsOfFetches } from './check-fetches.ts';
import { problemsOfLosses } from './check-losses.ts';
import { problemsOfPurchases } from './check-purchases.ts';
import { readWriters } from './sim-samples.ts';
import type { Simulated } from './simulate.ts';
import { wasTorn } from './was-torn.ts';

/** What must hold of every shared run, whatever went wrong. Gives a sentence for each thing that does not. */
export async function problemsOf(simulated: Simulated): Promise<readonly string[]> {
  return [
    ...simulated.seen,
    ...incomplete(simulated),
    ...(await withoutResult(simulated)),
    ...ofLeases(simulated),
    ...problemsOfPurchases(simulated),
    ...(await problemsOfLosses(simulated)),
    ...(await problemsOfFetches(simulated)),
    ...builtTwice(simulated),
    ...begunTooEarly(simulated),
    ...takenThoughCancelled(simulated),
    ...(await ofOrder(simulated)),
  ];
}

function incomplete({ shared, endedAtMs }: Simulated): readonly string[] {
  if (shared.isComplete) return [];
  const left = [...shared.jobs()].filter((job) => !shared.endOf(job));
  return [`after ${endedAtMs} ms the run is not complete: ${left.join(', ')}`];
}

/** Each job that is over has one result, and all that it promises is in the bucket. */
async function withoutResult(simulated: Simulated): Promise<readonly string[]> {
  const { shared, bucket, scripts } = simulated;
  const problems: string[] = [];
  const all = await readWriters(bucket);
  for (const job of shared.jobs()) {
    const completed = shared.leasesOf(job).filter(({ ended }) => ended?.status === 'completed');
    // One that could not be read was gone past, and is whole again.
    const isExcused = wasTorn(simulated, job);
    if (completed.length > 1 && !isExcused) problems.push(`${job} has ${completed.length} results`);
    const end = shared.endOf(job);
    if (!end || end.status === 'aside') continue;
    const [writer = ''] = end.origin?.split('/') ?? [];
    const rows = all.get(writer) ?? [];
    if (!rows.some((row) => 'result' in row && row.result === `${job} ${end.origin}`))
      problems.push(`${job} ended ${end.status}, and ${end.origin} is not in the bucket`);
    const known = new Set<string>();
    const writers = isExcused ? all.keys() : shared.leasesOf(job).map(({ begun }) => begun.writer);
    for (const one of writers)
      for (const row of all.get(one) ?? []) if ('answer' in row) known.add(row.answer);
    for (let call = 1; call <= (scripts.get(job)?.calls ?? 0); call++)
      if (!known.has(`${job}/${call}`)) problems.push(`answer ${call} of ${job} is lost`);
  }
  return problems;
}

function ofLeases(simulated: Simulated): readonly string[] {
  const { shared, strikes, scripts, wasCalm, wasBucketWell } = simulated;
  const problems: string[] = [];
  for (const job of shared.jobs()) {
    const leases = shared.leasesOf(job);
    const end = shared.endOf(job);
    if (end?.status === 'errored' && end.round !== shared.round)
      problems.push(`${job} failed in round ${end.round}, and was not tried again`);
    leases.forEach(({ begun, ended, damaged }, index) => {
      if (begun.n !== index + 1 && !wasTorn(simulated, job))
        problems.push(`${job} has no lease ${index + 1}`);
      if (ended?.status === 'lost' && (ended.reason ?? '') === '')
        problems.push(`${job} lost ${begun.worker} without a reason`);
      const isKnown = !damaged?.some(({ key }) => key.endsWith('.begun'));
      if (ended?.status === 'lost' && wasBucketWell && isKnown && !strikes.struck.has(begun.worker))
        problems.push(`${begun.worker} was well, and was declared lost`);
      if (ended?.status === 'aside' && !scripts.get(job)?.isPoison && wasCalm)
        problems.push(`${job} was set aside`);
      if (takenAlong(leases, simulated) > 1) problems.push(`${job} was lost more than once with others`);
      const isLast = index === leases.length - 1;
      if (!ended && !isLast && !damaged)
        problems.push(`lease ${begun.n} of ${job} was followed by another while it was open`);
    });
  }
  return problems;
}

/** How often a job was lost by what another job did to its worker, or to what runs both. */
function takenAlong(leases: readonly Lease[], { shared, strikes, createdAtMs }: Simulated): number {
  return leases.filter(({ begun, ended }) => {
    const poison = strikes.poisoned.get(begun.writer);
    if (ended?.status !== 'lost' || !poison || poison.job === begun.job) return false;
    return poison.atMs < (createdAtMs.get(shared.keys.ended(begun.job, begun.n)) ?? 0);
  }).length;
}

/** Nothing is taken of a cancelled round, but what was on its way. */
function takenThoughCancelled({ shared, createdAtMs, strikes, wasBucketWell }: Simulated): readonly string[] {
  if (!wasBucketWell) return [];
  const problems: string[] = [];
  for (const job of shared.jobs())
    for (const { begun } of shared.leasesOf(job)) {
      const cancelledAtMs = createdAtMs.get(shared.keys.cancelled(begun.round));
      const begunAtMs = createdAtMs.get(shared.keys.begun(job, begun.n)) ?? 0;
      if (cancelledAtMs !== undefined && begunAtMs > cancelledAtMs + 200 && !strikes.struck.has(begun.worker))
        problems.push(
          `${job} was taken at ${begunAtMs}, although round ${begun.round} was cancelled at ${cancelledAtMs}`,
        );
    }
  return problems;
}

/** A build is begun once, and once more for each worker that it lost, or that could not go on with it: it was struck, the round was cancelled or the bucket away. */
function builtTwice(simulated: Simulated): readonly string[] {
  const { shared, strikes, createdAtMs, wasBucketWell } = simulated;
  const problems: string[] = [];
  const isExcused = ({ begun, ended }: Lease) =>
    ended?.status === 'lost' ||
    (ended?.status === 'returned' &&
      (!wasBucketWell ||
        strikes.struck.has(begun.worker) ||
        createdAtMs.has(shared.keys.cancelled(begun.round))));
  for (const job of shared.jobs()) {
    if (parseJob(job)?.kind !== 'build' || wasTorn(simulated, job)) continue;
    const built = shared.leasesOf(job).filter((lease) => !isExcused(lease));
    if (built.length > 1) problems.push(`${job} was built ${built.length} times`);
  }
  return problems;
}

/** [SHR-11] Nothing is begun before what it needs is over. */
function begunTooEarly(simulated: Simulated): readonly string[] {
  const { shared, createdAtMs } = simulated;
  const problems: string[] = [];
  for (const job of shared.jobs())
    for (const need of shared.needsOf(job)) {
      // What is damaged is waited for by nobody.
      if (wasTorn(simulated, need)) continue;
      const overAtMs = shared
        .leasesOf(need)
        .filter(({ ended }) => ended?.status === 'completed' || ended?.status === 'aside')
        .map(({ begun }) => createdAtMs.get(shared.keys.ended(need, begun.n)) ?? Infinity);
      const [first] = shared.leasesOf(job);
      const begunAtMs = first ? (createdAtMs.get(shared.keys.begun(job, 1)) ?? 0) : Infinity;
      if (begunAtMs < Math.min(...overAtMs)) problems.push(`${job} was begun before ${need} was over`);
    }
  return problems;
}

/** Whoever reads a run sees the same, in whatever order its bucket names things. */
async function ofOrder({ shared, bucket }: Simulated): Promise<readonly string[]> {
  const reversed = {
    ...bucket,
    async *list(folder: string) {
      yield* (await Array.fromAsync(bucket.list(folder))).reverse();
    },
  };
  const other = await SharedRun.open({ bucket: reversed, prefix: '' }, shared.run);
  const seen = (one: SharedRun | undefined) =>
    one && JSON.stringify([one.round, one.isComplete, [...one.jobs()].map((job) => one.endOf(job))]);
  return seen(other) === seen(shared) ? [] : ['read in another order it is another run'];
}
