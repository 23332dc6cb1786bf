import { ActionableError } from '../base/index.ts';
import type { Bucket } from '../bucket/index.ts';
import { openBucketSource } from '../journal/index.ts';
import { isLogName, openLogSource } from '../log/index.ts';
import { besideLog, type LogSite } from './log-site.ts';
import { recoverErrors } from './recover-errors.ts';

/**
 * Refuses when a successful log of the same task stands directly beside the output: tools that look for the latest log of
 * a task would take the recovered one for it.
 */
export async function refuseWhenSuperseded(
  output: LogSite,
  options: { readonly taskId: string; readonly place: string; readonly except: ReadonlySet<string> },
): Promise<void> {
  const { taskId, except } = options;
  if (taskId === '') return;
  for (const name of await output.names()) {
    const key = besideLog(output, name);
    if (except.has(key) || !isLogName(name) || !mayBeOf(name, taskId)) continue;
    if (await isSuccessOf(output.bucket, key, taskId)) throw recoverErrors.superseded(options.place, name);
  }
}

/** A name in the usual form tells its task, which spares reading thousands of logs. */
function mayBeOf(name: string, taskId: string): boolean {
  const parts = name.replace(/\.[^.]+$/, '').split('_');
  const isUsual = parts.length >= 3 && /^\d{4}-\d\d-\d\dT/.test(parts[0] ?? '');
  return !isUsual || parts.some((part) => part.startsWith(taskId.replace(/[_/:+]/g, '-')));
}

async function isSuccessOf(bucket: Bucket, key: string, taskId: string): Promise<boolean> {
  const source = await openBucketSource(bucket, key);
  if (!source) return false;
  try {
    const log = await openLogSource(source);
    try {
      const header = await log.header();
      return header.status === 'success' && header.eval.task_id === taskId;
    } finally {
      await log.close();
    }
  } catch (error) {
    // A neighbour that cannot be read is no successful log.
    if (error instanceof ActionableError) return false;
    throw error;
  }
}
