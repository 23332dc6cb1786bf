/** The only place that knows where the worker is: a static export starts it from a Blob. */
export function startDiffWorker(): Worker {
  return new Worker(new URL('./diff-worker.ts', import.meta.url), { type: 'module' });
}
