import { useEffect, useState, useSyncExternalStore } from 'react';

export interface EventsInView {
  readonly first: number;
  readonly last: number;
}

/** Which events are seen. It changes with every move of the scroll bar, so only what shows it listens. */
export class ViewStore {
  #seen: EventsInView = { first: 0, last: 0 };
  readonly #watchers = new Set<() => void>();

  get seen(): EventsInView {
    return this.#seen;
  }

  set(first: number, last: number): void {
    if (first === this.#seen.first && last === this.#seen.last) return;
    this.#seen = { first, last };
    for (const watcher of this.#watchers) watcher();
  }

  readonly subscribe = (watcher: () => void): (() => void) => {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  };
}

const REST_MS = 90;

/** The same, but only when scrolling pauses. */
export function useSeenAtRest(store: ViewStore): EventsInView {
  const [seen, setSeen] = useState(store.seen);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = store.subscribe(() => {
      clearTimeout(timer);
      timer = setTimeout(() => setSeen(store.seen), REST_MS);
    });
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, [store]);
  return seen;
}

export function useSeen(store: ViewStore): EventsInView {
  return useSyncExternalStore(store.subscribe, () => store.seen);
}
