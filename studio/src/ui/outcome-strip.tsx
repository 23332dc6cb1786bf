import type { Outcome } from '../../../src/server/api.ts';
import { classes } from './classes.ts';
import styles from './outcome-strip.module.css';
import { outcomeShown } from './outcomes.ts';

interface OutcomeStripProps {
  /** Oldest first. */
  readonly history: readonly Outcome[];
  /** No more than these, the newest. */
  readonly max?: number;
}

/** What became of a sample in run after run: a glyph each, so that it is read without colours. */
export function OutcomeStrip({ history, max = 30 }: OutcomeStripProps) {
  const shown = history.slice(-max);
  const said = shown.map((outcome) => outcomeShown(outcome).word).join(', ');
  return (
    <span className={styles.strip} role="img" aria-label={`oldest first: ${said}`} title={said}>
      {shown.map((outcome, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a history has no other order
        <OutcomeMark key={index} outcome={outcome} />
      ))}
    </span>
  );
}

interface OutcomeMarkProps {
  readonly outcome: Outcome;
  /** More about it, on hover. */
  readonly title?: string;
  readonly isNarrow?: boolean;
}

/** One cell of a strip. */
export function OutcomeMark({ outcome, title, isNarrow = false }: OutcomeMarkProps) {
  const { tone, glyph } = outcomeShown(outcome);
  return (
    <span className={classes(styles.one, isNarrow && styles.narrow, styles[tone])} title={title}>
      {glyph}
    </span>
  );
}
