import DiffWorker from './diff-worker.ts?worker&inline';

/** From `file://` no worker is started by its address: its code is in the app, and becomes a Blob. */
export function startDiffWorker(): Worker {
  return new DiffWorker();
}
