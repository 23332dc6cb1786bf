import type { ReactNode } from 'react';
import type { Outcome } from '../../../src/server/api.ts';
import { classes } from './classes.ts';
import styles from './outcome.module.css';
import { outcomeShown, type Tone } from './outcomes.ts';

interface OutcomeBadgeProps {
  readonly outcome: Outcome | 'limit';
  /** Only the glyph; the word is read aloud and shown on hover. */
  readonly isShort?: boolean;
  /** Instead of the word: `3/5`, `limit: tokens`. */
  readonly children?: ReactNode;
}

export function OutcomeBadge({ outcome, isShort = false, children }: OutcomeBadgeProps) {
  const { glyph, word, tone } = outcomeShown(outcome);
  return (
    <span
      className={classes(styles.badge, styles[tone], isShort && styles.bare)}
      title={isShort ? word : undefined}
    >
      <span className={styles.glyph} aria-hidden="true">
        {glyph}
      </span>
      {isShort ? <span className="visually-hidden">{word}</span> : (children ?? word)}
      {!isShort && children !== undefined && <span className="visually-hidden">{word}</span>}
    </span>
  );
}

/** Any other state that has a glyph and a word. */
export function Badge({
  tone,
  glyph,
  children,
  title,
}: {
  readonly tone: Tone;
  readonly glyph?: string;
  readonly children: ReactNode;
  readonly title?: string;
}) {
  return (
    <span className={classes(styles.badge, styles[tone])} title={title}>
      {glyph !== undefined && (
        <span className={styles.glyph} aria-hidden="true">
          {glyph}
        </span>
      )}
      {children}
    </span>
  );
}
