import { Link } from '@tanstack/react-router';
import type { RefObject } from 'react';
import type { SharedFailure, SharedFailures, SharedRunView } from '../../../src/server/api.ts';
import { usePages } from '../data/use-pages.ts';
import { Empty } from '../ui/empty.tsx';
import { Money } from '../ui/figures.tsx';
import { formatTime } from '../ui/format.ts';
import { Look } from '../ui/look.tsx';
import { PagedTable } from '../ui/paged-table.tsx';
import type { PlainColumn } from '../ui/plain-table.tsx';
import { failureShown, jobText } from './shared-words.ts';
import styles from './tabs.module.css';

interface TabProps {
  readonly view: SharedRunView;
  readonly scroller: RefObject<HTMLElement | null>;
}

const rowsOf = (page: SharedFailures) => page.failures;

/** Errors, what was set aside, and leases that were lost with their workers, each with its reason; the latest first. */
export function FailuresTab({ view, scroller }: TabProps) {
  const { run } = view.row;
  return (
    <PagedTable
      pages={usePages('sharedFailures', { run }, {}, rowsOf)}
      what="The list of failures"
      empty={<Empty title="Nothing failed so far" />}
      label="Failures"
      columns={columnsOf(view)}
      scroller={scroller}
      isWrapped
    />
  );
}

function columnsOf(view: SharedRunView): readonly PlainColumn<SharedFailure>[] {
  return [
    { id: 'is', label: 'What', width: '116px', cell: (failure) => <Look shown={failureShown(failure)} /> },
    {
      id: 'job',
      label: 'Job',
      width: 'minmax(120px, 1fr)',
      cell: (failure) => <Job failure={failure} view={view} />,
    },
    {
      id: 'reason',
      label: 'Why',
      width: 'minmax(160px, 2.4fr)',
      cell: ({ reason, isMended }) => (
        <span className={styles.reason}>
          {reason ?? 'no reason was given'}
          {isMended && <span className={styles.age}>another lease took over</span>}
        </span>
      ),
    },
    {
      id: 'worker',
      label: 'Worker',
      width: 'minmax(80px, 0.7fr)',
      cell: ({ worker }) => <code className={styles.code}>{worker}</code>,
    },
    { id: 'round', label: 'Round', width: '52px', align: 'right', cell: ({ round }) => round },
    { id: 'usd', label: 'Cost', width: '72px', align: 'right', cell: ({ usd }) => <Money usd={usd} /> },
    { id: 'at', label: 'When', width: '150px', cell: ({ at }) => formatTime(at) },
  ];
}

/** Leads to the sample where the log of the run is here. */
function Job({ failure, view }: { readonly failure: SharedFailure; readonly view: SharedRunView }) {
  const { sample } = failure;
  if (!view.isHere || sample === undefined) return jobText(failure);
  const params = { run: view.row.run, sample: String(sample.id), epoch: String(sample.epoch) };
  return (
    <Link to="/runs/$run/s/$sample/$epoch" params={params}>
      {jobText(failure)}
    </Link>
  );
}
