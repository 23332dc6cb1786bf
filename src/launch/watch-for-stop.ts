import type { Clock } from '../base/index.ts';
import { LaunchKeys, type LaunchPlace, numberOfLabel } from './launch-keys.ts';

export interface StopWatch {
  /** The run that the worker was launched for, and the label that it was launched with. */
  readonly run: string;
  readonly label: string;
  readonly clock: Clock;
  readonly everyMs?: number | undefined;
  readonly onStop: () => void;
  /** The bucket did not answer; it is asked again. */
  readonly onProblem?: ((error: unknown) => void) | undefined;
}

const EVERY_MS = 3_000;

/**
 * Lets a worker hear that its launch is to end, also where no command of whoever stops it reaches [SHR-17]. Told once; a bucket that does not
 * answer says nothing.
 */
export function watchForStop(place: LaunchPlace, watch: StopWatch): Disposable {
  const n = numberOfLabel(watch.label);
  // Somebody's own word, given by hand: nobody stops it by a record.
  if (n === undefined) return { [Symbol.dispose]: () => undefined };
  const key = new LaunchKeys(place, watch.run).stopped(n);
  const over = new AbortController();
  let isAsking = false;
  const look = async () => {
    isAsking = true;
    try {
      if (!(await place.bucket.stat(key, over.signal)) || over.signal.aborted) return;
      timer[Symbol.dispose]();
      over.abort();
      watch.onStop();
    } catch (error) {
      if (!over.signal.aborted) watch.onProblem?.(error);
    } finally {
      isAsking = false;
    }
  };
  const timer = watch.clock.every(watch.everyMs ?? EVERY_MS, () => {
    if (!isAsking) void look();
  });
  return {
    [Symbol.dispose]() {
      timer[Symbol.dispose]();
      over.abort();
    },
  };
}
