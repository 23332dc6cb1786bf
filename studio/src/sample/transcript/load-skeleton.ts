import { EVENT_FLAGS } from '../../../../src/server/api.ts';
import type { ParamsOf, StudioData } from '../../data/studio-data.ts';
import type { SkeletonStore } from './skeleton-store.ts';

/** Enough for what is seen first. */
const FIRST_PART = 4_000;
const PART = 20_000;
/** While the server reads a long sample there is more soon; while a sample is under way, when something is told. */
const READING_MS = 250;
const LIVE_MS = 5_000;

interface LoadOptions {
  readonly params: ParamsOf<'skeleton'>;
  readonly attempt: number | undefined;
  readonly signal: AbortSignal;
  /** Resolves when there may be more. */
  readonly wait: (ms: number) => Promise<void>;
}

/** Fills the store part by part, and goes on for as long as the transcript grows. */
export async function loadSkeleton(
  data: StudioData,
  store: SkeletonStore,
  options: LoadOptions,
): Promise<void> {
  const { params, attempt, signal, wait } = options;
  let from = 0;
  const unlabelled: { readonly from: number; readonly limit: number }[] = [];
  const ask = (query: { readonly from: number; readonly limit: number }) =>
    data.ask('skeleton', { params, query: { ...query, ...(attempt !== undefined && { attempt }) } }, signal);
  while (!signal.aborted) {
    const part = await ask({ from, limit: from === 0 ? FIRST_PART : PART });
    if (signal.aborted) return;
    if (part.columns.kind.length > 0 || store.isRead !== part.isWhole || store.progress !== part.progress)
      store.put(part);
    if ((part.unlabelled ?? 0) > 0) unlabelled.push({ from, limit: part.columns.kind.length });
    if (store.count < store.known) {
      from = store.count;
      await wait(0);
      continue;
    }
    if (part.isWhole) break;
    await wait(part.progress < 1 ? READING_MS : LIVE_MS);
    from = store.firstWith(EVENT_FLAGS.pending) ?? store.count;
  }
  for (const query of unlabelled) {
    const part = await ask(query);
    if (signal.aborted) return;
    store.relabel(part);
  }
}
