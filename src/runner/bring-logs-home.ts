import { join } from 'node:path';
import { ActionableError, messageOf } from '../base/index.ts';
import { commitNewFile, tempPathFor } from '../disk/index.ts';
import { bucketLogStore } from '../log/index.ts';
import { headerOfEval } from './log-of-eval.ts';
import type { SegmentPlace } from './places.ts';
import type { Plan } from './plan.ts';
import type { RunSettings } from './settings.ts';

/**
 * Brings home finished logs of this eval that are in the bucket and not here: the machine that made them is gone, and what
 * they hold was paid for. Gives sentences about what was found.
 *
 * ### Ordering
 * A log is downloaded whole and synced under a temporary name, and then gets its own.
 */
export async function bringLogsHome(settings: RunSettings, plan: Plan): Promise<readonly string[]> {
  const { segments, logs } = settings.places;
  if (!segments || settings.reuse === 'none') return [];
  const away = bucketLogStore(segments.bucket, '', { disk: settings.disk });
  const notes: string[] = [];
  for await (const { name } of away.list()) {
    if (await logs.stat(name)) continue;
    try {
      if (!(await headerOfEval(away, name, plan))) continue;
      await download(settings, segments, name);
      notes.push(`${name} came home from the bucket.`);
    } catch (error) {
      if (!(error instanceof ActionableError)) throw error;
      notes.push(`${away.placeOf(name)} could not be used: ${messageOf(error)}`);
    }
  }
  return notes;
}

async function download(
  { disk, places }: RunSettings,
  { bucket }: SegmentPlace,
  name: string,
): Promise<void> {
  await disk.makeDir(places.logDir);
  const path = join(places.logDir, name);
  const temp = tempPathFor(path);
  if (await bucket.download(name, temp)) await commitNewFile(disk, temp, path);
}
