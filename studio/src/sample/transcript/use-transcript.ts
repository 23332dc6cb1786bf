import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { ScaledListHandle } from '../../ui/scaled/scaled-list.tsx';
import { AUTO_FOLDING, type Folding, foldedOrOpened, isOpen, opened, toggled } from './folding.ts';
import type { TranscriptHere } from './transcript-here.ts';
import { useBodies } from './use-bodies.ts';
import { type TranscriptPlace, useGoing } from './use-going.ts';
import { useShown } from './use-shown.ts';
import { type TranscriptKey, useSkeleton } from './use-skeleton.ts';
import { ViewStore } from './view-store.ts';

interface TranscriptOptions {
  readonly key: TranscriptKey;
  readonly lane: string;
  readonly setLane: (lane: string) => void;
  readonly copyLink: (event: number) => void;
}

/** Everything that a transcript on the screen is: its events, which of them are shown and unfolded, and where one is in it. */
export function useTranscript({ key, lane, ...given }: TranscriptOptions) {
  // What is done is the newest; that it is another each time must not render every row again.
  const actions = useRef(given);
  actions.current = given;
  const { store, error, retry } = useSkeleton(key);
  const { shown, version, hidden, reveal } = useShown(store, lane);
  const { bodies, wantSoon } = useBodies(key, store.rewritten);
  const [folding, setFolding] = useState<Folding>(AUTO_FOLDING);
  const [focused, setFocused] = useState<number>();
  const list = useRef<ScaledListHandle>(null);
  const latest = useRef({ store, shown, folding });
  latest.current = { store, shown, folding };
  const [view] = useState(() => new ViewStore());
  const place = useRef<TranscriptPlace>({ event: 0, above: 0 });

  const toggle = useCallback((event: number) => {
    setFolding((before) => toggled(before, event));
    // A long row is folded from its head, which sticks to the top; what follows must not run away.
    const row = latest.current.shown.rowOf(event);
    if (isOpen(latest.current.store, latest.current.folding, event)) list.current?.show(row);
  }, []);
  const { go, goToEvent } = useGoing({
    store,
    shown,
    list,
    place,
    onFocus: setFocused,
    onOpen: (event) => setFolding((before) => opened(store, before, event)),
    onReveal: (event) => {
      reveal(event);
      if (lane !== '' && store.lane(event) !== lane) given.setLane('');
    },
  });

  const onView = useCallback(
    (first: number, last: number) => {
      view.set(first, last);
      // While another tab is in front, the place stays the one that was left.
      if (list.current !== null) place.current = { event: first, above: list.current.position().above };
      wantSoon(() => openEventsNear(latest.current, first, last));
    },
    [view, wantSoon],
  );
  // What was unfolded where one stands is wanted, too.
  // biome-ignore lint/correctness/useExhaustiveDependencies: as above
  useEffect(() => onView(view.seen.first, view.seen.last), [folding, shown]);

  const here: TranscriptHere = useMemo(
    () => ({
      store,
      bodies,
      toggle,
      focus: setFocused,
      copyLink: (event) => actions.current.copyLink(event),
    }),
    [store, bodies, toggle],
  );
  const foldAll = () => setFolding((before) => foldedOrOpened(store, before));
  return {
    ...{ store, error, retry, shown, version, hidden, bodies, folding, focused, list, here, view, place },
    ...{ go, goToEvent, foldAll, onView },
  };
}

export type TranscriptState = ReturnType<typeof useTranscript>;

/** Rows that are seen and those around them. */
const NEAR_ROWS = 12;

function* openEventsNear(
  { store, shown, folding }: Pick<TranscriptState, 'store' | 'shown' | 'folding'>,
  first: number,
  last: number,
): Generator<number> {
  if (shown.count === 0) return;
  const from = Math.max(0, shown.rowOf(first) - NEAR_ROWS);
  const to = Math.min(shown.count - 1, shown.rowOf(last) + NEAR_ROWS);
  for (let row = from; row <= to; row++)
    if (isOpen(store, folding, shown.eventOf(row))) yield shown.eventOf(row);
}
