import { Link } from '@tanstack/react-router';
import type { SampleView } from '../../../../src/server/api.ts';
import { IconButton } from '../../ui/button.tsx';
import { counted } from '../../ui/counted.ts';
import { Duration, Money } from '../../ui/figures.tsx';
import { formatCount } from '../../ui/format.ts';
import { Badge, OutcomeBadge } from '../../ui/outcome.tsx';
import { EpochSwitch } from './epoch-switch.tsx';
import styles from './sample-header.module.css';
import type { useNeighbours } from './use-neighbours.ts';

interface SampleHeaderProps {
  readonly view: SampleView | undefined;
  readonly run: string;
  readonly sample: string;
  readonly epoch: number;
  /** The list that one came from. */
  readonly list: { readonly q: string; readonly sort: string; readonly score: string };
  readonly neighbours: ReturnType<typeof useNeighbours>;
}

/** Which sample it is, where it is in the list, and how it went. */
export function SampleHeader({ view, run, sample, epoch, list, neighbours }: SampleHeaderProps) {
  const { place, count, isKnown, step, go } = neighbours;
  return (
    <header className={styles.head}>
      <nav className={styles.way} aria-label="Samples">
        <Link
          to="/runs/$run/{-$tab}"
          params={{ run, tab: undefined }}
          search={{ ...list, cols: '' }}
          className={styles.up}
          title="Up to the list (u)"
        >
          {view === undefined ? run : `${view.eval} · ${view.target}`}
        </Link>
        <IconButton icon="chevron-left" label="Previous sample (k)" onClick={() => step(-1)} />
        <span className={styles.place}>
          {isKnown &&
            (place < 0
              ? `not among ${formatCount(count)}`
              : `${formatCount(place + 1)} / ${formatCount(count)}`)}
          {list.q !== '' && <span className={styles.filter}> {list.q}</span>}
        </span>
        <IconButton icon="chevron-right" label="Next sample (j)" onClick={() => step(1)} />
      </nav>
      <h1 className={styles.title} title={sample}>
        {sample}
      </h1>
      {view === undefined ? (
        <span className={styles.facts}>epoch {epoch}</span>
      ) : (
        <div className={styles.facts}>
          <EpochSwitch view={view} onGo={(to) => go({ id: view.id, epoch: to })} />
          <OutcomeBadge outcome={view.row.outcome} />
          {view.row.limit !== undefined && (
            <OutcomeBadge outcome="limit">limit: {view.row.limit}</OutcomeBadge>
          )}
          <Money usd={view.row.usd} />
          {view.row.turns !== undefined && <span>{counted(view.row.turns, 'turn')}</span>}
          <Duration ms={view.row.durationMs} />
          {view.attempts.length > 0 && (
            <Badge tone="limit" glyph="⟳">
              {view.attempts.length + 1} attempts
            </Badge>
          )}
          {view.row.made !== undefined && view.row.made !== 'run' && (
            <Badge tone="quiet" glyph="↻">
              {view.row.made}
            </Badge>
          )}
        </div>
      )}
    </header>
  );
}
