import { Link } from '@tanstack/react-router';
import type { RunView, SampleItem } from '../../../../src/server/api.ts';
import { costOf, durationOf, outcomeOf, tokensOf, turnsOf } from '../../../../src/views/index.ts';
import { useAsk } from '../../data/use-ask.ts';
import { Asked } from '../../ui/asked.tsx';
import { Duration, Money } from '../../ui/figures.tsx';
import { formatCount, formatPercent, formatShortCount, formatUsd } from '../../ui/format.ts';
import { OutcomeBadge } from '../../ui/outcome.tsx';
import { SkeletonRows } from '../../ui/skeleton.tsx';
import { epochToOpen } from '../samples/sample-words.ts';
import type { RunAddress } from '../use-run-address.ts';
import styles from './cost-tab.module.css';

const SHOWN = 10;

interface CostlySamplesProps {
  readonly view: RunView;
  readonly address: RunAddress;
}

/** Where most of the money went; where no price is known, most of the tokens. */
export function CostlySamples({ view, address }: CostlySamplesProps) {
  const { usd } = view.cost;
  const sort = usd === null ? '-tokens' : '-cost';
  const samples = useAsk(
    'samples',
    { run: address.run },
    { sort, limit: SHOWN, ...address.askedScore },
    { isKept: true },
  );
  return (
    <section className={styles.part} aria-label="Most expensive samples">
      <Asked query={samples} what="The samples" waiting={<SkeletonRows rows={SHOWN} />}>
        {({ samples: rows, total }) => (
          <>
            <h3>{saidOf(rows, total, usd)}</h3>
            <ol className={styles.samples}>
              {rows.map((item) => (
                <CostlySample
                  key={item.id}
                  item={item}
                  most={most(rows, usd)}
                  usd={usd}
                  address={address}
                  sort={sort}
                />
              ))}
            </ol>
            {total > rows.length && (
              <button
                type="button"
                className={styles.link}
                onClick={() => address.setTab('samples', { sort, q: '' })}
              >
                All {formatCount(total)} by {usd === null ? 'tokens' : 'cost'}
              </button>
            )}
          </>
        )}
      </Asked>
    </section>
  );
}

interface CostlySampleProps {
  readonly item: SampleItem;
  readonly most: number;
  /** Of the whole run. */
  readonly usd: number | null;
  readonly address: RunAddress;
  readonly sort: string;
}

function CostlySample({ item, most: greatest, usd, address, sort }: CostlySampleProps) {
  const own = usd === null ? tokensOf(item) : costOf(item);
  return (
    <li className={styles.sample}>
      <OutcomeBadge outcome={outcomeOf(item)} isShort />
      <Link
        className={styles.id}
        to="/runs/$run/s/$sample/$epoch"
        params={{ run: address.run, sample: String(item.id), epoch: String(epochToOpen(item)) }}
        search={{ sort, score: address.score }}
      >
        {item.id}
      </Link>
      <span className={styles.track} aria-hidden="true">
        <span
          className={styles.fill}
          style={{ width: `${((own ?? 0) / Math.max(greatest, 1e-12)) * 100}%` }}
        />
      </span>
      <span className={styles.figure}>
        {usd === null ? formatShortCount(tokensOf(item)) : <Money usd={costOf(item)} />}
      </span>
      <span className={styles.quiet}>{formatCount(turnsOf(item))} turns</span>
      <span className={styles.quiet}>
        <Duration ms={durationOf(item)} />
      </span>
    </li>
  );
}

function most(rows: readonly SampleItem[], usd: number | null): number {
  return Math.max(0, ...rows.map((item) => (usd === null ? tokensOf(item) : costOf(item)) ?? 0));
}

/** The finding: how much of the money the first few took. */
function saidOf(rows: readonly SampleItem[], total: number, usd: number | null): string {
  if (rows.length === 0) return 'No samples';
  if (usd === null) return 'Samples that took most tokens';
  const sum = rows.reduce((all, item) => all + (costOf(item) ?? 0), 0);
  if (rows.length >= total || usd === 0) return `${formatUsd(sum)} in all samples`;
  return `The ${rows.length} most expensive of ${formatCount(total)} samples took ${formatPercent(sum / usd)} of the money`;
}
