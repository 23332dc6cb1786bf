import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { RunItem, RunsPage } from '../../../src/server/api.ts';
import { useAsk } from '../data/use-ask.ts';
import { Button } from '../ui/button.tsx';
import { ColumnPicker } from '../ui/column-picker.tsx';
import { formatCount } from '../ui/format.ts';
import { QueryInput } from '../ui/query-input.tsx';
import { hasTerm } from '../ui/query-terms.ts';
import { choosableColumns } from './columns.ts';
import { completeRuns } from './complete.ts';
import styles from './runs-toolbar.module.css';
import { FAILED } from './terms.ts';
import type { useRunsSearch } from './use-runs-search.ts';

interface RunsToolbarProps {
  readonly view: ReturnType<typeof useRunsSearch>;
  readonly page: RunsPage | undefined;
  readonly inSight: () => readonly (RunItem | undefined)[];
  readonly onFailed: () => void;
}

/** The filter, how many runs it leaves, and how they are shown. */
export function RunsToolbar({ view, page, inSight, onFailed }: RunsToolbarProps) {
  const words = useAsk('runWords', {}, {});
  const complete = useMemo(() => completeRuns(words.data), [words.data]);
  return (
    <div className={styles.bar} role="search" aria-label="Filter of runs">
      <QueryInput
        label="Filter runs"
        placeholder="Filter: eval:swe* target:*opus* status:ok since:30d score>0.7 cost<5 or any text"
        value={view.q}
        onChange={(q) => view.change({ q })}
        complete={complete}
        wrong={page?.wrong}
      />
      <span className={styles.count} role="status">
        {page !== undefined && <Amount page={page} isFiltered={view.q !== ''} />}
      </span>
      <Button
        isOn={hasTerm(view.q, FAILED)}
        hotkey="f"
        onClick={onFailed}
        title="Only runs that ended in an error"
      >
        Failed
      </Button>
      <Button
        isOn={view.isGrouped}
        onClick={() => view.change({ group: view.isGrouped ? '' : 'eval' })}
        title="Runs of one eval together"
      >
        Group
      </Button>
      <ColumnPicker
        chosen={view.columns}
        all={() => choosableColumns(inSight())}
        onChange={view.setColumns}
      />
      <Link to="/matrix" search={{ q: view.q }} className={styles.link}>
        Matrix
      </Link>
    </div>
  );
}

function Amount({ page, isFiltered }: { readonly page: RunsPage; readonly isFiltered: boolean }) {
  if (!isFiltered || page.total === page.all) return <>{formatCount(page.all)} runs</>;
  return (
    <>
      <strong>{formatCount(page.total)}</strong> of {formatCount(page.all)} runs
    </>
  );
}
