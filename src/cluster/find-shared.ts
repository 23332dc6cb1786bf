import { inOrder, UsageError } from '../base/index.ts';
import { SharedKeys, type SharedPlace } from './shared-keys.ts';
import { SharedRun } from './shared-run.ts';

const LOOKS_AT_A_TIME = 16;
const SHOWN_MAX = 10;

/** A run of the bucket by its id, or by the beginning of one that no other has. */
export async function findShared(place: SharedPlace, named: string): Promise<SharedRun> {
  const shared = await SharedRun.open(place, await findSharedId(place, named));
  if (shared) return shared;
  throw unknown(place, named);
}

/** The same without a look at what is stored of it. */
export async function findSharedId(place: SharedPlace, named: string): Promise<string> {
  const { bucket, prefix } = place;
  const isId = /^\w[\w.-]*$/.test(named);
  if (isId && (await bucket.stat(new SharedKeys(prefix, named).submission))) return named;
  const ids = await sharedRunIds(place);
  const found = ids.filter((id) => named !== '' && (id.startsWith(named) || id.endsWith(`-${named}`)));
  const [id] = found;
  if (id !== undefined && found.length === 1) return id;
  throw found.length > 1 ? ambiguous(named, found) : unknown(place, named);
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
  { bucket, prefix }: SharedPlace,
  known: ReadonlySet<string> = new Set(),
): Promise<readonly string[]> {
  const folders: string[] = [];
  for await (const { kind, key } of bucket.listFolder(prefix))
    if (kind === 'folder') folders.push(key.slice(prefix.length, -1));
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
