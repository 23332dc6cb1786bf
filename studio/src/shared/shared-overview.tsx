import type { ReactNode } from 'react';
import type { SharedRunView } from '../../../src/server/api.ts';
import cardStyles from '../ui/cards.module.css';
import { counted } from '../ui/counted.ts';
import { Ago } from '../ui/figures.tsx';
import { formatCount, formatUsd } from '../ui/format.ts';
import { ShareBar } from '../ui/share-bar.tsx';
import { QueueFact } from './queue-fact.tsx';
import styles from './shared-overview.module.css';
import { sampleShares, spentText } from './shared-words.ts';

/** How far it is, in figures. */
export function SharedOverview({ view }: { readonly view: SharedRunView }) {
  const { row } = view;
  const { samples, workers, builds } = row;
  const done = samples.completed + samples.reused + samples.errored + samples.aside + samples.damaged;
  return (
    <div className={styles.overview}>
      <section className={cardStyles.card} aria-label="Samples">
        <h2 className={cardStyles.eyebrow}>
          {formatCount(done)} of {counted(samples.planned, 'sample')} over
        </h2>
        <ShareBar parts={sampleShares(row)} />
      </section>
      <section className={cardStyles.card} aria-label="Workers and queue">
        <h2 className={cardStyles.eyebrow}>Workers</h2>
        <p className={cardStyles.headline}>{formatCount(workers.live)} live</p>
        <dl className={cardStyles.figures}>
          {workers.refusing > 0 && <Figure name="refuse it">{formatCount(workers.refusing)}</Figure>}
          {workers.silent > 0 && <Figure name="silent">{formatCount(workers.silent)}</Figure>}
          {workers.unknown > 0 && <Figure name="unknown">{formatCount(workers.unknown)}</Figure>}
          <Figure name="lost leases">{formatCount(row.lostLeases)}</Figure>
          <QueueFact run={row.run} />
        </dl>
      </section>
      <section className={cardStyles.card} aria-label="Cost">
        <h2 className={cardStyles.eyebrow}>Spent so far</h2>
        <p className={cardStyles.headline}>{spentText(row)}</p>
        <dl className={cardStyles.figures}>
          {row.budgetUsd !== undefined && <Figure name="of a budget of">{formatUsd(row.budgetUsd)}</Figure>}
          <Figure name="a finished sample">{perSample(view)}</Figure>
          <Figure name="of unknown cost">
            {row.unpriced === 0 ? 'nothing' : counted(row.unpriced, 'lease')}
          </Figure>
          <Figure name="last end">
            {row.lastEndedAt === undefined ? 'none yet' : <LastEnd at={row.lastEndedAt} />}
          </Figure>
        </dl>
      </section>
      <section className={cardStyles.card} aria-label="Builds of artifacts">
        <h2 className={cardStyles.eyebrow}>Artifacts</h2>
        <p className={cardStyles.headline}>
          {builds.planned === 0
            ? 'none'
            : `${formatCount(builds.completed)} of ${formatCount(builds.planned)}`}
        </p>
        <dl className={cardStyles.figures}>
          <Figure name="being built">{formatCount(builds.running)}</Figure>
          <Figure name="due">{formatCount(builds.due)}</Figure>
          <Figure name="failed">{formatCount(builds.errored + builds.aside + builds.damaged)}</Figure>
        </dl>
      </section>
    </div>
  );
}

function LastEnd({ at }: { readonly at: string }) {
  return (
    <>
      <Ago time={at} /> ago
    </>
  );
}

/** Of all that was spent, builds too; unknown while nothing is finished. */
function perSample({ row }: SharedRunView): string {
  return row.samples.completed === 0 ? 'unknown' : formatUsd(row.usd / row.samples.completed);
}

function Figure({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}
