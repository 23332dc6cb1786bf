import type { RefObject } from 'react';
import type { SharedWorker, SharedWorkers } from '../../../src/server/api.ts';
import { usePages } from '../data/use-pages.ts';
import { Asked } from '../ui/asked.tsx';
import { Empty } from '../ui/empty.tsx';
import { Badge } from '../ui/outcome.tsx';
import { type PlainColumn, PlainTable } from '../ui/plain-table.tsx';
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
  const { head, total, rowAt, onRange } = usePages('sharedWorkers', { run }, {}, rowsOf);
  return (
    <>
      <QueueNote run={run} />
      <Asked query={head} what="The list of workers">
        {() =>
          total === 0 ? (
            <Empty title="No worker has to do with this run now">
              <p>Start one on any machine that has the bucket; the command is among those of the run.</p>
            </Empty>
          ) : (
            <PlainTable
              label="Workers"
              columns={COLUMNS}
              total={total}
              rowAt={rowAt}
              onRange={onRange}
              scroller={scroller}
              isWrapped
            />
          )
        }
      </Asked>
    </>
  );
}

const COLUMNS: readonly PlainColumn<SharedWorker>[] = [
  { id: 'state', label: 'State', width: '92px', cell: (worker) => <State worker={worker} /> },
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

function State({ worker }: { readonly worker: SharedWorker }) {
  const { tone, glyph, word } = workerShown(worker);
  return (
    <Badge tone={tone} glyph={glyph}>
      {word}
    </Badge>
  );
}

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
