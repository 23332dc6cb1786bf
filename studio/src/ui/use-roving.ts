import { type KeyboardEvent, useRef, useState } from 'react';

const STEPS: Readonly<Record<string, number>> = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };

/** Many marks of a chart as one stop of the Tab key: arrows go from one to the next. Spread `markProps` on each, in their order. */
export function useRoving(count: number) {
  const box = useRef<SVGSVGElement>(null);
  const [at, setAt] = useState(0);
  const goTo = (index: number) => {
    const next = Math.max(0, Math.min(count - 1, index));
    setAt(next);
    box.current?.querySelector<SVGElement>(`[data-mark="${next}"]`)?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const ends: Readonly<Record<string, number>> = { Home: 0, End: count - 1 };
    const step = STEPS[event.key];
    const next = step === undefined ? ends[event.key] : Math.min(at, count - 1) + step;
    if (next === undefined) return;
    event.preventDefault();
    goTo(next);
  };
  const markProps = (index: number) => ({
    'data-mark': index,
    tabIndex: index === Math.min(at, count - 1) ? 0 : -1,
    onFocus: () => setAt(index),
  });
  return { box, onKeyDown, markProps };
}
