import { useEffect, useRef } from 'react';
import { z } from 'zod';
import { useKeptPlace } from '../app/use-kept-place.ts';
import type { TranscriptState } from './transcript/use-transcript.ts';

const place = z.object({ event: z.number(), above: z.number() });
/** Rows get their heights as their bodies come: until then it is gone to again. */
const TRIES_MS = [0, 150, 400, 900, 1_800];
const INPUTS = ['wheel', 'pointerdown', 'keydown'] as const;

/** Back and reload lead to where one was in the transcript: to the row and how far it was scrolled, not to pixels. */
export function useKeptScroll(transcript: TranscriptState): void {
  const { store, list, place: now } = transcript;
  // The store is filled in place: it can have events before the rows of them are made.
  const latest = useRef(transcript.shown);
  latest.current = transcript.shown;
  const kept = useKeptPlace('sample', place, () => now.current);
  const isDone = useRef(kept === undefined || (kept.event === 0 && kept.above === 0));
  const timers = useRef<ReturnType<typeof setTimeout>[]>([]);
  useEffect(() => {
    const stop = () => {
      for (const timer of timers.current) clearTimeout(timer);
    };
    // Whoever does something wants to be where it leads.
    for (const input of INPUTS) addEventListener(input, stop);
    return () => {
      stop();
      for (const input of INPUTS) removeEventListener(input, stop);
    };
  }, []);
  useEffect(() => {
    if (isDone.current || kept === undefined || store.count <= kept.event || latest.current.count === 0)
      return;
    isDone.current = true;
    const restore = () => {
      if (list.current === null) now.current = kept;
      else list.current.restore({ row: latest.current.rowOf(kept.event), above: kept.above });
    };
    timers.current = TRIES_MS.map((ms) => setTimeout(restore, ms));
  });
}
