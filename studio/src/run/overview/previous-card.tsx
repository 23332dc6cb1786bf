import { Link } from '@tanstack/react-router';
import type { RunView, Verdict } from '../../../../src/server/api.ts';
import cardStyles from '../../ui/cards.module.css';
import { classes } from '../../ui/classes.ts';
import { formatCount } from '../../ui/format.ts';
import type { RunAddress } from '../use-run-address.ts';
import styles from './overview.module.css';

const VERDICTS: Readonly<
  Record<Verdict, { readonly mark: string; readonly look: 'better' | 'worse' | 'same' }>
> = {
  better: { mark: '▲ better', look: 'better' },
  worse: { mark: '▼ worse', look: 'worse' },
  'cannot tell': { mark: '? cannot tell', look: 'same' },
};
const CHANGES_SHOWN = 2;

interface PreviousCardProps {
  readonly view: RunView;
  readonly address: RunAddress;
}

/** Against the previous run of the same eval and target. */
export function PreviousCard({ view, address }: PreviousCardProps) {
  const { previous, item } = view;
  if (previous === undefined)
    return (
      <section className={classes(cardStyles.card, styles.previous)} aria-label="Against the previous run">
        <h2 className={cardStyles.eyebrow}>Against the previous run</h2>
        <p className={styles.quiet}>No earlier run of this eval and target is here.</p>
      </section>
    );
  const { mark, look } = VERDICTS[previous.verdict];
  const warnings = previous.changes.filter(({ isWarning }) => isWarning);
  return (
    <section className={classes(cardStyles.card, styles.previous)} aria-label="Against the previous run">
      <h2 className={cardStyles.eyebrow}>
        <Link to="/compare" search={{ runs: `${previous.run},${item.run}` }}>
          Against the previous run
        </Link>
      </h2>
      <p className={styles[look]}>{mark}</p>
      <p className={styles.counts}>
        <span>
          <span className={styles.better} aria-hidden="true">
            ▲
          </span>{' '}
          {formatCount(previous.improved)} improved
        </span>
        <span>
          <span className={styles.worse} aria-hidden="true">
            ▼
          </span>{' '}
          {formatCount(previous.regressed)} regressed
        </span>
      </p>
      <p className={styles.quiet}>{previous.said}</p>
      {warnings.length > 0 && (
        <ul className={styles.changes}>
          {warnings.slice(0, CHANGES_SHOWN).map(({ what, said }) => (
            <li key={what}>
              <span className={styles.warning}>!</span> {said}
            </li>
          ))}
        </ul>
      )}
      {previous.changes.length > 0 && (
        <button type="button" className={styles.link} onClick={() => address.setTab('config')}>
          What changed between them
        </button>
      )}
    </section>
  );
}
