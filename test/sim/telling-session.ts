/** A session of a worker that tells secrets: in a note before it is open, and in all that it says of its jobs. `refuse` in its words: it cannot open the run. */
import process from 'node:process';

interface Said {
  readonly kind: string;
  readonly id: number;
  readonly lease: { readonly job: string };
}

const error = { message: 'no: sk-1', hint: 'ask for sk-1', code: 'E_EVAL_THROWS', isUsage: true };

process.on('message', ({ kind, id, lease }: Said) => {
  if (kind === 'begin') {
    process.send?.({ kind: 'redact', patterns: [/sk-\d/g] });
    process.send?.({ kind: 'note', text: 'it begins with sk-1' });
    if (process.argv.includes('refuse')) process.send?.({ kind: 'refused', error });
    else process.send?.({ kind: 'opened', writer: 'w' });
  }
  if (kind === 'end') process.disconnect();
  if (kind !== 'work') return;
  if (lease.job === 's0') {
    process.send?.({ kind: 'failed', id, error });
    return;
  }
  const call = { failed: 'openai/x', failure: '401', reason: 'no key sk-1' };
  for (let count = 0; count < 10; count++) process.send?.({ kind: 'called', call });
  process.send?.({ kind: 'worked', id, result: { status: 'errored', reason: 'sk-1' } });
});
