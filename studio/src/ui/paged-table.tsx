import type { ComponentProps, ReactNode } from 'react';
import { Asked } from './asked.tsx';
import { PlainTable } from './plain-table.tsx';

type TableProps<Row> = ComponentProps<typeof PlainTable<Row>>;
type Fetched = 'total' | 'rowAt' | 'onRange';

interface PagedTableProps<Row> extends Omit<TableProps<Row>, Fetched> {
  /** As `usePages` gives them. */
  readonly pages: Required<Pick<TableProps<Row>, Fetched>> & {
    readonly head: ComponentProps<typeof Asked>['query'];
  };
  /** What cannot be shown when it fails: "The list of workers". */
  readonly what: string;
  /** In place of the table when it has no rows. */
  readonly empty: ReactNode;
}

/** A table whose rows come in pages: waited for, failed, empty, or there. */
export function PagedTable<Row>({ pages, what, empty, ...table }: PagedTableProps<Row>) {
  const { head, total, rowAt, onRange } = pages;
  return (
    <Asked query={head} what={what}>
      {() => (total === 0 ? empty : <PlainTable {...table} total={total} rowAt={rowAt} onRange={onRange} />)}
    </Asked>
  );
}
