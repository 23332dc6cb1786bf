/** A session of a worker whose journal fails: with `s0` as such sessions end, and with any other job without a word of that. */
import process from 'node:process';

interface Said {
  readonly kind: string;
  readonly id: number;
  readonly lease: { readonly job: string };
}

process.on('message', ({ kind, id, lease }: Said) => {
  if (kind === 'begin') process.send?.({ kind: 'opened', writer: 'w' });
  if (kind === 'end') process.disconnect();
  if (kind !== 'work') return;
  const error = { message: 'the disk is full', code: 'E_DISK_FULL', hint: 'make room', isUsage: false };
  process.send?.({ kind: 'broken', error });
  if (lease.job !== 's0') process.disconnect();
  else process.send?.({ kind: 'worked', id, result: { status: 'returned', reason: error.message } });
});
