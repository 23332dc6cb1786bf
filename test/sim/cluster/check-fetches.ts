import { fetchedKey } from '../../../src/cluster/shared-keys.ts';
import { type FetchedRun, isWhole } from './sim-fetch.ts';
import type { Simulated } from './simulate.ts';
import { wasTorn } from './was-torn.ts';

/** Of those who fetch a run while it is worked on, and at once, each is told the same, and nothing that turns out otherwise. */
export async function problemsOfFetches(simulated: Simulated): Promise<readonly string[]> {
  const { fetches, bucket, shared } = simulated;
  const problems: string[] = [];
  const done = fetches.filter((one) => one.kind === 'fetched');
  for (const { by, kind } of fetches)
    if (kind === 'removed') problems.push(`${by} was told that the run was removed`);
  for (const fetched of done) {
    problems.push(...missed(fetched, simulated));
    const { by, report, notedAtMs } = fetched;
    if (notedAtMs === undefined) continue;
    const key = fetchedKey(shared.keys, report.round, isWhole(report));
    if (!(await bucket.stat(key)))
      problems.push(`${by} brought home round ${report.round}, and nothing says so`);
  }
  const complete = done.filter(({ report }) => report.isComplete && isWhole(report));
  for (const ofRound of Map.groupBy(complete, ({ report }) => report.round).values())
    problems.push(...unlike(ofRound, simulated));
  return problems;
}

/** What it said is there was there, and is the result that counts to the end. */
function missed({ by, report, chosen }: FetchedRun, simulated: Simulated): readonly string[] {
  const lost = report.lostResults.filter((job) => !wasTorn(simulated, job));
  const problems = lost.map((job) => `${by} was told that the result of ${job} is lost`);
  for (const [job, origin] of chosen) {
    const end = simulated.shared.endOf(job);
    if (!wasTorn(simulated, job) && (end?.status !== 'completed' || end.origin !== origin))
      problems.push(`${by} fetched ${origin} of ${job}, and in the end it is ${end?.origin}`);
  }
  return problems;
}

/** A run that is complete has one account, whoever asks for it and when. Late segments of whoever slept only add writers. */
function unlike(ofRound: readonly FetchedRun[], { torn }: Simulated): readonly string[] {
  if (torn.size > 0) return [];
  const told = ({ report, chosen }: FetchedRun) =>
    JSON.stringify([{ ...report, writers: 0 }, [...chosen].sort()]);
  const [first, ...others] = ofRound;
  return others.flatMap((one) =>
    first && told(one) !== told(first)
      ? [`${first.by} and ${one.by} fetched another account: ${told(first)} ${told(one)}`]
      : [],
  );
}
