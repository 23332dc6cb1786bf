import { beatPrefix, type SharedPlace } from './shared-keys.ts';

/** No worker is silent for so long and comes back; one that does gives its sign anew. */
const GONE_MS = 86_400_000;

/** Removes the signs of life of workers that are long gone, whether they said good-bye or not. Gives their names. */
export async function collectWorkers(
  { bucket, prefix }: SharedPlace,
  { nowMs, isDryRun }: { readonly nowMs: number; readonly isDryRun: boolean },
): Promise<readonly string[]> {
  const folder = beatPrefix(prefix);
  const gone: string[] = [];
  for await (const { key } of bucket.list(folder)) {
    const stat = await bucket.stat(key);
    if (stat && nowMs - stat.modifiedMs > GONE_MS) gone.push(key);
  }
  if (!isDryRun) await bucket.removeAll(gone);
  return gone.map((key) => key.slice(folder.length));
}
