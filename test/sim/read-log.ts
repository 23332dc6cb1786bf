import { nodeDisk } from '../../src/disk/index.ts';
import { type EvalSample, type LogHeader, openLog } from '../../src/log/index.ts';

/** Every sample of a log, whole, in the order of the log. */
export async function samplesOf(path: string): Promise<EvalSample[]> {
  const reader = await openLog(nodeDisk, path);
  const samples: EvalSample[] = [];
  for (const { id, epoch } of await reader.samples()) {
    const sample = await reader.sample(id, epoch);
    if (!sample) throw new Error(`${path} names the sample ${id} (epoch ${epoch}) and does not have it.`);
    samples.push(sample);
  }
  await reader.close();
  return samples;
}

export async function headerOf(path: string): Promise<LogHeader> {
  const reader = await openLog(nodeDisk, path);
  const header = await reader.header();
  await reader.close();
  return header;
}
