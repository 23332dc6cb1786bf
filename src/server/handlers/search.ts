import type { SearchHit, SearchLine } from '../api.ts';
import type { Call } from '../call.ts';
import { matchingRuns, mustBeRight } from '../matching-runs.ts';
import { needleOf } from '../search/needle.ts';
import { RunsSearch } from '../search/search-runs.ts';

/** So often it is told how far the search has come, also when nothing is found. */
const PROGRESS_MS = 250;
/** Hits that come soon after each other go together. */
const TOGETHER_MS = 40;

/** Where a text is in all runs that a filter leaves: newest run first, each sample's hits together, as they are found. */
export async function* search({ studio, query, signal }: Call<'search'>): AsyncGenerator<SearchLine> {
  const stop = new AbortController();
  const ended = AbortSignal.any([signal, stop.signal]);
  const { clock } = studio;
  yield line({ hits: [], runsOf: 0 });
  const items = mustBeRight(await matchingRuns(studio, query.q, ended));
  const { limit } = query;
  const needle = needleOf(query.text);
  // One more than is told, to know whether that is all.
  const found = new RunsSearch({ studio, needle, place: query.in, items, limit: limit + 1, signal: ended });
  const running = found.run();
  let [sent, sentMs] = [0, clock.monotonicMs()];
  try {
    while (true) {
      const isOver = found.isOver;
      const hits = found.take();
      const told = hits.slice(0, limit - sent);
      const isAll = sent + hits.length <= limit;
      const isDone = isOver || !isAll;
      if (told.length > 0 || isDone || clock.monotonicMs() - sentMs >= PROGRESS_MS) {
        sent += told.length;
        sentMs = clock.monotonicMs();
        const { runsSearched, samplesSearched, problems } = found;
        yield {
          hits: [...told],
          runsSearched,
          runsOf: items.length,
          samplesSearched,
          isDone,
          isAll,
          problems: [...problems],
        };
      }
      if (isDone) return;
      await someTime(found, sentMs + PROGRESS_MS - clock.monotonicMs());
    }
  } finally {
    stop.abort();
    await running;
  }

  async function someTime(search: RunsSearch, ms: number): Promise<void> {
    const enough = new AbortController();
    const pause = clock.sleep(Math.max(1, ms), enough.signal).catch(() => undefined);
    await Promise.race([search.changed, pause]);
    enough.abort();
    await clock.sleep(Math.min(TOGETHER_MS, Math.max(1, ms)));
  }
}

function line({
  hits,
  runsOf,
}: {
  readonly hits: readonly SearchHit[];
  readonly runsOf: number;
}): SearchLine {
  return {
    hits: [...hits],
    runsSearched: 0,
    runsOf,
    samplesSearched: 0,
    isDone: false,
    isAll: true,
    problems: [],
  };
}
