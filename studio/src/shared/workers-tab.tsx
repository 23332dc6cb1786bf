import type { RefObject } from 'react';
import type { SharedWorker, SharedWorkers } from '../../../src/server/api.ts';
import { usePages } from '../data/use-pages.ts';
import { Empty } from '../ui/empty.tsx';
import { Look } from '../ui/look.tsx';
import { PagedTable } from '../ui/paged-table.tsx';
import type { PlainColumn } from '../ui/plain-table.tsx';
import { QueueNote } from './queue-fact.tsx';
import { ageText, jobText, workerShown } from './shared-words.ts';
import styles from './tabs.module.css';

interface TabProps {
  readonly run: string;
  readonly scroller: RefObject<HTMLElement | null>;
}

const rowsOf = (page: SharedWorkers) => page.workers;

/** Who works on the run, who refuses to, and who fell silent. */
export function WorkersTab({ run, scroller }: TabProps) {
  return (
    <>
      <QueueNote run={run} />
      <PagedTable
        pages={usePages('sharedWorkers', { run }, {}, rowsOf)}
        what="The list of workers"
        empty={
          <Empty title="No worker has to do with this run now">
            <p>Start one on any machine that has the bucket; the command is among those of the run.</p>
          </Empty>
        }
        label="Workers"
        columns={COLUMNS}
        scroller={scroller}
        isWrapped
      />
    </>
  );
}

const COLUMNS: readonly PlainColumn<SharedWorker>[] = [
  { id: 'state', label: 'State', width: '92px', cell: (worker) => <Look shown={workerShown(worker)} /> },
  {
    id: 'worker',
    label: 'Worker',
    width: 'minmax(110px, 0.7fr)',
    cell: ({ worker }) => <code className={styles.code}>{worker}</code>,
  },
  { id: 'host', label: 'Host', width: 'minmax(90px, 0.6fr)', cell: ({ host }) => host ?? 'unknown' },
  {
    id: 'busy',
    label: 'Busy',
    width: '56px',
    align: 'right',
    about: 'Jobs that it has, of all runs, and how many it takes at a time',
    cell: ({ has, others, slots }) => `${has.length + others}/${slots}`,
  },
  {
    id: 'sign',
    label: 'Last sign',
    width: '84px',
    align: 'right',
    about: 'Since its last sign of life, by the clock of the bucket',
    cell: ({ silentMs }) => ageText(silentMs),
  },
  {
    id: 'has',
    label: 'What it has, and for how long',
    width: 'minmax(240px, 2.6fr)',
    cell: (worker) => <Has worker={worker} />,
  },
];

function Has({ worker }: { readonly worker: SharedWorker }) {
  const { has, others, refuses } = worker;
  return (
    <span className={styles.jobs}>
      {refuses !== undefined && <span className={styles.reason}>{refuses}</span>}
      {has.map((job) => (
        <span key={job.job}>
          {jobText(job)}
          <span className={styles.age}>{ageText(job.ageMs)}</span>
        </span>
      ))}
      {others > 0 && <span className={styles.quiet}>{others} of other runs</span>}
      {has.length + others === 0 && refuses === undefined && <span className={styles.quiet}>nothing</span>}
    </span>
  );
}
