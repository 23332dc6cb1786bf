import type { ReviewQueue } from '../../../src/server/api.ts';
import { Chip } from '../ui/chip.tsx';
import { classes } from '../ui/classes.ts';
import { counted } from '../ui/counted.ts';
import { formatCount, formatScore } from '../ui/format.ts';
import styles from './agreement.module.css';
import { type AgreementCell, comparedCount, KAPPA_LEAST, kappaWords, type Show } from './queue.ts';

interface AgreementProps {
  readonly queue: ReviewQueue;
  readonly show: Show;
  readonly onShow: (show: Show) => void;
}

/** What people say beside what the scorer says. Every cell shows only its samples. */
export function Agreement({ queue, show, onShow }: AgreementProps) {
  const { agreement } = queue;
  const verdicts = comparedCount(agreement);
  const press = (next: Show) => onShow(show === next ? 'all' : next);
  const cell = (name: AgreementCell, label: string, isApart: boolean) => (
    <button
      type="button"
      className={classes(styles.cell, isApart && styles.isApart, show === name && styles.isOn)}
      aria-pressed={show === name}
      onClick={() => press(name)}
    >
      <strong>{formatCount(agreement[name])}</strong>
      <span className="visually-hidden"> {label}</span>
    </button>
  );
  return (
    <section className={styles.agreement} aria-label="Agreement of people and scorer">
      <div className={styles.grid}>
        <span />
        <span className={styles.head}>people ✓</span>
        <span className={styles.head}>people ✗</span>
        <span className={styles.side}>scorer ✓</span>
        {cell('bothPass', 'both say that it passes', false)}
        {cell('onlyScorerPasses', 'only the scorer says that it passes', true)}
        <span className={styles.side}>scorer ✗</span>
        {cell('onlyPeoplePass', 'only people say that it passes', true)}
        {cell('bothFail', 'both say that it fails', false)}
      </div>
      <p className={styles.kappa}>
        {agreement.kappa !== undefined && verdicts >= KAPPA_LEAST && (
          <>
            κ = <strong>{formatScore(agreement.kappa)}</strong>,{' '}
          </>
        )}
        {kappaWords(agreement.kappa, verdicts)}
        {verdicts >= KAPPA_LEAST && `, ${counted(verdicts, 'verdict')}`}
      </p>
      <p className={styles.chips}>
        <Chip isOn={show === 'open'} onClick={() => press('open')}>
          Not judged
        </Chip>
        <Chip isOn={show === 'unsure'} onClick={() => press('unsure')}>
          {formatCount(agreement.unsure)} unsure
        </Chip>
      </p>
    </section>
  );
}
