import type { CompareView } from '../../../src/server/api.ts';
import { classes } from '../ui/classes.ts';
import { formatCount, formatDifference } from '../ui/format.ts';
import { RunLetter } from '../ui/run-letter.tsx';
import { HeadCell } from '../ui/table-head.tsx';
import { type CompareColumn, nextSort, sortedBy } from './compare-columns.ts';
import styles from './compare-head.module.css';
import { figureValue } from './forest-rows.ts';
import { improvedQuery, regressedQuery } from './run-filters.ts';
import type { RunCounts } from './use-run-counts.ts';

interface CompareHeadProps {
  readonly view: CompareView;
  readonly columns: readonly CompareColumn[];
  readonly sort: string;
  readonly onSort: (sort: string) => void;
  readonly q: string;
  readonly onFilter: (q: string) => void;
  /** Of the others, in their order. */
  readonly counts: readonly RunCounts[];
}

/** Heads that carry what the columns add up to: the score of each run, its move, and how many went up and down. */
export function CompareHead({ view, columns, sort, onSort, q, onFilter, counts }: CompareHeadProps) {
  return (
    <div role="row" aria-rowindex={1} className={styles.head}>
      {columns.map((column, at) =>
        column.kind === 'run' ? (
          <div key={column.id} role="columnheader" aria-colindex={at + 1} className={styles.run}>
            <RunHead
              view={view}
              index={column.run}
              counts={counts[column.run - 1]}
              q={q}
              onFilter={onFilter}
            />
          </div>
        ) : (
          <HeadCell
            key={column.id}
            colIndex={at + 1}
            align={column.kind === 'is' || column.kind === 'sample' ? 'left' : 'right'}
            title={column.about}
            sorted={sortedBy(column, sort)}
            onSort={column.sort === undefined ? undefined : () => onSort(nextSort(column, sort))}
          >
            {column.kind === 'is' ? <span className="visually-hidden">Change</span> : column.label}
          </HeadCell>
        ),
      )}
    </div>
  );
}

interface RunHeadProps {
  readonly view: CompareView;
  readonly index: number;
  readonly counts: RunCounts | undefined;
  readonly q: string;
  readonly onFilter: (q: string) => void;
}

function RunHead({ view, index, counts, q, onFilter }: RunHeadProps) {
  const figure = figureShown(view, index);
  const value = figure && (index === 0 ? figure.before : figure.after);
  return (
    <>
      <p className={styles.score}>
        <RunLetter index={index} />
        {figure !== undefined && value !== undefined && figureValue(figure, value)}
        {index > 0 && figure !== undefined && (
          <span className={classes(styles.move, figure.verdict !== 'cannot tell' && styles[figure.verdict])}>
            {formatDifference(figure.difference)}
            {figure.verdict === 'cannot tell' ? '?' : '!'}
          </span>
        )}
      </p>
      {index === 0 || counts === undefined || figure === undefined ? (
        <p className={styles.base}>{index === 0 ? 'base' : 'not compared'}</p>
      ) : (
        <p className={styles.counts}>
          <Count
            sign="▲"
            word="improved"
            count={counts.improved}
            query={improvedQuery(index)}
            q={q}
            onFilter={onFilter}
          />
          <Count
            sign="▼"
            word="regressed"
            count={counts.regressed}
            query={regressedQuery(index)}
            q={q}
            onFilter={onFilter}
          />
        </p>
      )}
    </>
  );
}

/** The figure of the score that the table shows; the base has it from any of the others. */
function figureShown(view: CompareView, index: number) {
  const of = index === 0 ? view.others : view.others.slice(index - 1, index);
  const scores = of.flatMap(({ figures }) => figures);
  return scores.find(({ figure }) => figure === view.score) ?? scores.find(({ group }) => group === 'score');
}

interface CountProps {
  readonly sign: '▲' | '▼';
  readonly word: string;
  readonly count: number | undefined;
  readonly query: string;
  readonly q: string;
  readonly onFilter: (q: string) => void;
}

function Count({ sign, word, count, query, q, onFilter }: CountProps) {
  const isOn = query === q;
  return (
    <button
      type="button"
      className={classes(styles.count, sign === '▲' ? styles.better : styles.worse, isOn && styles.isOn)}
      aria-pressed={isOn}
      title={`${word}: only these`}
      onClick={() => onFilter(isOn ? '' : query)}
    >
      {sign}
      {count === undefined ? '…' : formatCount(count)}
      <span className="visually-hidden"> {word}</span>
    </button>
  );
}
