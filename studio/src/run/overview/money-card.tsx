import type { ReactNode } from 'react';
import type { RunView } from '../../../../src/server/api.ts';
import cardStyles from '../../ui/cards.module.css';
import { classes } from '../../ui/classes.ts';
import { formatRunTime, formatShortCount, formatTime, formatUsd } from '../../ui/format.ts';
import styles from './overview.module.css';

/** What the run cost, and how long it took. What nobody knows is said so. */
export function MoneyCard({ view }: { readonly view: RunView }) {
  const { cost, item } = view;
  const { facts } = item;
  return (
    <section className={classes(cardStyles.card, styles.money)} aria-label="Cost and time">
      <div className={styles.pair}>
        <div>
          <h2 className={cardStyles.eyebrow}>Cost</h2>
          <p className={cardStyles.headline}>{cost.usd === null ? 'unknown' : formatUsd(cost.usd)}</p>
          <dl className={cardStyles.figures}>
            <Figure name="per solved" about="Of all that was spent, for each result that passed">
              <Usd usd={cost.perSolvedUsd} />
            </Figure>
            <Figure name="wasted" about="Paid for attempts that gave no result">
              <Usd usd={cost.wastedUsd} />
            </Figure>
            <Figure name="saved" about="Would have been paid, had nothing been reused or replayed">
              <Usd usd={cost.savedUsd} />
            </Figure>
          </dl>
        </div>
        <div>
          <h2 className={cardStyles.eyebrow}>Time</h2>
          <p className={cardStyles.headline}>
            {facts === undefined ? 'unknown' : formatRunTime(facts.durationMs)}
          </p>
          <dl className={cardStyles.figures}>
            {facts !== undefined && (
              <Figure name="from" about={formatTime(facts.start)}>
                {formatTime(facts.start).slice(5, 16)}
              </Figure>
            )}
            {facts !== undefined && item.form !== 'running' && facts.end !== '' && (
              <Figure name="to" about={formatTime(facts.end)}>
                {formatTime(facts.end).slice(5, 16)}
              </Figure>
            )}
            <Figure name="tokens" about="Of all models">
              {facts?.tokens === undefined ? <Unknown /> : formatShortCount(facts.tokens.total)}
            </Figure>
          </dl>
        </div>
      </div>
    </section>
  );
}

interface FigureProps {
  readonly name: string;
  readonly about: string;
  readonly children: ReactNode;
}

function Figure({ name, about, children }: FigureProps) {
  return (
    <>
      <dt title={about}>{name}</dt>
      <dd title={about}>{children}</dd>
    </>
  );
}

function Usd({ usd }: { readonly usd: number | null }) {
  return usd === null ? <Unknown /> : formatUsd(usd);
}

function Unknown() {
  return <span className={styles.unknown}>unknown</span>;
}
