import { Link } from '@tanstack/react-router';
import type { SampleView } from '../../../../src/server/api.ts';
import { counted } from '../../ui/counted.ts';
import { Empty } from '../../ui/empty.tsx';
import { Ago } from '../../ui/figures.tsx';
import { Badge, OutcomeBadge } from '../../ui/outcome.tsx';
import { TextBlock } from '../content/text-block.tsx';
import styles from './tabs.module.css';

/** Tries at the sample that failed before the last one; each has a transcript of its own. */
export function AttemptsTab({ view }: { readonly view: SampleView }) {
  if (view.attempts.length === 0)
    return (
      <Empty title="It took one attempt">
        <p>Attempts that failed and were made again would be listed here, each with its transcript.</p>
      </Empty>
    );
  return (
    <ol className={styles.attempts}>
      {view.attempts.map(({ attempt, error, events, at }) => (
        <li key={attempt} className={styles.attempt}>
          <p className={styles.attemptHead}>
            <b>Attempt {attempt}</b>
            <Badge tone="error" glyph="!">
              failed
            </Badge>
            {at !== undefined && <Ago time={at} />}
            <AttemptLink attempt={String(attempt)} view={view}>
              {counted(events, 'event')}
            </AttemptLink>
          </p>
          <TextBlock text={error} as="output" />
        </li>
      ))}
      <li className={styles.attempt}>
        <p className={styles.attemptHead}>
          <b>Attempt {view.attempts.length + 1}</b>
          <OutcomeBadge outcome={view.row.outcome} />
          <AttemptLink attempt="" view={view}>
            its transcript
          </AttemptLink>
        </p>
      </li>
    </ol>
  );
}

interface AttemptLinkProps {
  readonly attempt: string;
  readonly view: SampleView;
  readonly children: React.ReactNode;
}

function AttemptLink({ attempt, view, children }: AttemptLinkProps) {
  return (
    <Link
      to="/runs/$run/s/$sample/$epoch"
      params={{ run: view.run, sample: String(view.id), epoch: String(view.epoch) }}
      search={(before) => ({ ...before, tab: 'transcript', attempt, event: '', lane: '', find: '' })}
    >
      {children}
    </Link>
  );
}
