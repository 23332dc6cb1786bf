import { useNavigate, useRouter } from '@tanstack/react-router';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { z } from 'zod';
import type { SampleItem, SamplesPage } from '../../../../src/server/api.ts';
import { useKeptPlace } from '../../app/use-kept-place.ts';
import { usePages } from '../../data/use-pages.ts';
import { useRowSelection } from '../../ui/use-row-selection.ts';
import type { VirtualRowsHandle } from '../../ui/virtual-rows.tsx';
import type { RunSearch } from '../use-run-search.ts';
import { decidingEpoch } from './deciding-epoch.ts';
import { FoldedRows } from './folded-rows.ts';
import { useSteadyOrder } from './use-steady-order.ts';

const place = z.object({
  first: z.number(),
  cursor: z.number(),
  selected: z.array(z.string()),
  unfolded: z.array(z.tuple([z.string(), z.number(), z.number()])),
});
const samplesOf = (page: SamplesPage): readonly SampleItem[] => page.samples;

/** Everything that the table of samples knows and does. */
export function useSamplesList(view: RunSearch, isLive: boolean) {
  const pages = usePages('samples', { run: view.run }, view.asked, samplesOf);
  const steady = useSteadyOrder(pages.rowAt, isLive && view.sort !== '');
  const { itemAt } = steady;
  const handle = useRef<VirtualRowsHandle>(null);
  const first = useRef(0);
  const current = useRef({
    cursor: -1,
    selected: [] as string[],
    unfolded: [] as [string, number, number][],
  });
  const kept = useKeptPlace('samples', place, () => ({ first: first.current, ...current.current }));
  // Where a sample is, and how many epochs it has, by its id.
  const [unfolded, setUnfolded] = useState<ReadonlyMap<string, readonly [number, number]>>(
    new Map(kept?.unfolded.map(([id, sample, epochs]) => [id, [sample, epochs] as const])),
  );
  const rows = useMemo(() => {
    const open = [...unfolded.values()].map(([sample, epochs]) => ({ sample, epochs }));
    return new FoldedRows(
      pages.total,
      open.sort((a, b) => a.sample - b.sample),
    );
  }, [pages.total, unfolded]);
  const idAt = useCallback(
    (row: number) => {
      const { sample, epoch } = rows.at(row);
      const id = epoch === undefined ? itemAt(sample)?.id : undefined;
      return id === undefined ? undefined : String(id);
    },
    [rows, itemAt],
  );
  const show = useCallback((row: number) => handle.current?.show(row), []);
  const selection = useRowSelection({ total: rows.count, idAt, initial: kept, show });
  useEffect(() => {
    current.current = {
      cursor: selection.cursor,
      selected: [...selection.selected],
      unfolded: [...unfolded].map(([id, [sample, epochs]]) => [id, sample, epochs]),
    };
  });
  useTopOnChange(`${view.q}\n${view.sort}\n${view.score}`, () => {
    setUnfolded(new Map());
    selection.setCursor(-1);
    handle.current?.show(0);
  });
  const fold = useCallback(
    (row: number) => {
      const { sample } = rows.at(row);
      const item = itemAt(sample);
      if (item === undefined || item.epochs.length < 2) return;
      setUnfolded((was) => folded(was, String(item.id), [sample, item.epochs.length]));
      selection.setCursor(rows.rowOf(sample));
    },
    [rows, itemAt, selection.setCursor],
  );
  const onRange = useCallback(
    (from: number, to: number) => {
      first.current = from;
      pages.onRange(rows.at(from).sample, rows.at(to).sample);
    },
    [pages.onRange, rows],
  );
  const openAt = useOpening(view, rows, itemAt);
  const onOpen = useCallback((row: number) => openAt(row, false), [openAt]);
  const unfoldedIds = useMemo(() => new Set(unfolded.keys()), [unfolded]);
  return {
    ...{ pages, rows, itemAt, handle, selection, fold, onRange, openAt, onOpen },
    ...{ unfolded: unfoldedIds, onPointed: steady.hold, initial: kept?.first },
  };
}

export type SamplesList = ReturnType<typeof useSamplesList>;

function folded(
  was: ReadonlyMap<string, readonly [number, number]>,
  id: string,
  at: readonly [number, number],
): ReadonlyMap<string, readonly [number, number]> {
  const next = new Map(was);
  if (!next.delete(id)) next.set(id, at);
  return next;
}

function useOpening(
  { run, q, sort, score }: RunSearch,
  rows: FoldedRows,
  itemAt: (sample: number) => SampleItem | undefined,
) {
  const navigate = useNavigate();
  const router = useRouter();
  return useCallback(
    (row: number, isNewTab: boolean) => {
      const { sample, epoch } = rows.at(row);
      const item = itemAt(sample);
      if (item === undefined) return;
      const number = (epoch === undefined ? undefined : item.epochs[epoch]?.epoch) ?? decidingEpoch(item);
      const to = {
        to: '/runs/$run/s/$sample/$epoch',
        params: { run, sample: String(item.id), epoch: String(number) },
        search: { q, sort, score },
      } as const;
      if (isNewTab) window.open(router.buildLocation(to).href, '_blank', 'noopener');
      else void navigate(to);
    },
    [navigate, router, rows, itemAt, run, q, sort, score],
  );
}

/** Another list begins at its top. */
function useTopOnChange(asked: string, goToTop: () => void): void {
  const last = useRef(asked);
  useEffect(() => {
    if (last.current === asked) return;
    last.current = asked;
    goToTop();
  });
}
