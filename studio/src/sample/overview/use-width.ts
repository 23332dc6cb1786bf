import { useEffect, useRef, useState } from 'react';

/** The width of an element, in whole pixels; 0 until it is known. */
export function useWidth() {
  const box = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useEffect(() => {
    if (box.current === null) return;
    const sizes = new ResizeObserver(([entry]) => setWidth(Math.floor(entry?.contentRect.width ?? 0)));
    sizes.observe(box.current);
    return () => sizes.disconnect();
  }, []);
  return { box, width };
}
