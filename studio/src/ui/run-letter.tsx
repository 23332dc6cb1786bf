import type { CSSProperties } from 'react';
import styles from './run-letter.module.css';
import { colourOf, letterOf } from './run-letters.ts';

interface RunLetterProps {
  /** In the order of the comparison: 0 is the base, A. */
  readonly index: number;
  readonly title?: string | undefined;
}

/** The letter of a run in its colour. The letter itself is in the colour of the text, so that it is read on any of them. */
export function RunLetter({ index, title }: RunLetterProps) {
  const style: CSSProperties & Record<`--${string}`, string> = { '--run': colourOf(index) };
  return (
    <span className={styles.letter} style={style} title={title}>
      {letterOf(index)}
    </span>
  );
}
