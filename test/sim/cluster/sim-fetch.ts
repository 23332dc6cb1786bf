import type { Bucket } from '../../../src/bucket/index.ts';
import { type HomeReport, reportOf } from '../../../src/cluster/come-home.ts';
import type { SharedRun } from '../../../src/cluster/index.ts';
import { allWriters, readWriter } from './sim-samples.ts';

/** What a fetch says of a run as it was read: the product's own account, of journals that are stand-ins. */
export async function accountOf(shared: SharedRun, bucket: Bucket): Promise<HomeReport> {
  const there = new Set<string>();
  const writers = await allWriters(bucket);
  for (const writer of writers)
    for (const row of await readWriter(bucket, writer))
      if ('result' in row) there.add(row.result.split(' ')[1] ?? '');
  return reportOf(shared, {
    ...{ writers: writers.length, usd: 0, problems: [], evidence: undefined },
    there,
  });
}
