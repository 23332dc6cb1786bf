import { classes } from './classes.ts';
import { formatCount, formatPercent } from './format.ts';
import type { Shown } from './outcomes.ts';
import styles from './share-bar.module.css';

export interface Share extends Shown {
  readonly count: number;
}

/** The whole of something as one bar, and below it each part with its count. Parts of nothing are left out. */
export function ShareBar({
  parts,
  isSlim = false,
}: {
  readonly parts: readonly Share[];
  readonly isSlim?: boolean;
}) {
  const shown = parts.filter(({ count }) => count > 0);
  const total = shown.reduce((sum, { count }) => sum + count, 0);
  const said = shown.map(({ count, word }) => `${formatCount(count)} ${word}`).join(', ');
  return (
    <div className={styles.whole}>
      <div
        className={classes(styles.bar, isSlim && styles.slim)}
        role="img"
        aria-label={said === '' ? 'nothing' : said}
      >
        {shown.map(({ word, tone, glyph, count }) => (
          <span
            key={word}
            className={styles.segment}
            data-tone={tone}
            style={{ flexGrow: count }}
            title={`${formatCount(count)} ${word} (${formatPercent(count / total)})`}
          >
            {!isSlim && count / total > 0.05 && glyph}
          </span>
        ))}
      </div>
      {!isSlim && (
        <ul className={styles.legend}>
          {shown.map(({ word, tone, glyph, count }) => (
            <li key={word} title={formatPercent(count / total)}>
              <span className={styles.glyph} data-tone={tone} aria-hidden="true">
                {glyph}
              </span>
              {formatCount(count)} {word}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
