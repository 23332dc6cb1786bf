import { DamageError } from '../base/index.ts';
import { sharedRunIds } from './find-shared.ts';
import { SharedKeys, type SharedPlace } from './shared-keys.ts';
import type { Submission } from './shared-records.ts';
import { readSubmission, SharedRun } from './shared-run.ts';

/** Who submits the same twice does so soon: older runs are not asked about. */
const LATEST = 30;

/** The latest run like this of which no log was brought home yet; undefined when there is none. */
export async function findNotHome(
  place: SharedPlace,
  isMeant: (submission: Submission) => boolean,
): Promise<SharedRun | undefined> {
  for await (const shared of notHome(place, isMeant)) return shared;
  return undefined;
}

/** All of them, the latest first. */
export async function* notHome(
  place: SharedPlace,
  isMeant: (submission: Submission) => boolean,
): AsyncIterable<SharedRun> {
  for (const run of (await sharedRunIds(place)).slice(0, LATEST)) {
    if (await wasFetched(place, run)) continue;
    const submission = await tryRead(place, run);
    const shared = submission && isMeant(submission) ? await SharedRun.open(place, run) : undefined;
    if (shared) yield shared;
  }
}

async function wasFetched({ bucket, prefix }: SharedPlace, run: string): Promise<boolean> {
  for await (const _ of bucket.list(new SharedKeys(prefix, run).fetched)) return true;
  return false;
}

/** One that cannot be read is said by whoever asks for that one: it keeps nobody from submitting another. */
async function tryRead(place: SharedPlace, run: string): Promise<Submission | undefined> {
  try {
    return await readSubmission(place, run);
  } catch (error) {
    if (!(error instanceof DamageError)) throw error;
    return undefined;
  }
}
