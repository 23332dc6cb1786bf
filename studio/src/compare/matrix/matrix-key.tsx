import type { Outcome } from '../../../../src/server/api.ts';
import { outcomeShown } from '../../ui/outcomes.ts';
import { css } from './matrix-colours.ts';
import styles from './matrix-line.module.css';
import { useColours } from './use-colours.ts';

const SHOWN: readonly Outcome[] = ['pass', 'partial', 'fail', 'error', 'missing'];

/** What the colours of cells mean. */
export function MatrixKey({ isLarge }: { readonly isLarge: boolean }) {
  const { large, small } = useColours();
  return (
    <span className={styles.key}>
      {SHOWN.map((outcome) => (
        <span key={outcome} className={styles.keyItem}>
          <span
            className={styles.swatch}
            aria-hidden="true"
            style={{
              background: css(isLarge ? large[outcome].ground : small[outcome]),
              color: css(large[outcome].ink),
            }}
          >
            {isLarge && large[outcome].glyph}
          </span>
          {outcomeShown(outcome).word}
        </span>
      ))}
    </span>
  );
}
