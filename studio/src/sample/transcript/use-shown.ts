import { useCallback, useMemo, useState } from 'react';
import { z } from 'zod';
import { usePersisted } from '../../ui/use-persisted.ts';
import { HIDDEN_BY_DEFAULT, ShownEvents } from './shown-events.ts';
import type { SkeletonStore } from './skeleton-store.ts';

/** `default`: without the machinery. A list: everything but these kinds. */
const kindsChoice = z.union([z.literal('default'), z.array(z.string())]);
export type KindsChoice = z.infer<typeof kindsChoice>;

/** Which kinds of events are hidden: chosen once for all transcripts. */
export function useKindsChoice(): readonly [KindsChoice, (choice: KindsChoice) => void] {
  return usePersisted('holdfast.transcript.hidden', kindsChoice, 'default');
}

/** The events that are shown. `version` is another when they are others, not when some were appended. */
export function useShown(store: SkeletonStore, lane: string) {
  const [choice] = useKindsChoice();
  const text = choice === 'default' ? choice : choice.join('\n');
  // Kinds of events that somebody went to although they are hidden: shown here, and not elsewhere.
  const [revealed, setRevealed] = useState<ReadonlySet<string>>(new Set());
  const hidden = useMemo(() => {
    const kinds = text === 'default' ? [...HIDDEN_BY_DEFAULT] : text.split('\n');
    return new Set(kinds.filter((kind) => !revealed.has(kind)));
  }, [text, revealed]);
  const { version: parts, rewritten } = store;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the store is filled in place, its version says when
  const shown = useMemo(() => new ShownEvents(store, { hidden, lane }), [store, hidden, lane, parts]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each of them makes other rows
  const version = useMemo(() => ({}), [store, hidden, lane, rewritten]);
  const reveal = useCallback(
    (event: number) => {
      const kind = store.kind(event);
      if (hidden.has(kind)) setRevealed((was) => new Set([...was, kind]));
    },
    [store, hidden],
  );
  return { shown, version, hidden, reveal };
}
