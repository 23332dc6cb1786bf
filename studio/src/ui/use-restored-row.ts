import { type RefObject, useEffect, useRef } from 'react';
import type { VirtualRowsHandle } from './virtual-rows.tsx';

/** Once there are rows, goes to where one was, once. At the top of the page nothing is done: there may be more above the rows. */
export function useRestoredRow(
  first: number | undefined,
  total: number,
  handle: RefObject<VirtualRowsHandle | null>,
): void {
  const isDone = useRef(first === undefined || first === 0);
  useEffect(() => {
    if (isDone.current || first === undefined || total === 0) return;
    isDone.current = true;
    // Where the rows begin in the page is known after they have been laid out.
    requestAnimationFrame(() => handle.current?.show(Math.min(first, total - 1), 'start'));
  }, [first, total, handle]);
}
