import type { Clock, Random } from '../base/index.ts';
import type { Disk } from '../disk/index.ts';
import type { RunSource } from '../sources/index.ts';
import { RingFeed } from './live-feed.ts';
import { OpenRuns } from './open-runs.ts';
import { SourceIndex } from './run-index.ts';
import type { Studio } from './studio.ts';
import { RunWatch } from './watch-runs.ts';

export interface CreateStudioOptions {
  /** They are closed with the Studio. */
  readonly sources: readonly RunSource[];
  readonly clock: Clock;
  readonly random: Random;
  readonly disk: Disk;
  /** Told what is our own bug, where no request could be told. */
  readonly onBug?: (error: unknown) => void;
}

/** A Studio on sources: it begins to look at them at once. */
export function createStudio({ sources, clock, random, disk, onBug = () => undefined }: CreateStudioOptions): Studio {
  const live = new RingFeed({ boot: Buffer.from(random.bytes(6)).toString('hex') });
  const index = new SourceIndex({ sources, clock, live, onBug });
  const runs = new OpenRuns({ sources, index, clock });
  const open = (run: string) => runs.open(run);
  const watch = new RunWatch({ clock, live, index, onBug, open: (run) => runs.openApart(run) });
  const kept = new Map<unknown, AsyncDisposable>();
  const studio: Studio = {
    clock,
    sources,
    results: sources.find(({ results }) => results)?.results,
    index,
    live,
    scratch: { disk },
    kept<T extends AsyncDisposable>(make: (studio: Studio) => T): T {
      // What is under a maker was made by it.
      const made = (kept.get(make) as T | undefined) ?? make(studio);
      kept.set(make, made);
      return made;
    },
    open,
    async [Symbol.asyncDispose]() {
      await watch[Symbol.asyncDispose]();
      for (const one of [...kept.values()].reverse()) await one[Symbol.asyncDispose]();
      await runs[Symbol.asyncDispose]();
      await index[Symbol.asyncDispose]();
      for (const source of sources) await source[Symbol.asyncDispose]();
    },
  };
  return studio;
}
