import { useCallback, useEffect, useRef } from 'react';

/** Calls the newest function some time after the last call; `now` does not wait. */
export function useDelayed<Args extends readonly unknown[]>(run: (...args: Args) => void, waitMs: number) {
  const latest = useRef(run);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => {
    latest.current = run;
  });
  useEffect(() => () => clearTimeout(timer.current), []);
  const now = useCallback((...args: Args) => {
    clearTimeout(timer.current);
    latest.current(...args);
  }, []);
  const later = useCallback(
    (...args: Args) => {
      clearTimeout(timer.current);
      timer.current = setTimeout(() => latest.current(...args), waitMs);
    },
    [waitMs],
  );
  return { now, later };
}

/** Calls the newest function at most so often: at once, and a last time after the last call. */
export function useThrottled<Args extends readonly unknown[]>(run: (...args: Args) => void, everyMs: number) {
  const latest = useRef(run);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const waiting = useRef<Args>(undefined);
  useEffect(() => {
    latest.current = run;
  });
  useEffect(() => () => clearTimeout(timer.current), []);
  return useCallback(
    (...args: Args) => {
      waiting.current = args;
      if (timer.current !== undefined) return;
      const tick = () => {
        const next = waiting.current;
        waiting.current = undefined;
        timer.current = next === undefined ? undefined : setTimeout(tick, everyMs);
        if (next !== undefined) latest.current(...next);
      };
      tick();
    },
    [everyMs],
  );
}
