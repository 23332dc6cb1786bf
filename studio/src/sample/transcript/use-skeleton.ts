import { useEffect, useMemo, useReducer, useRef, useState, useSyncExternalStore } from 'react';
import { useData, useLive } from '../../data/data-context.tsx';
import { loadSkeleton } from './load-skeleton.ts';
import { SkeletonStore } from './skeleton-store.ts';

export interface TranscriptKey {
  readonly run: string;
  readonly sample: string;
  readonly epoch: number;
  readonly attempt: number | undefined;
}

/** The skeleton of a transcript, loaded in parts; the component is rendered again as they come. */
export function useSkeleton({ run, sample, epoch, attempt }: TranscriptKey) {
  const data = useData();
  const [tries, tryAgain] = useReducer((count: number) => count + 1, 0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another transcript, and another try at it, begin with an empty one
  const store = useMemo(() => new SkeletonStore(), [run, sample, epoch, attempt, tries]);
  const [error, setError] = useState<unknown>();
  const wake = useRef<() => void>(undefined);

  useEffect(() => {
    const stop = new AbortController();
    setError(undefined);
    const wait = (ms: number) =>
      new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms);
        wake.current = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    loadSkeleton(data, store, { params: { run, sample, epoch }, attempt, signal: stop.signal, wait }).catch(
      (reason: unknown) => {
        if (!stop.signal.aborted) setError(reason);
      },
    );
    return () => {
      stop.abort();
      wake.current?.();
    };
  }, [data, store, run, sample, epoch, attempt]);

  useLive((event) => {
    const isHere =
      event.kind === 'run' &&
      event.run === run &&
      event.samples.some((one) => String(one.id) === sample && one.epoch === epoch);
    if (isHere || event.kind === 'reset') wake.current?.();
  });
  useSyncExternalStore(store.subscribe, () => store.version);
  return { store, error, retry: tryAgain };
}
