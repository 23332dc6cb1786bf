import { Link } from '@tanstack/react-router';
import type { ReviewQueue } from '../../../src/server/api.ts';
import { Chip } from '../ui/chip.tsx';
import { formatCount } from '../ui/format.ts';
import { RunPicker } from '../ui/run-picker.tsx';
import styles from './review-runs.module.css';
import type { Review } from './use-review.ts';

interface ReviewRunsProps {
  readonly review: Review;
  readonly queue: ReviewQueue;
}

/** Of which runs the samples are, and how far one has come. */
export function ReviewRuns({ review, queue }: ReviewRunsProps) {
  const { search, set } = review;
  const [first] = queue.items;
  const share = queue.total === 0 ? 0 : queue.judged / queue.total;
  return (
    <div className={styles.head}>
      <div className={styles.line}>
        {search.run === '' ? (
          <span>the newest runs</span>
        ) : (
          <Chip
            title={search.run}
            removeLabel="Samples of the newest runs instead"
            onRemove={() => set({ run: '', at: '' })}
          >
            <Link to="/runs/$run/{-$tab}" params={{ run: search.run }}>
              {first === undefined ? search.run : `${first.eval} · ${first.target}`}
            </Link>
          </Chip>
        )}
        <RunPicker
          label="Choose"
          chosen={[search.run]}
          onChoose={(run) => set({ run, at: '', show: 'all' })}
        />
      </div>
      <p className={styles.count} role="status">
        {formatCount(queue.judged)} of {formatCount(queue.total)} judged
      </p>
      <progress className={styles.progress} value={share} aria-label="Judged" />
    </div>
  );
}
