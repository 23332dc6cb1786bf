import { join } from 'node:path';
import { ActionableError, messageOf } from '../base/index.ts';
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
  for await (const { name, sizeBytes } of places.logs.list()) {
    try {
      if ((await bucket.stat(name))?.sizeBytes === sizeBytes) continue;
      if (await isFinishedHere(settings, plan, name))
        await shipLog({ disk, path: join(places.logDir, name), bucket, key: name });
    } catch (error) {
      unshipped.set(name, messageOf(error));
    }
  }
  return unshipped;
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
