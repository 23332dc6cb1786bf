import { DamageError } from '../base/index.ts';
import { orDamage } from './damage.ts';
import { pursePrefix, pursesPrefix, SharedKeys, type SharedPlace } from './shared-keys.ts';
import { decodeShared, type Submission } from './shared-records.ts';

/** Says that a run spends from a budget that others have as well [SHR-23]. Before the run is submitted: nobody spends unseen. */
export async function joinPurse(
  { bucket, prefix }: SharedPlace,
  { purse, run }: { readonly purse: string; readonly run: string },
): Promise<void> {
  await bucket.create(`${pursePrefix(prefix, purse)}${run}`, new Uint8Array());
}

/** Before the submission goes, which names it; where that cannot be read all purses are looked into. One that has none any more left its purse already. */
export async function leavePurse(place: SharedPlace, run: string): Promise<void> {
  const { bucket, prefix } = place;
  const key = new SharedKeys(prefix, run).submission;
  const bytes = await bucket.read(key);
  const submission = bytes && orDamage(() => decodeShared('submission', bytes, key));
  if (submission instanceof DamageError) await bucket.removeAll(await inPurses(place, run));
  else if (submission?.purse !== undefined)
    await bucket.remove(`${pursePrefix(prefix, submission.purse)}${run}`);
}

/** The keys that say that a run has a purse. */
export async function inPurses({ bucket, prefix }: SharedPlace, run: string): Promise<readonly string[]> {
  const keys: string[] = [];
  for await (const { key } of bucket.list(pursesPrefix(prefix))) if (key.endsWith(`/${run}`)) keys.push(key);
  return keys;
}

/** The other runs that spend from the budget of one. */
export async function othersOfPurse(
  { bucket, prefix }: SharedPlace,
  { run, purse }: Pick<Submission, 'run' | 'purse'>,
): Promise<readonly string[]> {
  if (purse === undefined) return [];
  const folder = pursePrefix(prefix, purse);
  const runs: string[] = [];
  for await (const { key } of bucket.list(folder)) runs.push(key.slice(folder.length));
  return runs.filter((one) => one !== run);
}

/** What was spent on a run, or on all that share its budget, by fields of the hash in Redis: builds of two runs may have one name. */
export async function spentOfPurse(
  { bucket, prefix }: SharedPlace,
  { run, purse }: Pick<Submission, 'run' | 'purse'>,
  spentOn: (run: string) => Promise<ReadonlyMap<string, number>>,
): Promise<ReadonlyMap<string, number>> {
  if (purse === undefined) return await spentOn(run);
  const folder = pursePrefix(prefix, purse);
  const spent = new Map<string, number>();
  for await (const { key } of bucket.list(folder)) {
    const one = key.slice(folder.length);
    for (const [field, usd] of await spentOn(one)) spent.set(field.replace(/^b:/, `b:${one}/`), usd);
  }
  return spent;
}
