import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { RouteName } from '../../../src/server/api.ts';

/**
 * Asks again for what the page shows of these routes, for as long as it is looked at. For what lies in buckets and caches, of which
 * no event stream tells. The next question waits for the answer to the last.
 */
export function useAskAgain(names: readonly RouteName[], everyMs: number): void {
  const client = useQueryClient();
  const text = names.join();
  useEffect(() => {
    const wanted = new Set(text.split(','));
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isOver = false;
    const later = () => {
      timer = setTimeout(() => void again(), everyMs);
    };
    const again = async () => {
      if (document.visibilityState !== 'hidden')
        await client.invalidateQueries({ predicate: ({ queryKey: [name] }) => wanted.has(String(name)) });
      if (!isOver) later();
    };
    later();
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [client, text, everyMs]);
}
