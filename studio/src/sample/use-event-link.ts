import { useParams, useRouter } from '@tanstack/react-router';
import { useCallback, useEffect, useRef, useState } from 'react';
import { useData } from '../data/data-context.tsx';
import { copyText } from '../ui/copy.tsx';
import { stringAt } from './read-json.ts';
import type { EventBodies } from './transcript/event-bodies.ts';
import type { TranscriptKey } from './transcript/use-skeleton.ts';
import type { TranscriptState } from './transcript/use-transcript.ts';
import { useSampleSearch } from './use-sample-search.ts';

const WRITE_MS = 400;
const SAID_MS = 1_800;

/** Copies addresses of events. By its uuid an event is found again also when the log was written anew. */
export function useCopyLink() {
  const router = useRouter();
  const params = useParams({ from: '/runs/$run/s/$sample/$epoch' });
  const { search } = useSampleSearch();
  const [said, setSaid] = useState('');
  useEffect(() => {
    if (said === '') return;
    const timer = setTimeout(() => setSaid(''), SAID_MS);
    return () => clearTimeout(timer);
  }, [said]);
  const { attempt } = search;
  const copy = useCallback(
    (event: string) => {
      const { href } = router.buildLocation({
        to: '/runs/$run/s/$sample/$epoch',
        params,
        search: { tab: 'transcript', event, lane: '', find: '', attempt, score: '', q: '', sort: '' },
      });
      const address = new URL(router.history.createHref(href), location.href).href;
      copyText(address).then(
        () => setSaid('The link was copied'),
        () => setSaid('The link could not be copied'),
      );
    },
    [router, params, attempt],
  );
  return { copy, said };
}

/** The uuid of an event, by which links and notes name it; undefined where it has none. What is folded away has to be asked for it. */
export function useEventUuid({ run, sample, epoch, attempt }: TranscriptKey, bodies: EventBodies) {
  const data = useData();
  return useCallback(
    async (event: number): Promise<string | undefined> => {
      const known = bodies.get(event);
      if (known !== undefined) return stringAt(known, 'uuid');
      const query = { from: event, limit: 1, ...(attempt !== undefined && { attempt }) };
      try {
        const page = await data.ask('events', { params: { run, sample, epoch }, query });
        return stringAt(page.events[0], 'uuid');
      } catch {
        // Its number does as well for as long as the log is this one.
        return undefined;
      }
    },
    [data, run, sample, epoch, attempt, bodies],
  );
}

/** Goes to the event that the address names, and writes into the address which event is marked. */
export function useEventInAddress(transcript: TranscriptState): void {
  const data = useData();
  const { run, sample, epoch } = useParams({ from: '/runs/$run/s/$sample/$epoch' });
  const { search, set } = useSampleSearch();
  const { goToEvent, focused } = transcript;
  const known = useRef('');
  const writing = useRef<ReturnType<typeof setTimeout>>(undefined);
  const { event } = search;
  const attempt = search.attempt === '' ? undefined : Number(search.attempt);

  useEffect(() => {
    if (event === known.current) return;
    known.current = event;
    if (event === '') return;
    // Whoever asks for an event goes there, and not back to the one that was about to be written.
    clearTimeout(writing.current);
    if (/^\d+$/.test(event)) {
      goToEvent(Number(event));
      return;
    }
    const stop = new AbortController();
    const query = { uuid: event, ...(attempt !== undefined && { attempt }) };
    data.ask('eventPlace', { params: { run, sample, epoch }, query }, stop.signal).then(
      (place) => goToEvent(place.event),
      // An event that is not there any more: the transcript is shown from its beginning.
      () => undefined,
    );
    return () => stop.abort();
  }, [data, run, sample, epoch, attempt, event, goToEvent]);

  useEffect(() => {
    if (focused === undefined || String(focused) === known.current) return;
    writing.current = setTimeout(() => {
      known.current = String(focused);
      set({ event: String(focused) });
    }, WRITE_MS);
    return () => clearTimeout(writing.current);
  }, [focused, set]);
}
