import type { Clock } from '../../base/index.ts';
import { counted, formatDuration } from '../quantities.ts';
import type { Terminal } from '../terminal.ts';

/** What takes longer than this is worth a line; most recoveries are done before. */
const SAY_EVERY_MS = 5_000;

export type OnProgress = (done: number, total: number) => void;

/** Runs work of many samples, and says every few seconds how far it is: also while one sample takes long. */
export async function withProgress<T>(
  terminal: Terminal,
  clock: Clock,
  work: (onProgress: OnProgress) => Promise<T>,
): Promise<T> {
  const startedMs = clock.monotonicMs();
  let saidMs = startedMs;
  let done = 0;
  let total = 0;
  const say = () => {
    const nowMs = clock.monotonicMs();
    if (nowMs - saidMs < SAY_EVERY_MS) return;
    saidMs = nowMs;
    terminal.note(`${howFar(done, total)}, ${formatDuration(nowMs - startedMs)}`);
  };
  using _ = clock.every(SAY_EVERY_MS, say);
  return await work((now, all) => {
    done = now;
    total = all;
    say();
  });
}

/** Before the first sample its sources are read, and after the last one the log is read back. */
function howFar(done: number, total: number): string {
  if (total === 0) return 'reading';
  return done < total
    ? `${done} of ${counted(total, 'sample')}`
    : `all of ${counted(total, 'sample')}, checking`;
}
