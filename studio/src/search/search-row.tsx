import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { SearchHit } from '../../../src/server/api.ts';
import { counted } from '../ui/counted.ts';
import { formatCount } from '../ui/format.ts';
import { OutcomeBadge } from '../ui/outcome.tsx';
import type { SearchRow } from './search-groups.ts';
import styles from './search-row.module.css';

interface SearchRowProps {
  readonly row: SearchRow;
  /** What is looked for, for the page that a hit opens. */
  readonly text: string;
}

export function SearchRowView({ row, text }: SearchRowProps) {
  const { hit } = row;
  if (row.kind === 'run')
    return (
      <div className={styles.run}>
        <Link to="/runs/$run/{-$tab}" params={{ run: hit.run }}>
          {hit.eval} · {hit.target}
        </Link>
        <span className={styles.meta}>
          {hit.run} · {counted(row.hits, 'hit')} in {counted(row.samples, 'sample')}
        </span>
      </div>
    );
  if (row.kind === 'sample')
    return (
      <div className={styles.sample}>
        {hit.outcome !== undefined && <OutcomeBadge outcome={hit.outcome} isShort />}
        <HitLink hit={hit} text={text} isFirst>
          {hit.sample}
        </HitLink>
        {hit.epoch !== undefined && hit.epoch > 1 && <span className={styles.meta}>epoch {hit.epoch}</span>}
        <span className={styles.meta}>{formatCount(row.hits)}</span>
      </div>
    );
  return (
    <div className={styles.hit}>
      <span className={styles.where}>
        {hit.where}
        {hit.event !== undefined && ` ${hit.event}`}
      </span>
      <HitLink hit={hit} text={text}>
        <span className={styles.before}>{hit.before}</span>
        <mark className={styles.mark}>{hit.hit}</mark>
        <span>{hit.after}</span>
      </HitLink>
    </div>
  );
}

interface HitLinkProps {
  readonly hit: SearchHit;
  readonly text: string;
  /** To the sample itself, not to the place in it. */
  readonly isFirst?: boolean;
  readonly children: ReactNode;
}

function HitLink({ hit, text, isFirst = false, children }: HitLinkProps) {
  if (hit.sample === undefined)
    return (
      <Link to="/runs/$run/{-$tab}" params={{ run: hit.run }} className={styles.link}>
        {children}
      </Link>
    );
  const event = hit.event === undefined || isFirst ? {} : { event: String(hit.event) };
  return (
    <Link
      to="/runs/$run/s/$sample/$epoch"
      params={{ run: hit.run, sample: String(hit.sample), epoch: String(hit.epoch ?? 1) }}
      search={{ ...event, find: text }}
      className={styles.link}
    >
      {children}
    </Link>
  );
}
