import { useCallback, useEffect, useState } from 'react';
import type { RunChange, RunItem } from '../../../src/server/api.ts';
import { useData, useLive } from '../data/data-context.tsx';
import type { StudioData } from '../data/studio-data.ts';

/** For each of them the server reads the samples of two runs. */
const BATCH = 8;
const REST_MS = 200;

interface Known {
  readonly changes: Map<string, RunChange>;
  /** Also those that are being asked for. */
  readonly asked: Set<string>;
}

/** Outlives the page, so that whoever comes back sees them at once. */
const knownBy = new WeakMap<StudioData, Known>();

function knownOf(data: StudioData): Known {
  const known = knownBy.get(data) ?? { changes: new Map(), asked: new Set() };
  knownBy.set(data, known);
  return known;
}

/**
 * Whether the runs in sight differ from the ones before them. Asked for in batches when the list has come to rest, one batch at a
 * time; what was told once is kept.
 */
export function useRunChanges(rowAt: (index: number) => RunItem | undefined) {
  const data = useData();
  const known = knownOf(data);
  const [changes, setChanges] = useState<ReadonlyMap<string, RunChange>>(known.changes);
  const [range, setRange] = useState({ first: 0, last: -1 });
  useLive((event) => {
    if (event.kind === 'reset') known.asked.clear();
    if (event.kind === 'runs') for (const run of event.runs) known.asked.delete(run);
  });

  useEffect(() => {
    const controller = new AbortController();
    const ask = async () => {
      for (;;) {
        const runs = wantedIn(range, rowAt, known.asked).slice(0, BATCH);
        if (runs.length === 0 || controller.signal.aborted) return;
        if (!(await learn(data, known, runs, controller.signal))) return;
        setChanges(new Map(known.changes));
      }
    };
    const timer = setTimeout(() => void ask(), REST_MS);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [data, known, range, rowAt]);

  const onRange = useCallback((first: number, last: number) => {
    setRange((was) => (was.first === first && was.last === last ? was : { first, last }));
  }, []);
  return { changes, onRange };
}

/** False when nothing was learnt: the number is there without it, and whoever comes back to these rows asks again. */
async function learn(
  data: StudioData,
  { changes, asked }: Known,
  runs: readonly string[],
  signal: AbortSignal,
): Promise<boolean> {
  for (const run of runs) asked.add(run);
  try {
    const answer = await data.ask('runChanges', { params: {}, query: { runs: runs.join(',') } }, signal);
    for (const change of answer.changes) changes.set(change.run, change);
    return true;
  } catch {
    // Said above.
    for (const run of runs) asked.delete(run);
    return false;
  }
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
