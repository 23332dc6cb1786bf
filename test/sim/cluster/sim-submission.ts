import { type Random, seededRandom } from '../../../src/base/index.ts';
import {
  type JobId,
  parseJob,
  rangesText,
  SHARED_VERSION,
  type Submission,
} from '../../../src/cluster/index.ts';
import { NO_WORK } from '../submitted-work.ts';
import { simUnit } from './sim-builds.ts';
import type { JobScript } from './sim-samples.ts';

export const RUN = 'run';
export const LOST_MAX = 3;

/** Up to twelve samples, and up to two builds that some of them read. */
export function makeSubmission(random: Random): Submission {
  const samples = 1 + Math.floor(12 * random.next());
  const kinds = Math.floor(3 * random.next());
  const builds = Array.from({ length: kinds }, (_, kind) => {
    const { job, recipe, parts } = simUnit(kind);
    const needed = Array.from({ length: samples }, (_, at) => at).filter((at) => at % (kinds + 1) === kind);
    // The second is made of the first.
    const needs = kind === 1 ? [simUnit(0).job] : [];
    return { job, unit: `${parts.kind}/${parts.key}`, recipe, samples: rangesText(needed), needs };
  });
  return {
    ...{ format: 'holdfast-submission', version: SHARED_VERSION, run: RUN, at: '', by: 'laptop' },
    ...{ work: NO_WORK, samples, lent: '', builds, lostMax: LOST_MAX },
    // The simulated journals have no use for more of it.
    record: Object.assign(Object.create(null), { identity: { eval: 'none', targetName: 'none' } }),
  };
}

export function makeScript(seed: number, job: JobId, isCalm: boolean): JobScript {
  const random = seededRandom(
    seed * 7_919 + [...job].reduce((sum, letter) => 31 * sum + letter.charCodeAt(0), 7),
  );
  return {
    calls: 1 + Math.floor(3 * random.next()),
    callMs: 200 + 20_000 * random.next() ** 2,
    worksInRound: random.next() < 0.1 ? 2 : 1,
    isPoison: !isCalm && parseJob(job)?.kind === 'sample' && random.next() < 0.02,
    killsWorker: random.next() < 0.5,
  };
}
