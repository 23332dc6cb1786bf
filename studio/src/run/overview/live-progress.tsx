import type { RunFacts } from '../../../../src/server/api.ts';
import { formatCount, formatDuration } from '../../ui/format.ts';
import { progressOf } from '../../ui/run-progress.ts';
import { useNow } from '../../ui/use-now.ts';
import styles from './overview.module.css';

/** How far a run under way is, and how long it will probably take. */
export function LiveProgress({ facts }: { readonly facts: RunFacts }) {
  const { done, total, share, leftMs } = progressOf(facts, useNow());
  return (
    <p className={styles.progress} role="status">
      <progress max={1} value={share} aria-label="Samples done" />
      <span>
        {formatCount(done)} of {formatCount(total)} samples
      </span>
      {leftMs !== undefined && <span>about {formatDuration(leftMs)} left</span>}
      {facts.samples.errored > 0 && (
        <span className={styles.errors}>
          <span aria-hidden="true">!</span> {formatCount(facts.samples.errored)} errors
        </span>
      )}
    </p>
  );
}
