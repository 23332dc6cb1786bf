import { DamageError, inOrder, UsageError } from '../base/index.ts';
import { whyUnsubmitted } from './lost-submission.ts';
import { SharedKeys, type SharedPlace } from './shared-keys.ts';
import { SharedRun } from './shared-run.ts';

const LOOKS_AT_A_TIME = 16;
const SHOWN_MAX = 10;

/** A run of the bucket by its id, or by the beginning of one that no other has. */
export async function findShared(place: SharedPlace, named: string): Promise<SharedRun> {
  const run = await findSharedId(place, named);
  const shared = await SharedRun.open(place, run);
  if (shared) return shared;
  throw (await whyUnsubmitted(place, run)) ?? unknown(place, named);
}

/** The same without a look at what is stored of it. */
export async function findSharedId(place: SharedPlace, named: string): Promise<string> {
  const { bucket, prefix } = place;
  const isId = /^\w[\w.-]*$/.test(named);
  if (isId && (await bucket.stat(new SharedKeys(prefix, named).submission))) return named;
  const isMeant = (id: string) => named !== '' && (id.startsWith(named) || id.endsWith(`-${named}`));
  const found = (await sharedRunIds(place)).filter(isMeant);
  const [id] = found;
  if (id !== undefined && found.length === 1) return id;
  if (found.length > 1) throw ambiguous(named, found);
  for (const run of (await foldersOf(place)).filter(isMeant)) {
    const why = await whyUnsubmitted(place, run);
    if (why) throw why;
  }
  throw unknown(place, named);
}

/** What lies beside the folders of runs. */
const NO_RUNS: ReadonlySet<string> = new Set(['active', 'bundles', 'purses', 'removed', 'workers']);

/** Runs that lost their submission, beside those that are known, the latest first: something of them is there, and nobody can tell what. */
export async function lostRuns(
  place: SharedPlace,
  known: ReadonlySet<string>,
): Promise<readonly { readonly run: string; readonly problem: string }[]> {
  const lost: { readonly run: string; readonly problem: string }[] = [];
  for (const run of await foldersOf(place)) {
    if (known.has(run) || NO_RUNS.has(run)) continue;
    const why = await whyUnsubmitted(place, run);
    if (why instanceof DamageError) lost.push({ run, problem: why.message });
  }
  return lost.sort((a, b) => (a.run < b.run ? 1 : -1));
}

async function foldersOf({ bucket, prefix }: SharedPlace): Promise<readonly string[]> {
  const folders: string[] = [];
  for await (const { kind, key } of bucket.listFolder(prefix))
    if (kind === 'folder') folders.push(key.slice(prefix.length, -1));
  return folders;
}

function unknown({ bucket }: SharedPlace, named: string): UsageError {
  return new UsageError({
    code: 'E_SHARED_UNKNOWN',
    message: `There is no shared run "${named}" in ${bucket.url}.`,
    hint: '"holdfast runs list" lists them.',
  });
}

function ambiguous(named: string, found: readonly string[]): UsageError {
  const more = found.length > SHOWN_MAX ? ' …' : '';
  return new UsageError({
    code: 'E_SHARED_AMBIGUOUS',
    message: `${found.length} shared runs begin or end with "${named}": ${found.slice(0, SHOWN_MAX).join(', ')}${more}.`,
    hint: 'Write more of the id of the one that is meant; the latest is named first.',
  });
}

/** Folders that hold a submission, the latest first: ids begin with the time. Those that are known to hold one are not looked into. */
export async function sharedRunIds(
  place: SharedPlace,
  known: ReadonlySet<string> = new Set(),
): Promise<readonly string[]> {
  const { bucket, prefix } = place;
  const folders = await foldersOf(place);
  const isShared = async (id: string) =>
    known.has(id) || (await bucket.stat(new SharedKeys(prefix, id).submission)) !== undefined;
  const looks = inOrder(folders, {
    atATime: LOOKS_AT_A_TIME,
    work: async (id) => ({ id, isRun: await isShared(id) }),
  });
  const ids: string[] = [];
  for await (const { id, isRun } of looks) if (isRun) ids.push(id);
  return ids.sort().reverse();
}
