/** A session of a worker to whose calls nothing answers: each job makes one. `s99` goes on with something else until it is told to stop. */
import process from 'node:process';

interface Said {
  readonly kind: string;
  readonly id: number;
  readonly reason: string;
  readonly lease: { readonly job: string };
}

process.on('message', ({ kind, id, lease, reason }: Said) => {
  if (kind === 'begin') process.send?.({ kind: 'opened', writer: 'w' });
  if (kind === 'end') process.disconnect();
  if (kind === 'abort') process.send?.({ kind: 'worked', id, result: { status: 'returned', reason } });
  if (kind !== 'work') return;
  const call = { failed: 'openai/x', failure: '401', reason: 'HTTP 401: no such key' };
  process.send?.({ kind: 'called', call });
  if (lease.job !== 's99') process.send?.({ kind: 'worked', id, result: { status: 'errored' } });
});
