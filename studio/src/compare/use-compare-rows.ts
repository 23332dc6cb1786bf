import { useNavigate } from '@tanstack/react-router';
import { useCallback, useRef } from 'react';
import { z } from 'zod';
import type { ComparedSample, ComparedSamples } from '../../../src/server/api.ts';
import { useKeptPlace } from '../app/use-kept-place.ts';
import { usePages } from '../data/use-pages.ts';
import { useRestoredRow } from '../ui/use-restored-row.ts';
import { useRowSelection } from '../ui/use-row-selection.ts';
import type { VirtualRowsHandle } from '../ui/virtual-rows.tsx';
import { printRuns } from './runs-order.ts';
import type { CompareAddress } from './use-compare.ts';

const place = z.object({ first: z.number(), cursor: z.number() });
const rowsOf = (page: ComparedSamples): readonly ComparedSample[] => page.samples;

/** The rows of the table, the one that keys act on, and where one was before one went away. */
export function useCompareRows(address: CompareAddress, other: number) {
  const { ids, score, q, sort } = address;
  const pages = usePages(
    'comparedSamples',
    {},
    { runs: printRuns(ids), score: score === '' ? undefined : score, q, sort },
    rowsOf,
  );
  const { rowAt, total } = pages;
  const handle = useRef<VirtualRowsHandle>(null);
  const seen = useRef({ first: 0, cursor: -1 });
  const kept = useKeptPlace('compare', place, () => seen.current);
  const show = useCallback((index: number) => handle.current?.show(index), []);
  const idAt = useCallback((index: number) => idText(rowAt(index)), [rowAt]);
  const initial = kept && { cursor: kept.cursor, selected: [] };
  const rows = useRowSelection({ total, idAt, initial, show });
  seen.current.cursor = rows.cursor;
  useRestoredRow(kept?.first, total, handle);
  const onRange = useCallback(
    (first: number, last: number) => {
      seen.current.first = first;
      pages.onRange(first, last);
    },
    [pages.onRange],
  );
  const navigate = useNavigate();
  const pair = printRuns([ids[0] ?? '', ids[other] ?? '']);
  const open = (index: number, view?: 'diff') => {
    const row = rowAt(index);
    if (row === undefined) return;
    rows.setCursor(index);
    seen.current.cursor = index;
    void navigate({
      to: '/compare/s/$sample',
      params: { sample: String(row.id) },
      search: { runs: pair, ...(view === undefined ? {} : { view }) },
    });
  };
  /** The next row that way that is better or worse in another run; stays where there is none among what has been read. */
  const goToFlip = (step: 1 | -1) => {
    for (let index = rows.cursor + step; index >= 0 && index < total; index += step) {
      const row = rowAt(index);
      if (row === undefined) return rows.goTo(index);
      if (row.is === 'regressed' || row.is === 'improved') return rows.goTo(index);
    }
  };
  return { pages, rows, handle, onRange, open, goToFlip, pair };
}

function idText(row: ComparedSample | undefined): string | undefined {
  return row === undefined ? undefined : String(row.id);
}
