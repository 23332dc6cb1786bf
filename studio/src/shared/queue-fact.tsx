import type { SharedQueue } from '../../../src/server/api.ts';
import { useAsk } from '../data/use-ask.ts';
import { formatCount } from '../ui/format.ts';
import styles from './tabs.module.css';

/** How much of the run waits in the queue. It is asked for by itself: a queue that is away keeps nobody waiting for the rest. */
export function QueueFact({ run }: { readonly run: string }) {
  const { data, isError } = useAsk('sharedQueue', { run }, {});
  return (
    <>
      <dt>in the queue</dt>
      <dd>{isError ? 'unknown' : data === undefined ? '…' : amountOf(data)}</dd>
    </>
  );
}

/** An engine that runs share may count those of all, so a count says no more than: not more than these. */
function amountOf(queue: SharedQueue): string {
  if (queue.is === 'none') return 'not named';
  if (queue.is === 'away') return 'unknown: away';
  return queue.atMost === 0 ? '0' : `at most ${formatCount(queue.atMost)}`;
}

/** Why nothing is known of the queue, where that is so. */
export function QueueNote({ run }: { readonly run: string }) {
  const { data } = useAsk('sharedQueue', { run }, {});
  if (data === undefined || data.is === 'known') return null;
  const { said, hint } =
    data.is === 'none'
      ? data
      : { said: data.problem.message, hint: `${data.problem.hint} (${data.problem.code})` };
  return (
    <p className={styles.note}>
      {said} <span className={styles.quiet}>{hint}</span>
    </p>
  );
}
