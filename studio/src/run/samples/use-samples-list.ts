import { useNavigate, useRouter } from '@tanstack/react-router';
import { type RefObject, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { z } from 'zod';
import type { RunView, SampleItem, SamplesPage } from '../../../../src/server/api.ts';
import { useKeptPlace } from '../../app/use-kept-place.ts';
import { usePages } from '../../data/use-pages.ts';
import { useRestoredRow } from '../../ui/use-restored-row.ts';
import { useRowSelection } from '../../ui/use-row-selection.ts';
import type { VirtualRowsHandle } from '../../ui/virtual-rows.tsx';
import type { RunAddress } from '../use-run-address.ts';
import { foldRows, type OpenSample, toggleOpen } from './folded-rows.ts';
import { epochToOpen } from './sample-words.ts';
import { useSteadyRows } from './use-steady-rows.ts';

const place = z.object({
  first: z.number(),
  cursor: z.number(),
  selected: z.array(z.string()),
  open: z.array(z.object({ id: z.union([z.string(), z.number()]), index: z.number(), epochs: z.number() })),
});
export type SamplesPlace = z.output<typeof place>;

const rowsOf = (page: SamplesPage): readonly SampleItem[] => page.samples;
const keyOf = ({ id }: SampleItem): string => String(id);

interface SamplesListOptions {
  readonly address: RunAddress;
  readonly view: RunView;
  /** Where one was before another tab was looked at. */
  readonly memory: RefObject<SamplesPlace | undefined>;
}

/** Everything that the table of samples knows and does. */
export function useSamplesList({ address, view, memory }: SamplesListOptions) {
  const { run, q, sort, askedScore } = address;
  const pages = usePages('samples', { run }, { q, sort, ...askedScore }, rowsOf);
  const { total } = pages;
  const [isPointed, setIsPointed] = useState(false);
  const isHeld = isPointed && view.item.form === 'running';
  const sampleAt = useSteadyRows({ rowAt: pages.rowAt, total, keyOf, isHeld });
  const handle = useRef<VirtualRowsHandle>(null);
  const current = useRef<SamplesPlace>({ first: 0, cursor: -1, selected: [], open: [] });
  const kept = useKeptPlace(`run.${run}`, place, () => current.current);
  // Only what it was in the beginning: from then on it is this that changes what is remembered.
  const [initial] = useState(() => memory.current ?? kept);
  const folded = useFolded({ initial: initial?.open, total, sampleAt });
  const { fold } = folded;
  const idAt = useCallback((row: number) => idOfRow(fold.at(row), sampleAt), [fold, sampleAt]);
  const show = useCallback((row: number) => handle.current?.show(row), []);
  const rows = useRowSelection({ total: fold.count, idAt, initial, show });
  useRestoredRow(initial?.first, total, handle);
  useEffect(() => {
    current.current = {
      first: current.current.first,
      cursor: rows.cursor,
      selected: [...rows.selected],
      open: [...folded.open],
    };
  });
  useEffect(() => {
    current.current = { ...current.current, first: initial?.first ?? 0 };
    return () => {
      memory.current = current.current;
    };
  }, [memory, initial]);
  useOnChange(`${q}\n${sort}\n${address.score}`, () => {
    rows.setCursor(-1);
    folded.close();
  });
  const onRange = useCallback(
    (first: number, last: number) => {
      current.current = { ...current.current, first };
      pages.onRange(fold.at(first).sample, fold.at(last).sample);
    },
    [pages.onRange, fold],
  );
  const open = useOpening({ address, fold, sampleAt, setCursor: rows.setCursor });
  return { pages, sampleAt, folded, rows, handle, onRange, open, isHeld, onPoint: setIsPointed };
}

export type SamplesList = ReturnType<typeof useSamplesList>;

function idOfRow(
  { sample, epoch }: ReturnType<ReturnType<typeof foldRows>['at']>,
  sampleAt: (index: number) => SampleItem | undefined,
): string | undefined {
  const item = sampleAt(sample);
  if (item === undefined) return undefined;
  const number = epoch === undefined ? undefined : item.epochs[epoch]?.epoch;
  return number === undefined ? String(item.id) : `${item.id}@${number}`;
}

interface FoldedOptions {
  readonly initial: readonly OpenSample[] | undefined;
  readonly total: number;
  readonly sampleAt: (index: number) => SampleItem | undefined;
}

/** Which samples show their epochs. One that has moved meanwhile is closed. */
function useFolded({ initial, total, sampleAt }: FoldedOptions) {
  const [wanted, setWanted] = useState<readonly OpenSample[]>(initial ?? []);
  const open = useMemo(
    () =>
      wanted.filter(({ index, id }) => {
        const item = sampleAt(index);
        return item === undefined || item.id === id;
      }),
    [wanted, sampleAt],
  );
  const fold = useMemo(() => foldRows(total, open), [total, open]);
  const toggle = useCallback(
    (index: number) => {
      const item = sampleAt(index);
      if (item === undefined || item.epochs.length < 2) return;
      setWanted((was) => toggleOpen(was, { id: item.id, index, epochs: item.epochs.length }));
    },
    [sampleAt],
  );
  const close = useCallback(() => setWanted([]), []);
  return { open, fold, toggle, close };
}

/** Another list begins anew. */
function useOnChange(asked: string, begin: () => void): void {
  const last = useRef(asked);
  useEffect(() => {
    if (last.current === asked) return;
    last.current = asked;
    begin();
  });
}

interface OpeningOptions {
  readonly address: RunAddress;
  readonly fold: ReturnType<typeof foldRows>;
  readonly sampleAt: (index: number) => SampleItem | undefined;
  readonly setCursor: (row: number) => void;
}

/** Opens the sample of a row; the filter and the order go with it, so that the next one there is the next one here. */
function useOpening({ address, fold, sampleAt, setCursor }: OpeningOptions) {
  const navigate = useNavigate();
  const router = useRouter();
  const { run, q, sort, score } = address;
  return useCallback(
    (row: number, isNewTab = false) => {
      const { sample, epoch } = fold.at(row);
      const item = sampleAt(sample);
      if (item === undefined) return;
      const number = (epoch === undefined ? undefined : item.epochs[epoch]?.epoch) ?? epochToOpen(item);
      const to = {
        to: '/runs/$run/s/$sample/$epoch',
        params: { run, sample: String(item.id), epoch: String(number) },
        search: { q, sort, score },
      } as const;
      setCursor(row);
      if (isNewTab) window.open(router.buildLocation(to).href, '_blank', 'noopener');
      else void navigate(to);
    },
    [navigate, router, fold, sampleAt, setCursor, run, q, sort, score],
  );
}
