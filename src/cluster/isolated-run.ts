import type { IsolatedRun, RunSession } from './worker.ts';

/**
 * A run each of whose jobs has a process of its own. The first is started at once: a worker that cannot work on the run says so before it
 * takes anything of it. None is used twice: what a job leaves behind, timers and programs that share its descriptors, would be another's.
 */
export async function isolatedRun(open: () => Promise<RunSession>): Promise<IsolatedRun> {
  const first = await open();
  let spare: RunSession | undefined = first;
  const take = () => {
    const taken = spare;
    spare = undefined;
    return taken;
  };
  return {
    ...{ book: first.book, lostMax: first.lostMax, failOnError: first.failOnError },
    async alone() {
      const taken = take();
      if (taken && !taken.isGone) return taken;
      await taken?.close?.();
      return await open();
    },
    close: async () => take()?.close?.(),
  };
}
