import type { Counts, Outcome } from '../../../../src/server/api.ts';
import { classes } from '../../ui/classes.ts';
import { formatCount, formatPercent } from '../../ui/format.ts';
import { outcomeShown } from '../../ui/outcomes.ts';
import type { RunSearch } from '../use-run-search.ts';
import styles from './outcome-bar.module.css';

const ORDER: readonly Outcome[] = [
  'pass',
  'partial',
  'number',
  'fail',
  'error',
  'unscored',
  'running',
  'missing',
];

/** What became of all samples at all epochs: parts of one bar, and counts that add up. A click filters the table. */
export function OutcomeBar({ counts, view }: { readonly counts: Counts; readonly view: RunSearch }) {
  const parts = ORDER.filter((outcome) => counts[outcome] > 0);
  if (counts.total === 0) return <p className={styles.none}>No samples yet.</p>;
  return (
    <div className={styles.box}>
      <div className={styles.bar} aria-hidden="true">
        {parts.map((outcome) => (
          <span
            key={outcome}
            className={classes(styles.part, styles[outcomeShown(outcome).tone])}
            style={{ flexGrow: counts[outcome] }}
          />
        ))}
      </div>
      <ul className={styles.counts} aria-label="What became of the samples">
        {parts.map((outcome) => {
          const { glyph, word, tone } = outcomeShown(outcome);
          const term = `outcome:${outcome}`;
          return (
            <li key={outcome}>
              <button
                type="button"
                className={classes(styles.count, styles[`${tone}Text`])}
                aria-pressed={view.q === term}
                title={`${formatPercent(counts[outcome] / counts.total)}; show only these`}
                onClick={() => view.change({ q: view.q === term ? '' : term })}
              >
                <span aria-hidden="true">{glyph}</span> <b>{formatCount(counts[outcome])}</b> {word}
              </button>
            </li>
          );
        })}
        <li className={styles.total}>= {formatCount(counts.total)}</li>
      </ul>
    </div>
  );
}
