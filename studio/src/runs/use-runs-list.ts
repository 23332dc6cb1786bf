import { useNavigate, useRouter } from '@tanstack/react-router';
import { useCallback, useEffect, useRef } from 'react';
import { z } from 'zod';
import type { RunItem, RunsPage } from '../../../src/server/api.ts';
import { useKeptPlace } from '../app/use-kept-place.ts';
import { usePages } from '../data/use-pages.ts';
import { movedRow } from '../ui/moved-row.ts';
import { useAnchoredRows } from '../ui/use-anchored-rows.ts';
import { useRowSelection } from '../ui/use-row-selection.ts';
import type { VirtualRowsHandle } from '../ui/virtual-rows.tsx';
import { useRunActions } from './use-run-actions.ts';
import { useRunChanges } from './use-run-changes.ts';
import { useRunsKeys } from './use-runs-keys.ts';
import { useRunsSearch } from './use-runs-search.ts';

const place = z.object({
  first: z.number(),
  /** How much of that row is scrolled away. */
  within: z.number().optional(),
  run: z.string(),
  cursor: z.number(),
  selected: z.array(z.string()),
});
const rowsOf = (page: RunsPage): readonly RunItem[] => page.runs;

/** Everything that the page of runs knows and does. */
export function useRunsList() {
  const view = useRunsSearch();
  const pages = usePages('runs', {}, view.asked, rowsOf);
  const { rowAt, total } = pages;
  const { changes, onRange: onChangesRange } = useRunChanges(rowAt);
  const handle = useRef<VirtualRowsHandle>(null);
  const seen = useRef({ first: 0, last: 0 });
  const within = useRef(0);
  const show = useCallback((index: number) => handle.current?.show(index), []);
  const idAt = useCallback((index: number) => rowAt(index)?.run, [rowAt]);
  const current = useRef({ cursor: -1, selected: [] as readonly string[] });
  const kept = useKeptPlace('runs', place, () => ({
    first: seen.current.first,
    within: within.current,
    run: rowAt(seen.current.first)?.run ?? '',
    cursor: current.current.cursor,
    selected: [...current.current.selected],
  }));
  const inSight = () => range(seen.current).map(rowAt);
  const rows = useRowSelection({ total, idAt, initial: kept, show });
  const actions = useRunActions(
    [...rows.selected],
    useSelectedItems(rows.selected, inSight),
    rowAt(rows.cursor),
  );
  useEffect(() => {
    current.current = { cursor: rows.cursor, selected: [...rows.selected] };
  });
  useRestoredPlace({ kept, total, rowAt, handle });
  const asked = `${view.asked.q}\n${view.asked.sort}`;
  useAnchoredRows({
    asked: `${asked}\n${pages.isStale}`,
    idAt,
    first: () => seen.current.first,
    cursor: rows.cursor,
    setCursor: rows.setCursor,
    show: (index) => handle.current?.show(index, 'start'),
  });
  useTopOnChange(asked, () => {
    rows.setCursor(-1);
    handle.current?.show(0);
  });

  const onRange = useCallback(
    (first: number, last: number) => {
      seen.current = { first, last };
      pages.onRange(first, last);
      onChangesRange(first, last);
    },
    [pages.onRange, onChangesRange],
  );
  const { openRun, openAt } = useOpening(rowAt, rows.setCursor);
  useRunsKeys({
    rows,
    total,
    onOpen: openAt,
    onCompare: actions.cannotCompare === undefined ? actions.onCompare : undefined,
    onTag: actions.cannotTag === undefined && rows.selected.size > 0 ? actions.onTag : undefined,
    onExport: rows.selected.size > 0 ? actions.onExport : undefined,
    onFailed: actions.onFailed,
  });
  const onWithin = useCallback((share: number) => {
    within.current = share;
  }, []);
  const initial = kept === undefined ? undefined : kept.first + (kept.within ?? 0);
  return { view, pages, changes, rows, actions, handle, onRange, onWithin, openRun, inSight, initial };
}

/** What is known of the runs that are selected: they were in sight when they were. */
function useSelectedItems(
  selected: ReadonlySet<string>,
  inSight: () => readonly (RunItem | undefined)[],
): readonly RunItem[] {
  const known = useRef(new Map<string, RunItem>());
  for (const item of inSight())
    if (item !== undefined && selected.has(item.run)) known.current.set(item.run, item);
  return [...selected].flatMap((run) => known.current.get(run) ?? []);
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

function useOpening(rowAt: (index: number) => RunItem | undefined, setCursor: (index: number) => void) {
  const navigate = useNavigate();
  const router = useRouter();
  const openRun = useCallback(
    (run: string, index: number) => {
      setCursor(index);
      void navigate({ to: '/runs/$run/{-$tab}', params: { run } });
    },
    [navigate, setCursor],
  );
  const openAt = (index: number, isNewTab: boolean) => {
    const run = rowAt(index)?.run;
    if (run === undefined) return;
    if (!isNewTab) return openRun(run, index);
    window.open(
      router.buildLocation({ to: '/runs/$run/{-$tab}', params: { run } }).href,
      '_blank',
      'noopener',
    );
  };
  return { openRun, openAt };
}

interface RestoredPlace {
  readonly kept: z.output<typeof place> | undefined;
  readonly total: number;
  readonly rowAt: (index: number) => RunItem | undefined;
  readonly handle: { readonly current: VirtualRowsHandle | null };
}

/** The list begins at the number of the row that one was at; when the row has moved meanwhile, goes on to it. */
function useRestoredPlace({ kept, total, rowAt, handle }: RestoredPlace): void {
  const isDone = useRef(kept === undefined || kept.first === 0);
  useEffect(() => {
    if (isDone.current || kept === undefined || rowAt(Math.min(kept.first, total - 1)) === undefined) return;
    isDone.current = true;
    const moved = movedRow(kept.run, kept.first, (index) => rowAt(index)?.run);
    if (moved !== undefined && moved !== kept.first) handle.current?.show(moved, 'start');
  }, [kept, total, rowAt, handle]);
}

function range({ first, last }: { readonly first: number; readonly last: number }): number[] {
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);
}
