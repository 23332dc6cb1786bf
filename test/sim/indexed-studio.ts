/** The Studio's own index, feed and watch over real sources, without its web server. */
import { type Clock, systemClock } from '../../src/base/index.ts';
import type { LiveEvent } from '../../src/server/api.ts';
import { RingFeed } from '../../src/server/live-feed.ts';
import { OpenRuns } from '../../src/server/open-runs.ts';
import { SourceIndex } from '../../src/server/run-index.ts';
import type { Studio } from '../../src/server/studio.ts';
import { RunWatch } from '../../src/server/watch-runs.ts';
import { findInAll, type RunSource } from '../../src/sources/index.ts';

export interface IndexedStudio extends Studio {
  readonly index: SourceIndex;
  readonly live: RingFeed;
  readonly watch: RunWatch;
  readonly bugs: readonly unknown[];
  whole(): Promise<void>;
  /** Everything that is told from now on; ends with the signal. */
  listen(signal: AbortSignal): readonly LiveEvent[];
}

export function indexedStudio(sources: readonly RunSource[], clock: Clock = systemClock): IndexedStudio {
  const bugs: unknown[] = [];
  const onBug = (error: unknown) => void bugs.push(error);
  const live = new RingFeed({ boot: 'boot' });
  const index = new SourceIndex({ sources, clock, live, onBug });
  const open = async (run: string) => (await findInAll(sources, run)).shown.open();
  const watch = new RunWatch({ clock, live, index, open, onBug });
  const opened = new OpenRuns({ sources, index, clock: systemClock });
  return {
    clock,
    sources,
    isElsewhere: false,
    results: sources.find(({ results }) => results)?.results,
    index,
    live,
    watch,
    bugs,
    whole: () => index.whole(new AbortController().signal),
    listen(signal) {
      const told: LiveEvent[] = [];
      void (async () => {
        for await (const { event } of live.after(undefined, signal)) told.push(event);
      })();
      return told;
    },
    open: (run) => opened.open(run),
    async [Symbol.asyncDispose]() {
      await watch[Symbol.asyncDispose]();
      await index[Symbol.asyncDispose]();
      await opened[Symbol.asyncDispose]();
      for (const source of sources) await source[Symbol.asyncDispose]();
    },
  };
}

/** Waits, with real time, until something holds. */
export async function until(holds: () => boolean | Promise<boolean>, what = 'it'): Promise<void> {
  for (let tries = 0; tries < 1_200; tries++) {
    if (await holds()) return;
    await systemClock.sleep(25);
  }
  throw new Error(`${what} did not come true`);
}
