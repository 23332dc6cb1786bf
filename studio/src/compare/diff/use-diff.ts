import { useEffect, useState } from 'react';
import type { DiffAsked, DiffTold } from './diff-worker.ts';
import { startDiffWorker } from './start-diff-worker.ts';

/** Then what was found is shown, exact or not. */
const DEADLINE_MS = 6_000;
/** Whoever has not answered by then has failed. */
const GIVE_UP_MS = 3 * DEADLINE_MS;

export type DiffState =
  | { readonly is: 'working' }
  | { readonly is: 'done'; readonly diff: DiffTold }
  | { readonly is: 'failed'; readonly error: Error };

/** The diff of two texts, made by a worker. Undefined texts are not there yet. */
export function useDiff(a: string | undefined, b: string | undefined): DiffState {
  const [state, setState] = useState<DiffState>({ is: 'working' });
  useEffect(() => {
    if (a === undefined || b === undefined) return;
    setState({ is: 'working' });
    const worker = startDiffWorker();
    const fail = (message: string) => setState({ is: 'failed', error: new Error(message) });
    const timer = setTimeout(() => {
      worker.terminate();
      fail('The texts could not be compared in time.');
    }, GIVE_UP_MS);
    worker.addEventListener('message', ({ data }: MessageEvent<DiffTold>) => {
      clearTimeout(timer);
      setState({ is: 'done', diff: data });
    });
    worker.addEventListener('error', ({ message }) => {
      clearTimeout(timer);
      fail(message || 'The worker that compares texts could not be started.');
    });
    worker.postMessage({ a, b, deadlineMs: DEADLINE_MS } satisfies DiffAsked);
    return () => {
      clearTimeout(timer);
      worker.terminate();
    };
  }, [a, b]);
  return state;
}
