import { useState } from 'react';
import type { RunView } from '../../../../src/server/api.ts';
import cardStyles from '../../ui/cards.module.css';
import { classes } from '../../ui/classes.ts';
import { Score } from '../../ui/figures.tsx';
import { MiddleCut } from '../../ui/middle-cut.tsx';
import { Sparkline } from '../../ui/sparkline.tsx';
import styles from './overview.module.css';
import { previousValue, type ScoreRow, scoreChart } from './score-rows.ts';
import rowStyles from './scores-card.module.css';

const SHOWN = 4;

/** The first score in large, and every metric with its interval. */
export function ScoresCard({ view }: { readonly view: RunView }) {
  const [isAll, setIsAll] = useState(false);
  const [first] = view.scores;
  const { rows, axis } = scoreChart(view.scores, previousValue(view));
  const shown = isAll || rows.length <= SHOWN + 1 ? rows : rows.slice(0, SHOWN);
  return (
    <section className={classes(cardStyles.card, styles.scores)} aria-label="Scores">
      <h2 className={cardStyles.eyebrow}>
        {first === undefined ? 'Scores' : `${first.name} · ${first.metric}`}
      </h2>
      {first === undefined ? (
        <p className={styles.none}>
          {view.item.form === 'running' ? 'Scores come when the run has ended.' : 'Nothing was scored.'}
        </p>
      ) : (
        <>
          <p className={cardStyles.headline}>
            <Score value={first.value} low={first.low} high={first.high} name={first.name} />
            {view.item.trend !== undefined && <Sparkline points={view.item.trend} />}
          </p>
          <table className={rowStyles.table}>
            <caption className="visually-hidden">Every metric with its 95 % interval</caption>
            <tbody>
              {shown.map((row) => (
                <MetricRow key={row.key} row={row} />
              ))}
            </tbody>
            {rows.some(({ at }) => at !== undefined) && (
              <tfoot aria-hidden="true">
                <tr>
                  <td />
                  <td className={rowStyles.ends}>
                    <span>{endText(axis[0])}</span>
                    <span>{endText(axis[1])}</span>
                  </td>
                  <td />
                </tr>
              </tfoot>
            )}
          </table>
        </>
      )}
      {rows.length > SHOWN + 1 && (
        <button type="button" className={styles.link} onClick={() => setIsAll(!isAll)}>
          {isAll ? 'Fewer' : `${rows.length - SHOWN} more`}
        </button>
      )}
    </section>
  );
}

function MetricRow({ row }: { readonly row: ScoreRow }) {
  const { at, from, to, before } = row;
  return (
    <tr title={row.about}>
      <th scope="row" className={rowStyles.name}>
        <span className={rowStyles.names}>
          <MiddleCut text={row.name} /> <span className={rowStyles.metric}>{row.metric}</span>
        </span>
      </th>
      <td className={rowStyles.plot}>
        {at !== undefined && (
          <span className={rowStyles.track} aria-hidden="true">
            {before !== undefined && <span className={rowStyles.before} style={{ left: share(before) }} />}
            {from !== undefined && to !== undefined && (
              <span className={rowStyles.interval} style={{ left: share(from), width: share(to - from) }} />
            )}
            <span className={rowStyles.dot} style={{ left: share(at) }} />
          </span>
        )}
      </td>
      <td className={rowStyles.value}>{row.text}</td>
    </tr>
  );
}

function endText(value: number): string {
  return String(Math.round(value * 10) / 10);
}

function share(value: number): string {
  return `${value * 100}%`;
}
