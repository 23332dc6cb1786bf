import { Link } from '@tanstack/react-router';
import { IconButton } from '../../ui/button.tsx';
import { formatCount, formatDuration, formatTime } from '../../ui/format.ts';
import { OutcomeBadge } from '../../ui/outcome.tsx';
import type { RunAddress } from '../use-run-address.ts';
import styles from './chosen-samples.module.css';
import type { TimelineMark } from './timeline-lanes.ts';

const SHOWN = 60;

interface ChosenSamplesProps {
  readonly mark: TimelineMark;
  readonly startMs: number;
  readonly address: RunAddress;
  readonly onClose: () => void;
}

/** The samples behind one dot. */
export function ChosenSamples({ mark, startMs, address, onClose }: ChosenSamplesProps) {
  const { samples } = mark;
  const first = samples[0];
  if (first === undefined) return null;
  const at = formatTime(new Date(startMs + first.to).toISOString()).slice(11);
  return (
    <section className={styles.chosen} aria-label="Samples of the dot">
      <h3 className={styles.title}>
        {formatCount(samples.length)} ended about {at}
        <IconButton icon="close" label="Close" onClick={onClose} />
      </h3>
      <ul className={styles.list}>
        {samples.slice(0, SHOWN).map(({ id, epoch, from, to, outcome }) => (
          <li key={`${id} ${epoch}`}>
            <OutcomeBadge outcome={outcome} isShort />
            <Link
              to="/runs/$run/s/$sample/$epoch"
              params={{ run: address.run, sample: String(id), epoch: String(epoch) }}
              search={{ q: address.q, sort: address.sort, score: address.score }}
            >
              {id}
            </Link>
            <span className={styles.quiet}>
              epoch {epoch}, {formatDuration(to - from)}
            </span>
          </li>
        ))}
      </ul>
      {samples.length > SHOWN && (
        <p className={styles.quiet}>
          and {formatCount(samples.length - SHOWN)} more: the table has all of them.
        </p>
      )}
    </section>
  );
}
