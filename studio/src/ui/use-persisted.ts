import { useCallback, useSyncExternalStore } from 'react';
import type { z } from 'zod';

const EVENT = 'holdfast.persisted';

/** What was kept under a name, unchecked; undefined when there is nothing, or no storage. */
export function readPersisted(name: string): unknown {
  try {
    return JSON.parse(localStorage.getItem(name) ?? 'null') ?? undefined;
  } catch {
    // Storage may be forbidden, and what is in it may be another's: both are as if nothing was kept.
    return undefined;
  }
}

export function writePersisted(name: string, value: unknown): void {
  try {
    if (value === undefined) localStorage.removeItem(name);
    else localStorage.setItem(name, JSON.stringify(value));
  } catch {
    // Forbidden or full: it is not remembered, and nothing else suffers.
  }
  dispatchEvent(new CustomEvent(EVENT));
}

/** A setting that this browser remembers, the same in every component and tab that names it. What does not fit the schema is `initial`. */
export function usePersisted<Schema extends z.ZodType>(
  name: string,
  schema: Schema,
  initial: z.output<Schema>,
): readonly [z.output<Schema>, (value: z.output<Schema>) => void] {
  const text = useSyncExternalStore(watch, () => readText(name));
  const parsed = schema.safeParse(text === null ? undefined : readPersisted(name));
  const value = text !== null && parsed.success ? parsed.data : initial;
  const set = useCallback((next: z.output<Schema>) => writePersisted(name, next), [name]);
  return [value, set];
}

function readText(name: string): string | null {
  try {
    return localStorage.getItem(name);
  } catch {
    // As in readPersisted.
    return null;
  }
}

function watch(watcher: () => void): () => void {
  addEventListener(EVENT, watcher);
  addEventListener('storage', watcher);
  return () => {
    removeEventListener(EVENT, watcher);
    removeEventListener('storage', watcher);
  };
}
