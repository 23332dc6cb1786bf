import { useEffect, useState } from 'react';
import type { Text } from '../../../../src/server/api.ts';
import { useData } from '../../data/data-context.tsx';

const PIECE = 2 * 2 ** 20;

export interface WholeText {
  /** Undefined until all of it is there. */
  readonly text: string | undefined;
  readonly had: number;
  readonly length: number;
  readonly error: unknown;
}

interface Owner {
  readonly run: string;
  readonly sample: string;
  readonly epoch: string;
}

/** A text that may have been cut: the rest is asked for in pieces, once it is wanted. */
export function useWholeText(given: Text, { run, sample, epoch }: Owner, isWanted: boolean): WholeText {
  const data = useData();
  const cut = typeof given === 'string' ? undefined : given.$cut;
  const [pieces, setPieces] = useState<readonly string[]>([]);
  const [error, setError] = useState<unknown>();
  const at = cut?.at;
  const length = cut?.length ?? (typeof given === 'string' ? given.length : 0);
  useEffect(() => {
    if (at === undefined || !isWanted) return;
    const stop = new AbortController();
    setPieces([]);
    setError(undefined);
    const read = async () => {
      for (let from = 0; from < length; ) {
        const query = { at, from, length: Math.min(PIECE, length - from) };
        const { text } = await data.ask('text', { params: { run, sample, epoch }, query }, stop.signal);
        if (text === '') break;
        from += text.length;
        setPieces((had) => [...had, text]);
      }
    };
    read().catch((failed: unknown) => {
      if (!stop.signal.aborted) setError(failed);
    });
    return () => stop.abort();
  }, [data, run, sample, epoch, at, length, isWanted]);
  if (typeof given === 'string') return { text: given, had: length, length, error: undefined };
  const had = pieces.reduce((sum, piece) => sum + piece.length, 0);
  return { text: had >= length ? pieces.join('') : undefined, had, length, error };
}
