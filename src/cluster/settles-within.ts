import type { Clock } from '../base/index.ts';

/** Waits for something, but no longer than that: false when it has not settled by then. */
export async function settlesWithin(work: Promise<unknown>, ms: number, clock: Clock): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  using _limit = clock.after(ms, () => resolve(false));
  const settled = () => resolve(true);
  work.then(settled, settled);
  return await promise;
}
