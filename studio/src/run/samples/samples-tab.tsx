import { useMemo } from 'react';
import type { RunView } from '../../../../src/server/api.ts';
import { Button } from '../../ui/button.tsx';
import { CopyCommand, useCopy } from '../../ui/copy.tsx';
import { Empty } from '../../ui/empty.tsx';
import { formatCount } from '../../ui/format.ts';
import { Problem } from '../../ui/problem.tsx';
import { toggleTerm } from '../../ui/query-terms.ts';
import { SkeletonRows } from '../../ui/skeleton.tsx';
import type { RunSearch } from '../use-run-search.ts';
import { columnsNamed } from './sample-columns.ts';
import styles from './samples.module.css';
import { SamplesTable } from './samples-table.tsx';
import { SamplesToolbar } from './samples-toolbar.tsx';
import { useSamplesKeys } from './use-samples-keys.ts';
import { type SamplesList, useSamplesList } from './use-samples-list.ts';

interface SamplesTabProps {
  readonly view: RunSearch;
  readonly run: RunView | undefined;
}

/** The samples of a run: filtered, sorted, with their epochs folded. */
export function SamplesTab({ view, run }: SamplesTabProps) {
  const isLive = run?.item.form === 'running';
  const list = useSamplesList(view, isLive);
  const { head } = list.pages;
  const { copy, isCopied } = useCopy();
  const command = head.data?.command ?? '';
  useSamplesKeys({
    list,
    onFailing: () => view.change({ q: toggleTerm(view.q, 'is:failing') }),
    onCopy: () => copy(command),
  });
  const { scores = [], metadataKeys = [] } = head.data ?? {};
  const isEpochs = (run?.epochs ?? 1) > 1;
  const columns = useMemo(
    () => columnsNamed(view.columnNames, { scores, metadataKeys }, isEpochs),
    [view.columnNames, scores, metadataKeys, isEpochs],
  );
  return (
    <div className={styles.tab}>
      <SamplesToolbar view={view} page={head.data} columns={columns} />
      <Rows view={view} list={list} columns={columns} />
      <footer className={styles.bottom}>
        {list.selection.selected.size > 0 ? (
          <Selected list={list} view={view} />
        ) : (
          command !== '' && <CopyCommand command={command} label={isCopied ? 'Copied' : 'Same rows'} />
        )}
      </footer>
    </div>
  );
}

interface RowsProps {
  readonly view: RunSearch;
  readonly list: SamplesList;
  readonly columns: ReturnType<typeof columnsNamed>;
}

function Rows({ view, list, columns }: RowsProps) {
  const { head, total, isStale } = list.pages;
  const { q, sort, score } = view;
  const place = useMemo(() => ({ q, sort, score }), [q, sort, score]);
  if (head.isError && head.data === undefined)
    return <Problem error={head.error} onRetry={() => void head.refetch()} what="The samples" />;
  if (head.data === undefined) return <SkeletonRows rows={20}>Reading the samples …</SkeletonRows>;
  if (head.data.all === 0)
    return (
      <Empty title="No samples yet">
        <p>They appear here as soon as the run has begun them.</p>
      </Empty>
    );
  if (total === 0)
    return (
      <Empty title="No sample matches">
        <p>
          None of {formatCount(head.data.all)} samples matches <code>{view.q}</code>
        </p>
        <Button onClick={() => view.change({ q: '' })}>Clear the filter</Button>
      </Empty>
    );
  return (
    <SamplesTable
      run={view.run}
      list={place}
      rows={list.rows}
      itemAt={list.itemAt}
      onRange={list.onRange}
      columns={columns}
      onSort={(to) => view.change({ sort: to })}
      isStale={isStale}
      cursor={list.selection.cursor}
      selected={list.selection.selected}
      unfolded={list.unfolded}
      onFold={list.fold}
      onToggle={list.selection.toggle}
      onOpen={list.onOpen}
      onPointed={list.onPointed}
      handle={list.handle}
      initialIndex={list.initial}
    />
  );
}

/** What can be done with samples that are selected. */
function Selected({ list, view }: { readonly list: SamplesList; readonly view: RunSearch }) {
  const { copy, isCopied } = useCopy();
  const ids = [...list.selection.selected];
  return (
    <>
      <strong role="status">{formatCount(ids.length)} selected</strong>
      <Button onClick={() => copy(ids.join('\n'))}>{isCopied ? 'Copied' : 'Copy their ids'}</Button>
      <Button onClick={() => view.change({ q: ids.map((id) => `id:${JSON.stringify(id)}`).join(' or ') })}>
        Only these
      </Button>
      <Button kind="quiet" hotkey="Escape" onClick={list.selection.clear}>
        Clear
      </Button>
    </>
  );
}
