import type { Clock } from '../base/index.ts';
import { notHome } from './find-not-home.ts';
import { leavePurse } from './purse.ts';
import { SharedKeys, type SharedPlace } from './shared-keys.ts';
import type { Submission } from './shared-records.ts';
import type { SharedRun } from './shared-run.ts';

export interface RivalOptions {
  readonly clock: Clock;
  /** True for a submission of the very same work. */
  readonly isSame: (submission: Submission) => boolean;
}

const LOOK_MS = 200;
/** One that neither begins nor withdraws for so long has died over it. */
const UNDECIDED_MS = 10_000;

/**
 * Of submits of the same work at the same moment one goes on. Called when the submission is in the bucket and its round is not begun; gives the
 * run that this one yields to, and then nothing is left of this one.
 *
 * ### Ordering
 * Each creates its submission, and looks for others then: of two at least one sees the other. Who sees a smaller id, or a round that was begun,
 * yields. Who sees only larger ids waits until each has begun its round, which did not see this one, or has yielded. So exactly one is left.
 */
export async function yieldToRival(
  shared: SharedRun,
  place: SharedPlace,
  options: RivalOptions,
): Promise<SharedRun | undefined> {
  const { clock, isSame } = options;
  const startedMs = clock.monotonicMs();
  for (;;) {
    const rivals: SharedRun[] = [];
    const isRival = (one: Submission) => one.run !== shared.run && isSame(one);
    for await (const rival of notHome(place, isRival)) rivals.push(rival);
    const winner = rivals.find(({ run, round }) => round > 0 || run < shared.run);
    if (winner) {
      await withdraw(shared, place);
      return winner;
    }
    if (rivals.length === 0 || clock.monotonicMs() - startedMs > UNDECIDED_MS) return undefined;
    await clock.sleep(LOOK_MS);
  }
}

/** Without its submission a run is nowhere: that goes first, and the rest is swept up. Nobody else has anything of it, since no round was begun. */
async function withdraw({ run }: SharedRun, place: SharedPlace): Promise<void> {
  const { bucket, prefix } = place;
  await leavePurse(place, run);
  await bucket.remove(new SharedKeys(prefix, run).submission);
  const keys: string[] = [];
  for await (const { key } of bucket.list(`${prefix}${run}/`)) keys.push(key);
  await bucket.removeAll(keys);
}
