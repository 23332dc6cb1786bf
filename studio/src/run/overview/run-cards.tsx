import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { RunView } from '../../../../src/server/api.ts';
import { Money } from '../../ui/figures.tsx';
import { formatCount, formatDuration, formatUsd } from '../../ui/format.ts';
import { Badge } from '../../ui/outcome.tsx';
import type { RunSearch } from '../use-run-search.ts';
import { IntervalDots } from './interval-dots.tsx';
import { OutcomeBar } from './outcome-bar.tsx';
import styles from './overview.module.css';
import { ScoreStrip } from './score-strip.tsx';

interface RunCardsProps {
  readonly run: RunView;
  readonly view: RunSearch;
}

/** The figures of a run: scores with their intervals, what became of the samples, money, time, and what is new since the last. */
export function RunCards({ run, view }: RunCardsProps) {
  const { facts } = run.item;
  return (
    <div className={styles.cards}>
      <Card label="Scores" isWide>
        <IntervalDots scores={run.scores} />
        <OutcomeBar counts={run.counts} view={view} />
        {run.counts.number > 0 && <ScoreStrip view={view} />}
      </Card>
      <Card label="Cost">
        <p className={styles.headline}>
          <Money usd={run.cost.usd} />
        </p>
        <dl className={styles.facts}>
          <Fact what="per solved sample" value={formatUsd(run.cost.perSolvedUsd)} />
          <Fact what="wasted" value={formatUsd(run.cost.wastedUsd)} />
          <Fact what="saved by reuse" value={formatUsd(run.cost.savedUsd)} />
        </dl>
      </Card>
      <Card label="Time">
        <p className={styles.headline}>{formatDuration(facts?.durationMs)}</p>
        <dl className={styles.facts}>
          <Fact what="samples" value={formatCount(run.counts.total)} />
          <Fact what="epochs" value={formatCount(run.epochs)} />
          <Fact what="dataset" value={run.dataset} />
        </dl>
      </Card>
      <Previous run={run} />
    </div>
  );
}

/** Against the previous run of the same eval and target; only what differs. */
function Previous({ run }: { readonly run: RunView }) {
  const { previous } = run;
  if (previous === undefined)
    return (
      <Card label="Against the previous run">
        <p className={styles.quiet}>There is no earlier run of this eval and target.</p>
      </Card>
    );
  const tones = { better: 'better', worse: 'worse', 'cannot tell': 'same' } as const;
  return (
    <Card label="Against the previous run">
      <p className={styles.inline}>
        <span className={styles[tones[previous.verdict]]}>
          <b>{previous.verdict}</b>
        </span>
        <span className={styles.better}>
          <span aria-hidden="true">▲</span> {formatCount(previous.improved)} improved
        </span>
        <span className={styles.worse}>
          <span aria-hidden="true">▼</span> {formatCount(previous.regressed)} regressed
        </span>
      </p>
      <p className={styles.quiet}>{previous.said}</p>
      {previous.changes.length > 0 && (
        <ul className={styles.inline}>
          {previous.changes.map(({ what, said, isWarning }) => (
            <li key={`${what} ${said}`}>
              {isWarning && (
                <Badge tone="limit" glyph="!">
                  caution
                </Badge>
              )}{' '}
              {said}
            </li>
          ))}
        </ul>
      )}
      <Link to="/compare" search={{ runs: `${previous.run},${run.item.run}` }}>
        Compare the two
      </Link>
    </Card>
  );
}

interface CardProps {
  readonly label: string;
  readonly isWide?: boolean;
  readonly children: ReactNode;
}

function Card({ label, isWide = false, children }: CardProps) {
  return (
    <section className={isWide ? styles.wideCard : styles.card} aria-label={label}>
      <h2 className={styles.eyebrow}>{label}</h2>
      {children}
    </section>
  );
}

function Fact({ what, value }: { readonly what: string; readonly value: string }) {
  return (
    <div>
      <dt>{what}</dt>
      <dd title={value}>{value}</dd>
    </div>
  );
}
