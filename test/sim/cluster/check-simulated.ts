import { type JobId, type Lease, parseJob, SharedRun } from '../../../src/cluster/index.ts';
import { allWriters, readWriter } from './sim-samples.ts';
import type { Simulated } from './simulate.ts';

/** What must hold of every shared run, whatever went wrong. Gives a sentence for each thing that does not. */
export async function problemsOf(simulated: Simulated): Promise<readonly string[]> {
  return [
    ...simulated.seen,
    ...incomplete(simulated),
    ...(await withoutResult(simulated)),
    ...ofLeases(simulated),
    ...boughtTwice(simulated),
    ...builtTwice(simulated),
    ...begunTooEarly(simulated),
    ...boughtInVain(simulated),
    ...takenThoughCancelled(simulated),
    ...(await ofOrder(simulated)),
  ];
}

function incomplete({ shared, endedAtMs }: Simulated): readonly string[] {
  if (shared.isComplete) return [];
  const left = [...shared.jobs()].filter((job) => !shared.endOf(job));
  return [`after ${endedAtMs} ms the run is not complete: ${left.join(', ')}`];
}

/** A record of one of its leases was damaged, if only for a while. */
function wasTorn({ torn }: Simulated, job: JobId): boolean {
  return [...torn.keys()].some((key) => key.includes(`/${job}.`));
}

/** Each job that is over has one result, and all that it promises is in the bucket. */
async function withoutResult(simulated: Simulated): Promise<readonly string[]> {
  const { shared, bucket, scripts } = simulated;
  const problems: string[] = [];
  const everybody = await allWriters(bucket);
  for (const job of shared.jobs()) {
    const completed = shared.leasesOf(job).filter(({ ended }) => ended?.status === 'completed');
    // One that could not be read was gone past, and is whole again.
    const isExcused = wasTorn(simulated, job);
    if (completed.length > 1 && !isExcused) problems.push(`${job} has ${completed.length} results`);
    const end = shared.endOf(job);
    if (!end || end.status === 'aside') continue;
    const [writer = ''] = end.origin?.split('/') ?? [];
    const rows = await readWriter(bucket, writer);
    if (!rows.some((row) => 'result' in row && row.result === `${job} ${end.origin}`))
      problems.push(`${job} ended ${end.status}, and ${end.origin} is not in the bucket`);
    const known = new Set<string>();
    const writers = isExcused ? everybody : shared.leasesOf(job).map(({ begun }) => begun.writer);
    for (const one of writers)
      for (const row of await readWriter(bucket, one)) if ('answer' in row) known.add(row.answer);
    for (let call = 1; call <= (scripts.get(job)?.calls ?? 0); call++)
      if (!known.has(`${job}/${call}`)) problems.push(`answer ${call} of ${job} is lost`);
  }
  return problems;
}

function ofLeases(simulated: Simulated): readonly string[] {
  const { shared, struck, scripts, wasCalm, wasBucketWell } = simulated;
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
      if (ended?.status === 'lost' && wasBucketWell && isKnown && !struck.has(begun.worker))
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
function takenAlong(leases: readonly Lease[], { shared, poisoned, createdAtMs }: Simulated): number {
  return leases.filter(({ begun, ended }) => {
    const poison = poisoned.get(begun.writer);
    if (ended?.status !== 'lost' || !poison || poison.job === begun.job) return false;
    return poison.atMs < (createdAtMs.get(shared.keys.ended(begun.job, begun.n)) ?? 0);
  }).length;
}

/** What a worker may buy after its lease was ended by another: it looks every three seconds. */
const NOTICED_MS = 4_000;

/** A worker that was declared lost stops soon after it can know. */
function boughtInVain({ ledger, shared, struck, createdAtMs, wasBucketWell }: Simulated): readonly string[] {
  if (!wasBucketWell) return [];
  return ledger.flatMap(({ job, n, by, boughtAtMs }) => {
    const end = shared.leasesOf(job).find(({ begun }) => begun.n === n)?.ended;
    if (!end || end.by === by) return [];
    const endedAtMs = createdAtMs.get(shared.keys.ended(job, n)) ?? 0;
    const { wellAtMs: allMs = [], cutOff = [] } = struck.get(by) ?? {};
    if (cutOff.some(({ fromMs, untilMs }) => fromMs <= boughtAtMs && boughtAtMs <= untilMs)) return [];
    const wellAtMs = Math.max(0, ...allMs.filter((ms) => ms <= boughtAtMs));
    const couldKnowMs = Math.max(endedAtMs, wellAtMs) + NOTICED_MS;
    return boughtAtMs > couldKnowMs
      ? [`${by} bought for ${job} at ${boughtAtMs}, although ${end.by} had ended its lease at ${endedAtMs}`]
      : [];
  });
}

/** Nothing is taken of a cancelled round, but what was on its way. */
function takenThoughCancelled({ shared, createdAtMs, struck, wasBucketWell }: Simulated): readonly string[] {
  if (!wasBucketWell) return [];
  const problems: string[] = [];
  for (const job of shared.jobs())
    for (const { begun } of shared.leasesOf(job)) {
      const cancelledAtMs = createdAtMs.get(shared.keys.cancelled(begun.round));
      const begunAtMs = createdAtMs.get(shared.keys.begun(job, begun.n)) ?? 0;
      if (cancelledAtMs !== undefined && begunAtMs > cancelledAtMs + 200 && !struck.has(begun.worker))
        problems.push(
          `${job} was taken at ${begunAtMs}, although round ${begun.round} was cancelled at ${cancelledAtMs}`,
        );
    }
  return problems;
}

/** An answer that was in the bucket before a lease began is not bought under it. */
function boughtTwice({ ledger }: Simulated): readonly string[] {
  const problems: string[] = [];
  for (const later of ledger)
    for (const first of ledger) {
      if (first === later || first.job !== later.job || first.call !== later.call) continue;
      if (first.writer === later.writer && later.boughtAtMs > first.boughtAtMs)
        problems.push(`${later.by} bought answer ${later.call} of ${later.job} twice`);
      if (first.storedAtMs !== undefined && first.storedAtMs < later.leaseAtMs)
        problems.push(
          `${later.by} bought answer ${later.call} of ${later.job} at ${later.boughtAtMs}, which ${first.by} had stored at ${first.storedAtMs}`,
        );
    }
  return problems;
}

/** A build is begun once, and once more for each worker that it lost, or that gave it back. */
function builtTwice(simulated: Simulated): readonly string[] {
  const { shared } = simulated;
  const problems: string[] = [];
  for (const job of shared.jobs()) {
    if (parseJob(job)?.kind !== 'build' || wasTorn(simulated, job)) continue;
    const leases = shared.leasesOf(job);
    const excused = leases.filter(
      ({ ended }) => ended?.status === 'lost' || ended?.status === 'returned',
    ).length;
    if (leases.length > excused + 1) problems.push(`${job} was built ${leases.length - excused} times`);
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
