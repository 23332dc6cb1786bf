import { join } from 'node:path';
import { type Disk, tempPathFor } from '../disk/index.ts';
import { importWriter, listWriters, openRunJournals } from '../journal/index.ts';
import { inPurses } from './purse.ts';
import type { SharedPlace } from './shared-keys.ts';

const DAY_MS = 86_400_000;
/** What a submit puts there before the submission. */
const FOLDERS: ReadonlySet<string> = new Set(['records/', 'segments/', 'lenders/']);

export interface LeftAbout {
  readonly run: string;
  /** By the clock of the bucket. */
  readonly nowMs: number;
  readonly disk: Disk;
  readonly scratchDir: string;
}

/**
 * The keys of what a submit left that died before its submission was there; undefined when it is not a day old, or anything else may be in it: an
 * answer of which nobody knows whose it is stays.
 */
export async function leftBySubmit(
  place: SharedPlace,
  about: LeftAbout,
): Promise<readonly string[] | undefined> {
  const { bucket, prefix } = place;
  const { run, nowMs } = about;
  const root = `${prefix}${run}/`;
  const keys: string[] = [];
  for await (const { key } of bucket.listFolder(root))
    if (!FOLDERS.has(key.slice(root.length))) return undefined;
  for await (const { key } of bucket.list(root)) {
    const stat = await bucket.stat(key);
    if (!stat || nowMs - stat.modifiedMs <= DAY_MS) return undefined;
    keys.push(key);
  }
  const hasSegments = keys.some((key) => key.startsWith(`${root}segments/`));
  if (keys.length === 0 || (hasSegments && !(await isBare(place, about)))) return undefined;
  return [...keys, ...(await inPurses(place, run))];
}

/** True when its segments are whole, and nothing was tried in them. */
async function isBare(place: SharedPlace, { run, disk, scratchDir }: LeftAbout): Promise<boolean> {
  const runDir = tempPathFor(join(scratchDir, 'holdfast-left'));
  await disk.makeDir(runDir);
  try {
    for (const writer of await listWriters(place.bucket, place.prefix, run))
      if ((await importWriter({ disk, ...place, run, writer, runDir })).problems.length > 0) return false;
    const journals = await openRunJournals({ disk, runDir });
    try {
      for (const _ of journals.outline()) return false;
      return journals.damage.sentences.length === 0;
    } finally {
      journals.close();
    }
  } finally {
    await disk.removeTree(runDir);
  }
}
