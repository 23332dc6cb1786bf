import { useSyncExternalStore } from 'react';

const STEP_MS = 20_000;
const watchers = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;
let nowMs = Date.now();

/** The time, renewed every now and then, once for all that show it. */
export function useNow(): number {
  return useSyncExternalStore(watch, () => nowMs);
}

function watch(watcher: () => void): () => void {
  watchers.add(watcher);
  timer ??= setInterval(() => {
    nowMs = Date.now();
    for (const one of watchers) one();
  }, STEP_MS);
  return () => {
    watchers.delete(watcher);
    if (watchers.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}
