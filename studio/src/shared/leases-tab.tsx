import type { RefObject } from 'react';
import type { SharedLease, SharedLeases } from '../../../src/server/api.ts';
import { usePages } from '../data/use-pages.ts';
import { Empty } from '../ui/empty.tsx';
import { formatTime } from '../ui/format.ts';
import { Look } from '../ui/look.tsx';
import { PagedTable } from '../ui/paged-table.tsx';
import type { PlainColumn } from '../ui/plain-table.tsx';
import { ageText, jobText, workerShown } from './shared-words.ts';
import styles from './tabs.module.css';

interface TabProps {
  readonly run: string;
  readonly scroller: RefObject<HTMLElement | null>;
}

const rowsOf = (page: SharedLeases) => page.leases;

/** Jobs that somebody has, the oldest first. */
export function LeasesTab({ run, scroller }: TabProps) {
  return (
    <PagedTable
      pages={usePages('sharedLeases', { run }, {}, rowsOf)}
      what="The list of jobs under way"
      empty={<Empty title="Nobody has a job of this run now" />}
      label="Jobs under way"
      columns={COLUMNS}
      scroller={scroller}
    />
  );
}

const COLUMNS: readonly PlainColumn<SharedLease>[] = [
  {
    id: 'job',
    label: 'Job',
    width: 'minmax(160px, 1.6fr)',
    cell: (lease) => <span title={jobText(lease)}>{jobText(lease)}</span>,
  },
  { id: 'what', label: 'What', width: '72px', cell: ({ unit }) => (unit === undefined ? 'sample' : 'build') },
  {
    id: 'age',
    label: 'For',
    width: '84px',
    align: 'right',
    about: 'By the clock of the bucket',
    cell: ({ ageMs }) => ageText(ageMs),
  },
  {
    id: 'n',
    label: 'Lease',
    width: '56px',
    align: 'right',
    about: 'Which lease of the job it is',
    cell: ({ n }) => n,
  },
  {
    id: 'worker',
    label: 'Worker',
    width: 'minmax(120px, 1fr)',
    cell: ({ worker, host }) => (
      <span title={host}>
        <code className={styles.code}>{worker}</code>
      </span>
    ),
  },
  {
    id: 'state',
    label: 'Its worker',
    width: '96px',
    cell: ({ state }) => <Look shown={workerShown({ state })} />,
  },
  { id: 'since', label: 'Since', width: '150px', cell: ({ since }) => formatTime(since) },
];
