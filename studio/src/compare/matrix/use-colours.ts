import { useEffect, useState } from 'react';
import { type MatrixColours, readColours } from './matrix-colours.ts';

/** The colours of the theme that is on, read again when another is chosen. */
export function useColours(): MatrixColours {
  const [colours, setColours] = useState(read);
  useEffect(() => {
    const observer = new MutationObserver(() => setColours(read()));
    observer.observe(document.documentElement, { attributeFilter: ['data-theme'] });
    setColours(read());
    return () => observer.disconnect();
  }, []);
  return colours;
}

function read(): MatrixColours {
  const style = getComputedStyle(document.documentElement);
  return readColours((name) => style.getPropertyValue(name));
}
