import { join } from 'node:path';
import { seededRandom } from '../../src/base/index.ts';
import { nodeDisk } from '../../src/disk/index.ts';
import { createLogFile, type EvalSampleSummary } from '../../src/log/index.ts';
import { fixtureHeader, fixtureSpec } from '../sim/log-fixture.ts';
import { runIdAt } from '../sim/results-repo.ts';

/** Logs with nothing but their lists of samples: all that a matrix is made of. */
export async function writeMatrixLogs(
  dir: string,
  size: { readonly runs: number; readonly samples: number },
): Promise<void> {
  for (let n = 0; n < size.runs; n++) {
    const started_at = new Date(Date.UTC(2026, 2, 1) + n * 3_600_000).toISOString();
    const run = runIdAt(started_at, n);
    const spec = fixtureSpec({ run_id: run, eval_id: run, created: started_at, task: 'matrix' });
    const header = fixtureHeader({
      eval: spec,
      stats: { ...fixtureHeader().stats, started_at, completed_at: started_at },
    });
    const file = await createLogFile(nodeDisk, join(dir, `${run}.eval`));
    await file.writeStart({ version: 2, eval: spec, plan: header.plan });
    await file.writeSummaries(summaries(size.samples, n));
    await file.writeReductions([]);
    await file.writeHeader(header);
    await file.finish();
  }
}

/** A third always passes, a third always fails, a third flips. */
function summaries(samples: number, run: number): EvalSampleSummary[] {
  const random = seededRandom(run + 1);
  return Array.from({ length: samples }, (_, n) => ({
    id: `sample-${n}`,
    epoch: 1,
    input: 'q',
    target: 'a',
    metadata: {},
    scores: { exact: { value: n % 3 === 0 ? 'C' : n % 3 === 1 ? 'I' : random.next() < 0.5 ? 'C' : 'I' } },
    model_usage: {},
    role_usage: {},
    completed: true,
  }));
}
