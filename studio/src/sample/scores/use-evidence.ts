import { useMemo, useSyncExternalStore } from 'react';
import { useData } from '../../data/data-context.tsx';
import { stringAt } from '../read-json.ts';
import { firstOfTurn } from '../transcript/landmarks.ts';
import type { TranscriptState } from '../transcript/use-transcript.ts';
import type { Citation } from './citations.ts';
import { judgeCall } from './judge-call.ts';

/** So many messages of people and systems may stand before the one that answers them. */
const ANSWERED_WITHIN = 4;
/** By whom messages are that come with events. */
const BROUGHT: ReadonlySet<string> = new Set(['assistant', 'tool']);

interface EvidenceOptions {
  readonly key: { readonly run: string; readonly sample: string; readonly epoch: number };
  readonly attempt: number | undefined;
  readonly transcript: Pick<TranscriptState, 'store' | 'goToEvent'>;
  readonly isTranscript: boolean;
  readonly set: (changed: { readonly tab: 'transcript'; readonly event: string }) => void;
}

/** Where scores lead in the transcript. */
export function useEvidence({ key, attempt, transcript, isTranscript, set }: EvidenceOptions) {
  const data = useData();
  const { run, sample, epoch } = key;
  const { store, goToEvent } = transcript;
  const version = useSyncExternalStore(store.subscribe, () => (store.isWhole ? store.version : -1));
  const show = (event: number) => {
    if (isTranscript) goToEvent(event);
    else set({ tab: 'transcript', event: String(event) });
  };
  const placeOf = async (id: string) => {
    const query = attempt === undefined ? { uuid: id } : { uuid: id, attempt };
    return (await data.ask('eventPlace', { params: { run, sample, epoch }, query })).event;
  };
  const eventOf = async ({ to }: Citation): Promise<number | undefined> => {
    if ('event' in to) return to.event >= 1 && to.event <= store.count ? to.event - 1 : undefined;
    if ('id' in to) return placeOf(to.id);
    if ('turn' in to) {
      const event = firstOfTurn(store, to.turn);
      return event < store.count && store.turn(event) === to.turn ? event : undefined;
    }
    const query = { from: Math.max(0, to.message - 1), limit: ANSWERED_WITHIN };
    const { messages } = await data.ask('messages', { params: { run, sample, epoch }, query });
    for (const message of messages) {
      // What a person said is in no event of its own: what answers it is.
      const isBrought = BROUGHT.has(stringAt(message, 'role') ?? '');
      const id = isBrought ? stringAt(message, 'id') : undefined;
      const event = id === undefined ? undefined : await placeOf(id).catch(() => undefined);
      if (event !== undefined) return event;
    }
    return undefined;
  };
  /** False when there is nothing of that kind in the transcript. */
  const goTo = async (citation: Citation): Promise<boolean> => {
    // What is cited may never have been there: whoever wrote the score may have made it up.
    const event = await eventOf(citation).catch(() => undefined);
    if (event !== undefined) show(event);
    return event !== undefined;
  };
  const judgeOf = useMemo(
    () => (score: string) => (version < 0 ? undefined : judgeCall(store, score)),
    [store, version],
  );
  return { goTo, judgeOf, show };
}

export type Evidence = ReturnType<typeof useEvidence>;
