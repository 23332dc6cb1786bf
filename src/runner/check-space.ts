import { ActionableError } from '../base/index.ts';
import { freeBytes } from '../disk/index.ts';

/** Less than this is filled by a few answers: it is better to say so before the first one is bought. */
const FREE_BYTES_MIN = 16 * 2 ** 20;

/** Refuses to begin on a disk that is next to full. */
export async function checkSpace(dir: string): Promise<void> {
  const free = await freeBytes(dir);
  if (free >= FREE_BYTES_MIN) return;
  throw new ActionableError({
    code: 'E_DISK_FULL',
    message: `The disk that holds ${dir} is full: ${Math.floor(free / 2 ** 20)} MiB are left.`,
    hint: 'Nothing was bought, and all that earlier runs kept is safe. Free some space, then run the same command again.',
  });
}
