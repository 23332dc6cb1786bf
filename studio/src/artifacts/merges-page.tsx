import { Link } from '@tanstack/react-router';
import { useRef } from 'react';
import type { MergeReportsPage } from '../../../src/server/api.ts';
import { PageFrame } from '../app/page-frame.tsx';
import { useAskAgain } from '../data/use-ask-again.ts';
import { usePages } from '../data/use-pages.ts';
import { CopyCommand } from '../ui/copy.tsx';
import { Empty } from '../ui/empty.tsx';
import { formatCount, formatTime } from '../ui/format.ts';
import { Look } from '../ui/look.tsx';
import { Badge } from '../ui/outcome.tsx';
import headStyles from '../ui/page-head.module.css';
import { PagedTable } from '../ui/paged-table.tsx';
import type { PlainColumn } from '../ui/plain-table.tsx';
import { mergedAs } from './artifact-words.ts';
import styles from './artifacts-page.module.css';

type Report = MergeReportsPage['reports'][number];

const AGAIN_MS = 15_000;
const rowsOf = (page: MergeReportsPage) => page.reports;

/** Every merge into the warm cache, the latest first. */
export function Page() {
  const scroller = useRef<HTMLDivElement>(null);
  useAskAgain(['mergeReports'], AGAIN_MS);
  return (
    <PageFrame title="Merges" head={<Head />}>
      <div ref={scroller} className={styles.scroller}>
        <PagedTable
          pages={usePages('mergeReports', {}, {}, rowsOf)}
          what="The list of merges"
          empty={<NoMerges />}
          label="Merges"
          columns={COLUMNS}
          scroller={scroller}
          isWrapped
        />
      </div>
    </PageFrame>
  );
}

function NoMerges() {
  return (
    <Empty title="Nothing was merged into this cache yet">
      <p>Artifacts of other machines come with "holdfast runs fetch", with a pull, or with a merge.</p>
      <CopyCommand label="Merge" command="holdfast artifacts merge <cache, folder, bucket or log>" />
    </Empty>
  );
}

function Head() {
  return (
    <header className={headStyles.head}>
      <div className={headStyles.top}>
        <h1>Merges into the warm cache</h1>
        <Link to="/artifacts">all artifacts ›</Link>
      </div>
    </header>
  );
}

const COLUMNS: readonly PlainColumn<Report>[] = [
  { id: 'state', label: 'State', width: '116px', cell: (report) => <State report={report} /> },
  {
    id: 'when',
    label: 'When',
    width: '160px',
    cell: ({ id, created, damage }) =>
      damage === undefined ? (
        <Link to="/artifacts/merges/$report" params={{ report: id }}>
          {formatTime(created ?? id)}
        </Link>
      ) : (
        <code className={styles.code}>{id}</code>
      ),
  },
  {
    id: 'counts',
    label: 'What became of each generation',
    width: 'minmax(240px, 1.6fr)',
    cell: ({ counts, damage }) =>
      damage === undefined ? (
        <span className={styles.states}>
          {counts.map(({ state, count }) => (
            <Look key={state} shown={mergedAs(state)} count={count} />
          ))}
          {counts.length === 0 && <span className={styles.quiet}>nothing was there</span>}
        </span>
      ) : (
        <span className={styles.reason}>The report cannot be read: {damage}.</span>
      ),
  },
  {
    id: 'changes',
    label: 'Current changed',
    width: '112px',
    align: 'right',
    cell: ({ changes }) => formatCount(changes),
  },
  { id: 'sources', label: 'From', width: 'minmax(160px, 1.2fr)', cell: ({ sources }) => sources.join(', ') },
];

function State({ report }: { readonly report: Report }) {
  if (report.damage !== undefined)
    return (
      <Badge tone="error" glyph="✕">
        damaged
      </Badge>
    );
  return report.isComplete ? (
    <Badge tone="pass" glyph="✓">
      complete
    </Badge>
  ) : (
    <Badge tone="limit" glyph="◆">
      incomplete
    </Badge>
  );
}
