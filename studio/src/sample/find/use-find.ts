import { useEffect, useRef, useState } from 'react';
import { useData } from '../../data/data-context.tsx';
import type { TranscriptKey } from '../transcript/use-skeleton.ts';
import { type Found, NOTHING_FOUND, withLine } from './find-state.ts';

const HITS_MAX = 10_000;
const PAINT_MS = 100;

/** Searches the transcript for a text; tells what was found while it goes on. Nothing is searched for while the text is empty. */
export function useFind({ run, sample, epoch, attempt }: TranscriptKey, text: string) {
  const data = useData();
  const [found, setFound] = useState<Found>(NOTHING_FOUND);
  const [error, setError] = useState<unknown>();
  const [tries, setTries] = useState(0);
  const latest = useRef(found);

  // biome-ignore lint/correctness/useExhaustiveDependencies: tried again when somebody asks to
  useEffect(() => {
    latest.current = NOTHING_FOUND;
    setFound(NOTHING_FOUND);
    setError(undefined);
    if (text === '') return;
    const stop = new AbortController();
    const query = { text, limit: HITS_MAX, ...(attempt !== undefined && { attempt }) };
    const timer = setInterval(() => setFound(latest.current), PAINT_MS);
    const read = async () => {
      const lines = data.lines('find', { params: { run, sample, epoch }, query }, stop.signal);
      for await (const line of lines) latest.current = withLine(latest.current, line);
    };
    read()
      .catch((reason: unknown) => !stop.signal.aborted && setError(reason))
      .finally(() => {
        clearInterval(timer);
        if (!stop.signal.aborted) setFound(latest.current);
      });
    return () => {
      stop.abort();
      clearInterval(timer);
    };
  }, [data, run, sample, epoch, attempt, text, tries]);
  return { found, error, retry: () => setTries(tries + 1) };
}
