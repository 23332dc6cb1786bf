import { Link } from '@tanstack/react-router';
import { useMemo, useRef } from 'react';
import type { MatrixView } from '../../../../src/server/api.ts';
import { formatScore } from '../../ui/format.ts';
import { OutcomeBadge } from '../../ui/outcome.tsx';
import { PageRows } from '../../ui/page-rows.tsx';
import { nameOfRun, shortDate } from '../../ui/run-words.ts';
import { columnName } from './matrix-layout.ts';
import { type MatrixModel, matrixModel } from './matrix-model.ts';
import styles from './matrix-table.module.css';

const ROW = 28;

/** The matrix in words, row by row, for whoever cannot see a picture. */
export function MatrixTable({ view }: { readonly view: MatrixView }) {
  const scroller = useRef<HTMLDivElement>(null);
  const model = useMemo(() => matrixModel(view), [view]);
  const rows = useMemo(
    () => model.groups.flatMap((group) => group.rows.map((row) => ({ row, group: group.name }))),
    [model],
  );
  return (
    <div
      ref={scroller}
      className={styles.scroller}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
      tabIndex={0}
      role="table"
      aria-label="Samples and what became of them in each run"
      aria-rowcount={rows.length + 1}
      aria-colcount={view.runs.length + 2}
      style={{ '--columns': `minmax(200px, 1fr) 120px repeat(${view.runs.length}, 56px)` }}
    >
      <div role="row" className={styles.head} aria-rowindex={1}>
        <span role="columnheader">Sample</span>
        <span role="columnheader">All in all</span>
        {view.runs.map((run, index) => (
          <span key={run.run} role="columnheader" title={nameOfRun(run)}>
            {columnName(index, model.columns)}
            <br />
            {run.facts?.scores[0] === undefined ? '–' : formatScore(run.facts.scores[0].value)}
            <br />
            {run.facts === undefined ? '' : shortDate(run.facts.start)}
          </span>
        ))}
      </div>
      <PageRows count={rows.length} rowHeight={ROW} stickyHeight={64} scroller={scroller}>
        {(index) => {
          const { row = 0, group = 'flips' } = rows[index] ?? {};
          return <TableRow view={view} model={model} row={row} group={group} index={index} />;
        }}
      </PageRows>
    </div>
  );
}

interface TableRowProps {
  readonly view: MatrixView;
  readonly model: MatrixModel;
  readonly row: number;
  readonly group: string;
  readonly index: number;
}

function TableRow({ view, model, row, group, index }: TableRowProps) {
  const sample = String(view.samples[row] ?? '');
  const name = view.runs.find(({ facts }) => facts !== undefined)?.facts?.eval;
  return (
    <div role="row" aria-rowindex={index + 2} className={styles.row}>
      <span role="rowheader" className={styles.name}>
        {name === undefined ? (
          sample
        ) : (
          <Link to="/evals/$eval/s/$sample" params={{ eval: name, sample }}>
            {sample}
          </Link>
        )}
      </span>
      <span role="cell" className={styles.group}>
        {group}
      </span>
      {view.runs.map(({ run }, column) => (
        <span key={run} role="cell">
          <OutcomeBadge outcome={model.outcomeAt(row, column)} isShort />
        </span>
      ))}
    </div>
  );
}
