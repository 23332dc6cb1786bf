import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UsageError } from '../base/index.ts';
import { type Disk, tempPathFor } from '../disk/index.ts';
import { convertLog, type LogReader, openLog } from '../log/index.ts';

/**
 * A log as documents that can be published one by one. An `.eval` is made of them; a `.json` is one text of any size, so an `.eval` is made of it
 * first, in a temporary place.
 */
export async function withDocuments<T>(
  disk: Disk,
  log: LogReader,
  work: (log: LogReader) => Promise<T>,
): Promise<T> {
  if (log.members().length > 0) return work(log);
  if (!(await disk.stat(log.path))) throw notHere(log.path);
  const dir = tempPathFor(join(tmpdir(), 'log'));
  await disk.makeDir(dir);
  try {
    const to = join(dir, 'log.eval');
    await convertLog(disk, { from: log.path, to });
    const converted = await openLog(disk, to);
    try {
      return await work(converted);
    } finally {
      await converted.close();
    }
  } finally {
    await disk.removeTree(dir);
  }
}

function notHere(path: string): UsageError {
  return new UsageError({
    code: 'E_RESULT_FORM',
    message: `${path} is one large JSON, and not on this machine.`,
    hint: 'Make an .eval of it with "holdfast log convert", and publish that.',
  });
}
