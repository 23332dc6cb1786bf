import { Link } from '@tanstack/react-router';
import type { RunFacts, RunItem } from '../../../src/server/api.ts';
import { Money, Score } from '../ui/figures.tsx';
import { formatCount, formatDuration } from '../ui/format.ts';
import { useProgress } from '../ui/run-progress.ts';
import { useNow } from '../ui/use-now.ts';
import styles from './live-runs.module.css';

const SHOWN = 4;

/** Runs under way, whatever the filter. */
export function LiveRuns({ runs }: { readonly runs: readonly RunItem[] }) {
  if (runs.length === 0) return null;
  return (
    <section className={styles.live} aria-label="Runs under way">
      {runs.slice(0, SHOWN).map((item) => (
        <LiveRun key={item.run} item={item} />
      ))}
      {runs.length > SHOWN && (
        <p className={styles.more}>and {formatCount(runs.length - SHOWN)} more under way</p>
      )}
    </section>
  );
}

function LiveRun({ item }: { readonly item: RunItem }) {
  return item.facts === undefined ? null : <KnownRun item={item} facts={item.facts} />;
}

function KnownRun({ item, facts }: { readonly item: RunItem; readonly facts: RunFacts }) {
  const { done, total, share, leftMs } = useProgress(facts, useNow());
  const [score] = facts.scores;
  return (
    <Link to="/runs/$run/{-$tab}" params={{ run: item.run }} className={styles.run}>
      <span className={styles.state}>
        <span aria-hidden="true">●</span> Live
      </span>
      <span className={styles.name}>
        {facts.eval} <span className={styles.target}>{facts.target}</span>
      </span>
      <progress
        className={styles.progress}
        max={1}
        value={share}
        aria-label={`${facts.eval}: samples done`}
      />
      <span>
        {formatCount(done)}/{formatCount(total)}
      </span>
      {score !== undefined && (
        <Score value={score.value} low={score.low} high={score.high} name={score.name} />
      )}
      <Money usd={facts.usd} />
      {leftMs !== undefined && <span className={styles.quiet}>about {formatDuration(leftMs)} left</span>}
      {facts.samples.errored > 0 && (
        <span className={styles.errors}>
          <span aria-hidden="true">!</span> {formatCount(facts.samples.errored)} errors
        </span>
      )}
    </Link>
  );
}
