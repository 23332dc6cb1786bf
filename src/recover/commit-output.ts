import { join } from 'node:path';
import { shortId, systemRandom } from '../base/index.ts';
import { commitFile, commitNewFile, type Disk, tempPathFor } from '../disk/index.ts';
import { besideLog, type LogSite, logNameOf, recoveredName } from './log-site.ts';
import { recoverErrors } from './recover-errors.ts';

/** A name for the log while it is written: nothing takes it for a log, and `sweepTemps` removes what a crash leaves. */
export function tempFor(output: LogSite, scratchDir: string): string {
  return output.path === undefined
    ? join(scratchDir, `.holdfast-${shortId(systemRandom)}.tmp`)
    : tempPathFor(output.path);
}

/**
 * Gives the finished file its place.
 *
 * ### Ordering
 * On this machine: the file is synced, then takes its name in one step, in place of the crashed log or where there is
 * none. In a bucket nothing can be replaced in one step: the recovered log is first put beside the crashed one, so that
 * there is a whole log at every moment.
 */
export async function commitOutput(
  disk: Disk,
  temp: string,
  target: { readonly output: LogSite; readonly isOverwrite: boolean },
): Promise<void> {
  const { output, isOverwrite } = target;
  if (output.path !== undefined) {
    if (isOverwrite) return commitFile(disk, temp, output.path);
    if ((await commitNewFile(disk, temp, output.path)) === 'exists') throw recoverErrors.exists(output.path);
    return;
  }
  if (isOverwrite) await replaceInBucket(temp, output);
  else if (!(await output.bucket.createFromFile(output.key, temp))) throw recoverErrors.exists(output.place);
  await disk.remove(temp);
}

async function replaceInBucket(temp: string, output: LogSite): Promise<void> {
  const { bucket, key } = output;
  const beside = besideLog(output, recoveredName(logNameOf(output)));
  if (!(await bucket.createFromFile(beside, temp))) throw recoverErrors.exists(beside);
  await bucket.remove(key);
  await bucket.createFromFile(key, temp);
  await bucket.remove(beside);
}
