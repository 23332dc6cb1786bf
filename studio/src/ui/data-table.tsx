import { ColumnHeads } from './column-heads.tsx';
import styles from './data-table.module.css';

export interface TableOfChart {
  readonly heads: readonly string[];
  readonly rows: readonly (readonly (string | number)[])[];
}

/** Long tables are cut here: whoever needs all of it copies the CSV. */
const ROWS_MAX = 500;

/** The numbers of a chart. */
export function DataTable({ table, label }: { readonly table: TableOfChart; readonly label: string }) {
  const { heads, rows } = table;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
    <div className={styles.scroller} tabIndex={0} role="region" aria-label={label}>
      <table className={styles.table}>
        <ColumnHeads heads={heads} />
        <tbody>
          {rows.slice(0, ROWS_MAX).map((row, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows of a chart have no other name
            <tr key={at}>
              {row.map((cell, column) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: as above
                <td key={column} className={isNumber(cell) ? styles.number : undefined}>
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > ROWS_MAX && (
        <p className={styles.more}>
          {rows.length - ROWS_MAX} rows more: copy the chart as CSV to have all of them.
        </p>
      )}
    </div>
  );
}

function isNumber(cell: string | number): boolean {
  return typeof cell === 'number' || /^[+−$<]?[\d.,]/.test(cell);
}
