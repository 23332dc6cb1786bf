import { PageFrame } from '../app/page-frame.tsx';
import { Problem } from '../ui/problem.tsx';
import { SkeletonRows } from '../ui/skeleton.tsx';
import { TagDialog } from '../ui/tag-dialog.tsx';
import { LiveRuns } from './live-runs.tsx';
import { RunsBottom } from './runs-bottom.tsx';
import { NoRuns, NothingMatches } from './runs-empty.tsx';
import { RunsNotices } from './runs-notices.tsx';
import styles from './runs-page.module.css';
import { RunsTable } from './runs-table.tsx';
import { RunsToolbar } from './runs-toolbar.tsx';
import { useRunsList } from './use-runs-list.ts';

/** All runs of the store. */
export function Page() {
  const list = useRunsList();
  const { view, pages, actions } = list;
  const { head } = pages;
  return (
    <PageFrame title="Runs" head={<h1 className="visually-hidden">Runs</h1>}>
      <RunsToolbar view={view} page={head.data} inSight={list.inSight} onFailed={actions.onFailed} />
      {head.data !== undefined && <RunsNotices page={head.data} isFiltered={view.q !== ''} />}
      <LiveRuns runs={head.data?.live ?? []} />
      <div className={styles.rows}>
        <Rows list={list} />
      </div>
      <RunsBottom
        command={head.data?.command}
        selected={actions.runs.length}
        cannotCompare={actions.cannotCompare}
        cannotTag={actions.cannotTag}
        exportCommand={actions.exportCommand}
        isExportCopied={actions.isExportCopied}
        onExport={actions.onExport}
        onCompare={actions.onCompare}
        onTag={actions.onTag}
        onClear={list.rows.clear}
      />
      {actions.isTagging && <TagDialog runs={actions.runs} known={actions.tags} onClose={actions.onTagged} />}
    </PageFrame>
  );
}

function Rows({ list }: { readonly list: ReturnType<typeof useRunsList> }) {
  const { view, pages, rows } = list;
  const { head, total } = pages;
  if (head.isError && head.data === undefined)
    return <Problem error={head.error} onRetry={() => void head.refetch()} what="The list of runs" />;
  if (head.data === undefined) return <SkeletonRows rows={24}>Reading the store …</SkeletonRows>;
  if (head.data.all === 0 && head.data.index.isWhole) return <NoRuns />;
  if (total === 0)
    return <NothingMatches q={view.q} all={head.data.all} onChange={(q) => view.change({ q })} />;
  return (
    <RunsTable
      total={total}
      rowAt={pages.rowAt}
      onRange={list.onRange}
      columns={view.columns}
      changes={list.changes}
      sort={view.sort}
      onSort={(sort) => view.change({ sort })}
      isGrouped={view.isGrouped}
      isStale={pages.isStale}
      cursor={rows.cursor}
      selected={rows.selected}
      onToggle={rows.toggle}
      onOpen={list.openRun}
      rows={list.handle}
      initialIndex={list.initial}
      onWithin={list.onWithin}
    />
  );
}
