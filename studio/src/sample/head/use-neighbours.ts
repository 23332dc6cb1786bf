import { useNavigate } from '@tanstack/react-router';
import { useCallback, useEffect, useRef } from 'react';
import { useAsk } from '../../data/use-ask.ts';
import { neighbour, placeIn, type SampleKey } from './sample-order.ts';

interface Where {
  readonly run: string;
  readonly sample: string;
  readonly epoch: number;
  /** Of the list that one came from. */
  readonly q: string;
  readonly sort: string;
  readonly score: string;
}

/** Samples before and after this one, in the order of the list that one came from. */
export function useNeighbours({ run, sample, epoch, q, sort, score }: Where) {
  const navigate = useNavigate();
  const query = { q, sort, ...(score !== '' && { score }) };
  const { data } = useAsk('sampleOrder', { run }, query, { isKept: true });
  const keys = data?.keys ?? [];
  const place = placeIn(keys, { id: sample, epoch });
  // Keys come faster than pages are shown: each one goes on from where the last one led.
  const at = useRef(place);
  useEffect(() => {
    at.current = place;
  }, [place]);
  const go = useCallback(
    (to: SampleKey) =>
      void navigate({
        to: '/runs/$run/s/$sample/$epoch',
        params: { run, sample: String(to.id), epoch: String(to.epoch) },
        search: (before) => ({ ...before, event: '', lane: '', find: '', attempt: '' }),
        replace: true,
      }),
    [navigate, run],
  );
  const step = (by: 1 | -1, isFailing = false) => {
    const next = neighbour(keys, { from: at.current, step: by, isFailing });
    if (next === undefined) return;
    at.current = placeIn(keys, { id: String(next.id), epoch: next.epoch });
    go(next);
  };
  return { place, count: keys.length, isKnown: data !== undefined, step, go };
}
