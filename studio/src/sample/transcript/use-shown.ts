import { useCallback, useMemo } from 'react';
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
  const [choice, choose] = useKindsChoice();
  const text = choice === 'default' ? choice : choice.join('\n');
  const hidden = useMemo(() => (text === 'default' ? HIDDEN_BY_DEFAULT : new Set(text.split('\n'))), [text]);
  const { version: parts, rewritten } = store;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the store is filled in place, its version says when
  const shown = useMemo(() => new ShownEvents(store, { hidden, lane }), [store, hidden, lane, parts]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each of them makes other rows
  const version = useMemo(() => ({}), [store, hidden, lane, rewritten]);
  const reveal = useCallback(
    (event: number) => {
      const kind = store.kind(event);
      if (hidden.has(kind)) choose([...hidden].filter((one) => one !== kind));
    },
    [store, hidden, choose],
  );
  return { shown, version, hidden, reveal };
}
