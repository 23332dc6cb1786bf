import { type ListColumn, nextSort, sortedBy } from './list-columns.ts';
import styles from './list-head.module.css';
import { MiddleCut } from './middle-cut.tsx';
import { HeadCell } from './table-head.tsx';

interface ListHeadProps {
  readonly columns: readonly ListColumn[];
  readonly sort: string;
  readonly onSort: (sort: string) => void;
}

/** The heads of a list whose rows can be selected. It sticks to the top of what scrolls, below `--stuck`. */
export function ListHead({ columns, sort, onSort }: ListHeadProps) {
  return (
    <div role="row" aria-rowindex={1} className={styles.head}>
      <div role="columnheader" aria-colindex={1}>
        <span className="visually-hidden">Selected</span>
      </div>
      {columns.map((column, at) => (
        <HeadCell
          key={column.id}
          colIndex={at + 2}
          align={column.align ?? 'left'}
          title={column.about}
          sorted={sortedBy(column, sort)}
          onSort={column.sort === undefined ? undefined : () => onSort(nextSort(column, sort))}
        >
          <MiddleCut text={column.label} />
        </HeadCell>
      ))}
    </div>
  );
}
