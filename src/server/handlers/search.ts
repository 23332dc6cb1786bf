import type { Clock } from '../../base/index.ts';
import type { SearchHit, SearchLine } from '../api.ts';
import type { Call } from '../call.ts';
import { matchingRuns, mustBeRight } from '../matching-runs.ts';
import { needleOf } from '../search/needle.ts';
import { RunsSearch } from '../search/search-runs.ts';

/** So often it is told how far the search has come, also when nothing is found. */
const PROGRESS_MS = 200;
/** Hits that come soon after each other go together, up to so many. */
const TOGETHER_MS = 40;
const TOGETHER_HITS = 200;

const BEGUN: SearchLine = {
  hits: [],
  runsSearched: 0,
  runsOf: 0,
  samplesSearched: 0,
  isDone: false,
  isAll: true,
  problems: [],
};

/** Where a text is in all runs that a filter leaves: newest run first, each sample's hits together, as they are found. */
export async function* search({ studio, query, signal }: Call<'search'>): AsyncGenerator<SearchLine> {
  yield BEGUN;
  const stop = new AbortController();
  const ended = AbortSignal.any([signal, stop.signal]);
  const { text, in: place, limit } = query;
  const matching = mustBeRight(await matchingRuns(studio, query.q, ended));
  const items = place === 'notes' ? matching.filter(({ notes = 0 }) => notes > 0) : matching;
  // One more than is told, to know whether that is all.
  const job = { studio, needle: needleOf(text), place, items, limit: limit + 1, signal: ended };
  const found = new RunsSearch(job);
  const running = found.run();
  try {
    yield* linesOf(found, { clock: studio.clock, limit, runsOf: items.length });
  } finally {
    stop.abort();
    await running;
  }
}

interface LinesOptions {
  readonly clock: Clock;
  readonly limit: number;
  readonly runsOf: number;
}

async function* linesOf(
  found: RunsSearch,
  { clock, limit, runsOf }: LinesOptions,
): AsyncGenerator<SearchLine> {
  const waiting: SearchHit[] = [];
  let [sent, sentMs] = [0, clock.monotonicMs()];
  while (true) {
    const { isOver } = found;
    waiting.push(...found.take());
    const isAll = sent + waiting.length <= limit;
    const hits = waiting.splice(0, Math.min(TOGETHER_HITS, limit - sent));
    sent += hits.length;
    const isDone = isAll ? isOver && waiting.length === 0 : sent === limit;
    if (hits.length > 0 || isDone || clock.monotonicMs() - sentMs >= PROGRESS_MS) {
      sentMs = clock.monotonicMs();
      const { runsSearched, samplesSearched, problems } = found;
      yield { hits, runsSearched, runsOf, samplesSearched, isDone, isAll, problems: [...problems] };
    }
    if (isDone) return;
    if (waiting.length === 0) await someTime(found, clock, sentMs + PROGRESS_MS - clock.monotonicMs());
  }
}

/** Until something is found, and a moment more for what comes with it; not longer than until the next line is due. */
async function someTime({ changed }: RunsSearch, clock: Clock, ms: number): Promise<void> {
  const enough = new AbortController();
  // Nobody waits for it when something was found before.
  const pause = clock.sleep(Math.max(1, ms), enough.signal).catch(() => undefined);
  await Promise.race([changed, pause]);
  enough.abort();
  await clock.sleep(Math.min(TOGETHER_MS, Math.max(1, ms)));
}
