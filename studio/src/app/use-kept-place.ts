import { useRouterState } from '@tanstack/react-router';
import { useEffect, useMemo, useRef } from 'react';
import type { z } from 'zod';

/**
 * What a page keeps for the entry of the history that it is: where one was in a list, what was selected. Back and reload find it
 * again; a new visit does not. The address does not have it, so that a link that is passed on shows the list from its top.
 */
export function useKeptPlace<Schema extends z.ZodType>(
  page: string,
  schema: Schema,
  current: () => z.output<Schema>,
): z.output<Schema> | undefined {
  const entry = useRouterState({ select: ({ location }) => location.state.__TSR_key ?? location.href });
  const first = useRef(entry);
  const latest = useRef(current);
  useEffect(() => {
    latest.current = current;
  });
  useEffect(() => {
    const name = nameOf(page, entry);
    const keep = () => {
      try {
        sessionStorage.setItem(name, JSON.stringify(latest.current()));
      } catch {
        // Forbidden or full: then Back shows the list from its top.
      }
    };
    addEventListener('pagehide', keep);
    return () => {
      keep();
      removeEventListener('pagehide', keep);
    };
  }, [page, entry]);
  return useMemo(() => readKept(nameOf(page, first.current), schema), [page, schema]);
}

function nameOf(page: string, entry: string): string {
  return `holdfast.place.${page}.${entry}`;
}

function readKept<Schema extends z.ZodType>(name: string, schema: Schema): z.output<Schema> | undefined {
  try {
    return schema.safeParse(JSON.parse(sessionStorage.getItem(name) ?? 'null')).data;
  } catch {
    // No storage, or not ours.
    return undefined;
  }
}
