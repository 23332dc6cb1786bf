import type { ArtifactCache } from '../artifacts/index.ts';
import type { Clock, Random } from '../base/index.ts';
import type { RunSource } from '../sources/index.ts';
import { WarmCache } from './artifacts/warm-cache.ts';
import { RingFeed } from './live-feed.ts';
import { OpenRuns } from './open-runs.ts';
import { pinnedSource } from './pinned-source.ts';
import { PinnedStudios } from './pinned-studios.ts';
import { SourceIndex } from './run-index.ts';
import { type SharedOptions, SharedRuns } from './shared/shared-runs.ts';
import { closeSpools } from './spool/spools.ts';
import type { Studio } from './studio.ts';
import { RunWatch } from './watch-runs.ts';

export interface CreateStudioOptions {
  /** They are closed with the Studio. */
  readonly sources: readonly RunSource[];
  /** Whether they were named: commands have to name them, too. */
  readonly isElsewhere?: boolean;
  readonly clock: Clock;
  readonly random: Random;
  /** The bucket of shared runs, and the queue that hands them out. */
  readonly shared?: Pick<SharedOptions, 'url' | 'open' | 'openQueue'> | undefined;
  readonly artifacts?: ArtifactCache | undefined;
  /** Told what is our own bug, where no request could be told. */
  readonly onBug?: (error: unknown) => void;
}

/** A Studio on sources: it begins to look at them at once. */
export function createStudio(options: CreateStudioOptions): Studio {
  const { sources, onBug = () => undefined } = options;
  const pins = new PinnedStudios({ open: (commit) => openPinned(studio, commit, options), onBug });
  const results = sources.find((source) => source.results)?.results;
  const { clock, random } = options;
  const shared = options.shared && new SharedRuns({ ...options.shared, clock, random });
  const artifacts = options.artifacts && new WarmCache(options.artifacts, clock);
  const also = new AsyncDisposableStack();
  also.use(pins);
  also.use(shared);
  const at = (commit: string) => pins.lease(commit);
  const studio = assemble(options, { results, at, shared, artifacts, also });
  return studio;
}

/** Of nothing but the results as they were; they cannot be written. */
async function openPinned(now: Studio, given: string, options: CreateStudioOptions): Promise<Studio> {
  const { source, pinned } = await pinnedSource(now, given);
  return assemble({ ...options, sources: [source] }, { results: undefined, pinned });
}

type Particulars = Pick<Studio, 'results' | 'pinned' | 'at' | 'shared' | 'artifacts'> & {
  readonly also?: AsyncDisposable;
};

function assemble(options: CreateStudioOptions, { also, ...particulars }: Particulars): Studio {
  const { sources, clock, random, onBug = () => undefined } = options;
  const live = new RingFeed({ boot: Buffer.from(random.bytes(6)).toString('hex') });
  const isShownWhole = particulars.pinned !== undefined;
  const index = new SourceIndex({ sources, clock, live, onBug, isShownWhole });
  const runs = new OpenRuns({ sources, index, clock });
  const open = (run: string) => runs.open(run);
  const watch = new RunWatch({ clock, live, index, onBug, open: (run) => runs.openApart(run) });
  const studio: Studio = {
    clock,
    sources,
    isElsewhere: options.isElsewhere ?? false,
    ...particulars,
    index,
    live,
    open,
    async [Symbol.asyncDispose]() {
      await also?.[Symbol.asyncDispose]();
      await watch[Symbol.asyncDispose]();
      await closeSpools(studio);
      await runs[Symbol.asyncDispose]();
      await index[Symbol.asyncDispose]();
      for (const source of sources) await source[Symbol.asyncDispose]();
    },
  };
  return studio;
}
