import { Link } from '@tanstack/react-router';
import { useRef } from 'react';
import type { SharedPage, SharedRow } from '../../../src/server/api.ts';
import { PageFrame } from '../app/page-frame.tsx';
import { useAsk } from '../data/use-ask.ts';
import { useAskAgain } from '../data/use-ask-again.ts';
import { Asked } from '../ui/asked.tsx';
import { CopyCommand } from '../ui/copy.tsx';
import { counted } from '../ui/counted.ts';
import { Empty } from '../ui/empty.tsx';
import { Ago } from '../ui/figures.tsx';
import { formatCount } from '../ui/format.ts';
import { Look } from '../ui/look.tsx';
import { Badge } from '../ui/outcome.tsx';
import { type PlainColumn, PlainTable } from '../ui/plain-table.tsx';
import { ShareBar } from '../ui/share-bar.tsx';
import styles from './shared-page.module.css';
import { isGoingOn, sampleShares, spentText, stateShown } from './shared-words.ts';

const AGAIN_MS = 5_000;
const SHOWN = 50;

/** Runs that workers on many machines work on. */
export function Page() {
  const shared = useAsk('shared', {}, { limit: SHOWN });
  useAskAgain(['shared'], AGAIN_MS);
  return (
    <PageFrame title="Shared runs">
      <Asked query={shared} what="The list of shared runs">
        {(page) => <SharedList page={page} />}
      </Asked>
    </PageFrame>
  );
}

function SharedList({ page }: { readonly page: SharedPage }) {
  const scroller = useRef<HTMLDivElement>(null);
  if (page.bucket === null) return <NoBucket page={page} />;
  if (page.total === 0)
    return (
      <Empty title="There are no shared runs in this bucket">
        <p>
          <code>{page.bucket}</code> is looked at; a run that is submitted there appears by itself.
        </p>
        <CopyCommand label="Submit one" command={`holdfast submit <evals> --bucket ${page.bucket}`} />
      </Empty>
    );
  const going = page.runs.filter(isGoingOn).length;
  return (
    <div ref={scroller} className={styles.scroller}>
      <p className={styles.about}>
        {counted(page.total, 'shared run')} in <code>{page.bucket}</code>
        {page.total > page.runs.length + page.damaged.length && `, the latest ${page.runs.length} shown`}
        {going > 0 && `; ${formatCount(going)} going on`}
      </p>
      {page.damaged.map(({ run, problem }) => (
        <p key={run} className={styles.damaged}>
          <Badge tone="error" glyph="✕">
            {problem.code}
          </Badge>{' '}
          <code>{run}</code> {problem.message} <span className={styles.quiet}>{problem.hint}</span>
        </p>
      ))}
      <PlainTable
        label="Shared runs"
        columns={COLUMNS}
        total={page.runs.length}
        rowAt={(index) => page.runs[index]}
        scroller={scroller}
      />
    </div>
  );
}

function NoBucket({ page }: { readonly page: SharedPage }) {
  return (
    <Empty title={page.whyNone?.said ?? 'No bucket is named'}>
      <p>{page.whyNone?.hint}</p>
      <CopyCommand label="" command="holdfast studio --bucket s3://<bucket>/<prefix>" />
    </Empty>
  );
}

const COLUMNS: readonly PlainColumn<SharedRow>[] = [
  { id: 'state', label: 'State', width: '116px', cell: (row) => <Look shown={stateShown(row)} /> },
  {
    id: 'eval',
    label: 'Eval',
    width: 'minmax(150px, 1.6fr)',
    cell: ({ run, eval: name, target }) => (
      <>
        <Link to="/shared/$run" params={{ run }} className={styles.name}>
          {name}
        </Link>
        <span className={styles.target}>{target}</span>
      </>
    ),
  },
  {
    id: 'progress',
    label: 'Samples',
    width: 'minmax(80px, 1fr)',
    cell: (row) => <ShareBar parts={sampleShares(row)} isSlim />,
  },
  {
    id: 'done',
    label: 'Done',
    width: '96px',
    align: 'right',
    cell: ({ samples }) =>
      `${formatCount(samples.completed + samples.reused)}/${formatCount(samples.planned)}`,
  },
  {
    id: 'failed',
    label: 'Failed',
    width: '56px',
    align: 'right',
    cell: ({ samples }) => formatCount(samples.errored + samples.aside + samples.damaged),
  },
  {
    id: 'workers',
    label: 'Workers',
    width: '64px',
    align: 'right',
    about: 'Workers that live and take its jobs',
    cell: (row) => workersText(row),
  },
  {
    id: 'usd',
    label: 'Spent',
    width: '76px',
    align: 'right',
    cell: (row) =>
      row.unpriced === 0 ? (
        spentText(row)
      ) : (
        <span title={`and ${counted(row.unpriced, 'lease')} of unknown cost`}>{spentText(row)}</span>
      ),
  },
  {
    id: 'when',
    label: 'Submitted',
    width: 'minmax(100px, 0.8fr)',
    cell: ({ submittedAt, submittedBy }) => (
      <>
        <Ago time={submittedAt} /> <span className={styles.target}>{submittedBy}</span>
      </>
    ),
  },
];

/** Whoever is there has nothing to do with a run that is over. */
function workersText(row: SharedRow): string {
  const { live, unknown } = row.workers;
  if (!isGoingOn(row)) return '';
  return unknown > 0 ? `${formatCount(live)} + ${formatCount(unknown)}?` : formatCount(live);
}
