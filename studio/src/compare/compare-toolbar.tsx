import { completeComparedQuery } from '../../../src/views/index.ts';
import { Chip } from '../ui/chip.tsx';
import { counted } from '../ui/counted.ts';
import { formatCount } from '../ui/format.ts';
import { QueryInput } from '../ui/query-input.tsx';
import styles from './compare-toolbar.module.css';
import { QUICK_FILTERS } from './run-filters.ts';

interface CompareToolbarProps {
  readonly q: string;
  readonly onFilter: (q: string) => void;
  readonly wrong: { readonly at: number; readonly message: string } | undefined;
  /** How many the filter leaves, of all; undefined until they are known. */
  readonly total: number | undefined;
  readonly all: number | undefined;
}

/** The filter of the table, and how many samples it leaves. */
export function CompareToolbar({ q, onFilter, wrong, total, all }: CompareToolbarProps) {
  return (
    <div className={styles.bar} role="search" aria-label="Filter of samples">
      <QueryInput
        label="Filter samples"
        placeholder="Filter: is:regressed a:pass b:fail cost>0.5 or any text"
        value={q}
        onChange={onFilter}
        complete={completeComparedQuery}
        wrong={wrong}
      />
      <span className={styles.chips}>
        {QUICK_FILTERS.map(({ label, query }) => (
          <Chip key={query} isOn={q === query} onClick={() => onFilter(q === query ? '' : query)}>
            {label}
          </Chip>
        ))}
      </span>
      <span className={styles.count} role="status">
        {total !== undefined && all !== undefined && (
          <>
            {total === all ? '' : `${formatCount(total)} of `}
            {counted(all, 'sample')}
          </>
        )}
      </span>
    </div>
  );
}
