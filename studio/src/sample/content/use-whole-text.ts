import { useEffect, useState } from 'react';
import { useData } from '../../data/data-context.tsx';
import type { StudioData } from '../../data/studio-data.ts';
import type { Cut } from '../read-json.ts';
import { type SampleHere, useSampleHere } from '../sample-here.ts';

const PIECE_MAX = 4_194_304;

/** A text that was cut, whole: for pictures and for what is copied. Long texts are shown by `LongText`. */
export function useWholeText(cut: Cut, isWanted: boolean) {
  const data = useData();
  const here = useSampleHere();
  const [found, setFound] = useState<{ readonly text?: string; readonly error?: unknown }>({});
  // biome-ignore lint/correctness/useExhaustiveDependencies: the place says which text it is
  useEffect(() => {
    if (!isWanted) return;
    const stop = new AbortController();
    readWhole(data, here, cut, stop.signal).then(
      (text) => setFound({ text }),
      (error: unknown) => !stop.signal.aborted && setFound({ error }),
    );
    return () => stop.abort();
  }, [data, here, cut.at, isWanted]);
  return found;
}

export async function readWhole(
  data: StudioData,
  { run, sample, epoch }: SampleHere,
  cut: Cut,
  signal: AbortSignal,
): Promise<string> {
  const pieces: string[] = [];
  let from = 0;
  for (let length = Number.POSITIVE_INFINITY; from < length; ) {
    const query = { at: cut.at, from, length: PIECE_MAX };
    const piece = await data.ask('text', { params: { run, sample, epoch }, query }, signal);
    if (piece.text === '') break;
    pieces.push(piece.text);
    from += piece.text.length;
    length = piece.length;
  }
  return pieces.join('');
}
