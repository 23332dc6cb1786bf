import { join } from 'node:path';
import { ActionableError, messageOf } from '../base/index.ts';
import type { Bucket } from '../bucket/index.ts';
import { shipLog } from '../seal/index.ts';
import { headerOfEval } from './log-of-eval.ts';
import type { Plan } from './plan.ts';
import type { RunSettings } from './settings.ts';

/**
 * Puts finished logs of this eval that are here and not in the bucket there: a run whose bucket was away when it ended, or
 * that died right after its log had its name, left them behind. Gives the logs that the bucket still lacks, with the reason.
 *
 * A log is known to be there by its name and its size; whoever removes segments because of it compares every byte [SEG-9].
 */
export async function shipLogs(settings: RunSettings, plan: Plan): Promise<ReadonlyMap<string, string>> {
  const { disk, places } = settings;
  const unshipped = new Map<string, string>();
  if (!places.segments) return unshipped;
  const { bucket } = places.segments;
  const there = await listSizes(bucket);
  for await (const { name, sizeBytes } of places.logs.list()) {
    if (there.get(name) === sizeBytes) continue;
    try {
      if (await isFinishedHere(settings, plan, name))
        await shipLog({ disk, path: join(places.logDir, name), bucket, key: name });
    } catch (error) {
      unshipped.set(name, messageOf(error));
    }
  }
  return unshipped;
}

/** One question for all logs. A bucket that does not answer it gives its reason when a log is to be shipped. */
async function listSizes(bucket: Bucket): Promise<ReadonlyMap<string, number>> {
  const sizes = new Map<string, number>();
  try {
    for await (const entry of bucket.listFolder(''))
      if (entry.kind === 'object') sizes.set(entry.key, entry.sizeBytes);
  } catch {
    // Nothing is known to be there: each log is then asked for by itself, and what fails is told.
    sizes.clear();
  }
  return sizes;
}

/** A log that cannot be read is named by whoever looks for samples to reuse. It is not whole, so it is not shipped. */
async function isFinishedHere({ places }: RunSettings, plan: Plan, name: string): Promise<boolean> {
  try {
    const header = await headerOfEval(places.logs, name, plan);
    return header !== undefined && header.status !== 'started';
  } catch (error) {
    if (error instanceof ActionableError) return false;
    throw error;
  }
}
