import { useEffect, useMemo, useRef } from 'react';
import { useData } from '../../data/data-context.tsx';
import { EventBodies } from './event-bodies.ts';
import type { TranscriptKey } from './use-skeleton.ts';

/** While somebody scrolls fast, nothing is loaded for rows that are gone again. */
const REST_MS = 70;

export function useBodies({ run, sample, epoch, attempt }: TranscriptKey, rewritten: number) {
  const data = useData();
  const bodies = useMemo(
    () =>
      new EventBodies((from, limit, signal) => {
        const query = { from, limit, ...(attempt !== undefined && { attempt }) };
        return data.ask('events', { params: { run, sample, epoch }, query }, signal);
      }),
    [data, run, sample, epoch, attempt],
  );
  useEffect(() => () => bodies.stop(), [bodies]);
  // Events were written anew.
  useEffect(() => {
    if (rewritten > 0) bodies.forgetFrom(0);
  }, [bodies, rewritten]);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const wantSoon = (events: () => Iterable<number>) => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => bodies.want(events()), REST_MS);
  };
  return { bodies, wantSoon };
}
