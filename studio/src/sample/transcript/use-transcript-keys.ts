import { useStepKeys } from '../../ui/step-keys.ts';
import { type Key, useKeys } from '../../ui/use-keys.ts';
import { findRow, isMarker, isTurnStart } from './landmarks.ts';
import type { SkeletonStore } from './skeleton-store.ts';
import type { TranscriptState } from './use-transcript.ts';

interface KeyActions {
  readonly lane: string;
  readonly setLane: (lane: string) => void;
  readonly openFind: () => void;
  readonly openTurn: () => void;
  readonly copyLink: (event: number) => void;
}

/** The keys of a transcript. Each goes on from the event that is marked, so that a key that is held skips none. */
export function useTranscriptKeys(transcript: TranscriptState, actions: KeyActions): void {
  const { store, shown, focused, list, go, view, foldAll, here } = transcript;
  /** The marked row while it is seen, else the first that is seen. */
  const from = () => {
    const { first, last } = view.seen;
    const isSeen = focused !== undefined && focused >= first && focused <= last;
    return isSeen ? shown.rowOf(focused) : shown.rowOf(first) - (focused === undefined ? 1 : 0);
  };
  const jump = (step: 1 | -1, is: (event: number) => boolean) => {
    const row = findRow(shown, { from: from(), step, is });
    if (row !== undefined) go(shown.eventOf(row), false);
  };
  const page = (share: number) => {
    const element = list.current?.element;
    element?.scrollBy(0, element.clientHeight * share);
  };
  const lanes = ['', ...store.lanes];
  const moveLane = (step: 1 | -1) =>
    actions.setLane(lanes[(lanes.indexOf(actions.lane) + step + lanes.length) % lanes.length] ?? '');
  const turn = useStepKeys('turns');
  const current = focused ?? view.seen.first;
  const keys: readonly Key[] = [
    { keys: turn.next, what: 'Next turn', run: () => jump(1, (event) => isTurnStart(store, event)) },
    { keys: turn.previous, what: 'Previous turn', run: () => jump(-1, (event) => isTurnStart(store, event)) },
    { keys: ']', what: 'Next error or marker', run: () => jump(1, (event) => isMarker(store, event)) },
    { keys: '[', what: 'Previous error or marker', run: () => jump(-1, (event) => isMarker(store, event)) },
    { keys: 'ArrowDown', what: 'Next event', run: () => jump(1, () => true) },
    { keys: 'ArrowUp', what: 'Previous event', run: () => jump(-1, () => true) },
    { keys: 'Enter', what: 'Unfold or fold the event', run: () => here.toggle(current) },
    { keys: 'z', what: 'Fold or unfold all', run: foldAll },
    { keys: 'l', what: 'Next lane', run: () => moveLane(1), isOff: store.lanes.length < 2 },
    { keys: 'h', what: 'Previous lane', run: () => moveLane(-1), isOff: store.lanes.length < 2 },
    { keys: ['g g', 'Home'], what: 'First event', run: () => toEnd(transcript, 0) },
    { keys: ['G', 'End'], what: 'Last event', run: () => toEnd(transcript, shown.count - 1) },
    { keys: ['space', 'PageDown'], what: 'A screen down', run: () => page(0.9) },
    { keys: ['shift+space', 'PageUp'], what: 'A screen up', run: () => page(-0.9) },
    { keys: ['mod+f', '/'], what: 'Find in the transcript', run: actions.openFind, isEverywhere: false },
    { keys: 'mod+g', what: 'Go to a turn', run: actions.openTurn },
    { keys: 'y', what: 'Copy the link to the event', run: () => actions.copyLink(current) },
  ];
  useKeys('Transcript', keys);
}

function toEnd({ shown, list, go }: TranscriptState, row: number): void {
  if (shown.count === 0) return;
  go(shown.eventOf(row), false);
  if (row > 0) list.current?.toEnd();
}

/** The highest turn there is. */
export function lastTurn(store: SkeletonStore): number {
  return store.count === 0 ? 0 : store.turn(store.count - 1);
}
