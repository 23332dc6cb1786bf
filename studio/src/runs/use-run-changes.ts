import { useCallback, useEffect, useRef, useState } from 'react';
import type { RunChange, RunItem } from '../../../src/server/api.ts';
import { useData, useLive } from '../data/data-context.tsx';

/** For each of them the server reads the samples of two runs. */
const BATCH = 24;
const REST_MS = 200;

/**
 * Whether the runs in sight differ from the ones before them. Asked for in batches when the list has come to rest, one batch at a
 * time; what was told once is kept.
 */
export function useRunChanges(rowAt: (index: number) => RunItem | undefined) {
  const data = useData();
  const [changes, setChanges] = useState<ReadonlyMap<string, RunChange>>(new Map());
  const [range, setRange] = useState({ first: 0, last: -1 });
  const asked = useRef(new Set<string>());
  useLive((event) => {
    if (event.kind === 'reset') asked.current.clear();
    if (event.kind === 'runs') for (const run of event.runs) asked.current.delete(run);
  });

  useEffect(() => {
    const controller = new AbortController();
    const ask = async () => {
      for (;;) {
        const runs = wantedIn(range, rowAt, asked.current).slice(0, BATCH);
        if (runs.length === 0 || controller.signal.aborted) return;
        for (const run of runs) asked.current.add(run);
        try {
          const answer = await data.ask(
            'runChanges',
            { params: {}, query: { runs: runs.join(',') } },
            controller.signal,
          );
          setChanges((was) => new Map([...was, ...answer.changes.map((one) => [one.run, one] as const)]));
        } catch {
          // The number is there without it; whoever comes back to these rows asks again.
          for (const run of runs) asked.current.delete(run);
          return;
        }
      }
    };
    const timer = setTimeout(() => void ask(), REST_MS);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [data, range, rowAt]);

  const onRange = useCallback((first: number, last: number) => {
    setRange((was) => (was.first === first && was.last === last ? was : { first, last }));
  }, []);
  return { changes, onRange };
}

function wantedIn(
  { first, last }: { readonly first: number; readonly last: number },
  rowAt: (index: number) => RunItem | undefined,
  asked: ReadonlySet<string>,
): string[] {
  const wanted = [];
  for (let index = first; index <= last; index += 1) {
    const item = rowAt(index);
    if (item?.previous !== undefined && !asked.has(item.run)) wanted.push(item.run);
  }
  return wanted;
}
