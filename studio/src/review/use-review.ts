import { useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useCallback, useMemo, useRef, useState } from 'react';
import type { ReviewItem } from '../../../src/server/api.ts';
import { useWhileHere } from '../app/use-while-here.ts';
import { useData } from '../data/data-context.tsx';
import { useAsk } from '../data/use-ask.ts';
import {
  backFrom,
  inSeenOrder,
  isShown,
  keyOf,
  nextItem,
  previousItem,
  type Verdict,
  withJudged,
} from './queue.ts';

const route = getRouteApi('/review');
const LIMIT = 1_000;

interface Said {
  readonly key: string;
  readonly run: string;
  readonly ids: readonly string[];
}

/** The queue, the item that is judged, and what can be said of it. */
export function useReview() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const whileHere = useWhileHere();
  const { run, q, score } = search;
  const set = useCallback(
    (next: Partial<typeof search>) =>
      whileHere(() => void navigate({ search: (was) => ({ ...was, ...next }), replace: true })),
    [navigate, whileHere],
  );
  const queue = useAsk(
    'review',
    {},
    { run: run === '' ? undefined : run, q, score: score === '' ? undefined : score, limit: LIMIT },
    { isKept: true },
  );
  const [judged, setJudged] = useState<ReadonlyMap<string, ReviewItem>>(new Map());
  const ordered = useSeenOrder(queue.data?.items, judged, `${run} ${q} ${score}`);
  const items = useMemo(
    () => ordered.filter((item) => isShown(item, search.show) || keyOf(item) === search.at),
    [ordered, search.show, search.at],
  );
  const item = items.find((one) => keyOf(one) === search.at) ?? items[0];
  const { goTo, goBack } = useTrail(item, (at) => set({ at }));
  const goToItem = (next: ReviewItem | undefined) => next !== undefined && goTo(keyOf(next));
  const saying = useSaying(
    item,
    (said) => {
      setJudged((was) => new Map(was).set(keyOf(said), said));
      goToItem(item && nextItem(items, keyOf(item), { isOpen: true }));
    },
    (key, ids) => {
      setJudged((was) => withoutNotes(was, key, ids));
      goTo(key);
    },
  );
  return {
    search,
    set,
    queue,
    items,
    item,
    ...saying,
    goTo,
    next: () => goToItem(item && nextItem(items, keyOf(item), { isOpen: false })),
    previous: () => goToItem(item && previousItem(items, keyOf(item))),
    back: () => goBack(item && previousItem(items, keyOf(item))),
  };
}

/** Where one was, to go back to. */
function useTrail(item: ReviewItem | undefined, goTo: (key: string) => void) {
  const trail = useRef<readonly string[]>([]);
  const here = item === undefined ? '' : keyOf(item);
  return {
    goTo: (key: string) => {
      trail.current = [...trail.current, here];
      goTo(key);
    },
    /** `before`: where to go when one has come from nowhere. */
    goBack: (before: ReviewItem | undefined) => {
      const { key = before && keyOf(before), left } = backFrom(trail.current, here);
      trail.current = left;
      if (key !== undefined) goTo(key);
    },
  };
}

function withoutNotes(
  judged: ReadonlyMap<string, ReviewItem>,
  key: string,
  ids: readonly string[],
): ReadonlyMap<string, ReviewItem> {
  const item = judged.get(key);
  if (item === undefined) return judged;
  const verdicts = item.verdicts.filter(({ id }) => !ids.includes(id));
  return new Map(judged).set(key, { ...item, verdicts });
}

/** Verdicts are written one after another; the last ones of this visit can be taken back. */
function useSaying(
  item: ReviewItem | undefined,
  onSaid: (item: ReviewItem) => void,
  onUndone: (key: string, ids: readonly string[]) => void,
) {
  const data = useData();
  const client = useQueryClient();
  const [said, setSaid] = useState<readonly Said[]>([]);
  const [isSaying, setIsSaying] = useState(false);
  const [error, setError] = useState<unknown>();
  const attempt = async (work: () => Promise<void>) => {
    setIsSaying(true);
    setError(undefined);
    try {
      await work();
      await client.invalidateQueries({ predicate: ({ queryKey }) => CHANGED.has(String(queryKey[0])) });
    } catch (reason) {
      setError(reason);
    }
    setIsSaying(false);
  };
  const judge = (verdict: Verdict, text: string) =>
    attempt(async () => {
      if (item === undefined) return;
      const { run, sample, epoch, scorer } = item;
      const { notes } = await data.say({
        kind: 'verdict',
        run,
        sample,
        epoch,
        verdict,
        ...(scorer !== undefined && { scorer }),
        ...(text.trim() !== '' && { text: text.trim() }),
      });
      setSaid((was) => [...was, { key: keyOf(item), run, ids: notes.map(({ id }) => id) }]);
      onSaid({ ...item, verdicts: [...item.verdicts, ...notes] });
    });
  const undo = () =>
    attempt(async () => {
      const last = said.at(-1);
      if (last === undefined) return;
      for (const id of last.ids) await data.say({ kind: 'retract', run: last.run, id });
      setSaid((was) => was.slice(0, -1));
      onUndone(last.key, last.ids);
    });
  return { judge, undo, canUndo: said.length > 0, isSaying, error };
}

const CHANGED: ReadonlySet<string> = new Set(['review', 'sample']);

/** Keeps the order of the first answer to a question while the answers to it change. */
function useSeenOrder(
  items: readonly ReviewItem[] | undefined,
  judged: ReadonlyMap<string, ReviewItem>,
  question: string,
): readonly ReviewItem[] {
  const seen = useRef<{ question: string; keys: readonly string[] }>({ question, keys: [] });
  return useMemo(() => {
    if (seen.current.question !== question) seen.current = { question, keys: [] };
    const kept = [...judged].filter(([key]) => seen.current.keys.includes(key));
    const ordered = inSeenOrder(seen.current.keys, withJudged(items ?? [], new Map(kept)));
    seen.current.keys = ordered.map(keyOf);
    return ordered;
  }, [items, judged, question]);
}

export type Review = ReturnType<typeof useReview>;
