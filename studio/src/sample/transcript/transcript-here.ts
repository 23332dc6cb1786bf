import { createContext, use, useSyncExternalStore } from 'react';
import type { AnyJson } from '../../../../src/server/api.ts';
import type { EventBodies } from './event-bodies.ts';
import type { SkeletonStore } from './skeleton-store.ts';

/** What every row of a transcript needs; it stays the same while rows come and go. */
export interface TranscriptHere {
  readonly store: SkeletonStore;
  readonly bodies: EventBodies;
  readonly toggle: (event: number) => void;
  /** Makes an event the one that keys are about. */
  readonly focus: (event: number) => void;
  readonly copyLink: (event: number) => void;
}

export const Transcript = createContext<TranscriptHere | undefined>(undefined);

export function useTranscriptHere(): TranscriptHere {
  const here = use(Transcript);
  if (here === undefined) throw new Error('There is no transcript above this component');
  return here;
}

/** The body of an event as soon as it is here. */
export function useBody(event: number): AnyJson | undefined {
  const { bodies } = useTranscriptHere();
  return useSyncExternalStore(bodies.subscribe, () => bodies.get(event));
}

export function useBodyError(event: number): unknown {
  const { bodies } = useTranscriptHere();
  return useSyncExternalStore(bodies.subscribe, () => bodies.errorOf(event));
}
