import { getRouteApi, Link } from '@tanstack/react-router';
import { useRef } from 'react';
import type { MergeReportView } from '../../../src/server/api.ts';
import { PageFrame } from '../app/page-frame.tsx';
import { useAsk } from '../data/use-ask.ts';
import { Asked } from '../ui/asked.tsx';
import { counted } from '../ui/counted.ts';
import { Empty } from '../ui/empty.tsx';
import { formatBytes, formatTime } from '../ui/format.ts';
import { Look } from '../ui/look.tsx';
import headStyles from '../ui/page-head.module.css';
import { type PlainColumn, PlainTable } from '../ui/plain-table.tsx';
import { mergedAs, shortDigest } from './artifact-words.ts';
import styles from './artifacts-page.module.css';

type Entry = MergeReportView['entries'][number];

const route = getRouteApi('/artifacts/merges/$report');

/** One merge: what became of each generation, what is not as it should be first. */
export function Page() {
  const { report } = route.useParams();
  const view = useAsk('mergeReport', { report }, {});
  return (
    <PageFrame title="Merge" head={<Head report={report} view={view.data} />}>
      <Asked query={view} what="This report">
        {(answer) => <Report view={answer} />}
      </Asked>
    </PageFrame>
  );
}

function Head({ report, view }: { readonly report: string; readonly view: MergeReportView | undefined }) {
  return (
    <header className={headStyles.head}>
      <div className={headStyles.top}>
        <h1>Merge{view === undefined ? '' : ` of ${formatTime(view.created)}`}</h1>
        <Link to="/artifacts/merges">all merges ›</Link>
        <Link to="/artifacts">all artifacts ›</Link>
      </div>
      {view !== undefined && (
        <>
          <p className={headStyles.said}>{saidOf(view)}</p>
          <p className={styles.states}>
            {view.counts.map(({ state, count }) => (
              <Look key={state} shown={mergedAs(state)} count={count} />
            ))}
          </p>
          <ul className={styles.meta} aria-label="Sources">
            {view.sources.map(({ name, state, generations, reason }) => (
              <li key={name}>
                <code>{name}</code>{' '}
                {state === 'read'
                  ? counted(generations, 'generation')
                  : state === 'absent'
                    ? 'is not there'
                    : 'failed'}
                {reason !== undefined && `: ${reason}`}
              </li>
            ))}
          </ul>
        </>
      )}
      <p className={styles.meta}>
        report <code>{report}</code>
      </p>
    </header>
  );
}

function saidOf({ isComplete, changes, entries }: MergeReportView): string {
  const whole = isComplete
    ? 'Everything that was expected or seen is in the cache'
    : 'Not everything that was expected or seen could be taken';
  const changed =
    changes.length === 0
      ? 'nothing else became current'
      : `${counted(changes.length, 'recipe')} got another current generation`;
  return entries.length === 0 ? 'There was nothing to merge.' : `${whole}; ${changed}.`;
}

function Report({ view }: { readonly view: MergeReportView }) {
  const scroller = useRef<HTMLDivElement>(null);
  const { entries } = view;
  if (entries.length === 0) return <Empty title="No source had a generation, and none was expected" />;
  return (
    <div ref={scroller} className={styles.scroller}>
      <PlainTable
        label="Generations of the merge"
        columns={COLUMNS}
        total={entries.length}
        rowAt={(index) => entries[index]}
        scroller={scroller}
        isWrapped
      />
    </div>
  );
}

const COLUMNS: readonly PlainColumn<Entry>[] = [
  { id: 'state', label: 'State', width: '152px', cell: ({ state }) => <Look shown={mergedAs(state)} /> },
  { id: 'unit', label: 'Unit', width: 'minmax(150px, 1fr)', cell: (entry) => <Unit entry={entry} /> },
  {
    id: 'generation',
    label: 'Generation',
    width: 'minmax(150px, 1fr)',
    cell: ({ generation, recipe }) => (
      <code className={styles.code}>{generation ?? (recipe === null ? 'any' : shortDigest(recipe))}</code>
    ),
  },
  { id: 'size', label: 'Size', width: '76px', align: 'right', cell: sizeOf },
  {
    id: 'why',
    label: 'Why, and from where',
    width: 'minmax(200px, 1.8fr)',
    cell: ({ reason, source }) => (
      <div className={styles.reason}>
        {reason !== undefined && <p>{reason}</p>}
        {source !== null && (
          <p>
            from <code className={styles.code}>{source}</code>
          </p>
        )}
      </div>
    ),
  },
];

/** Of what nobody has there is no size. */
function sizeOf({ generation, bytes }: Entry): string {
  return generation === null ? '–' : formatBytes(bytes);
}

function Unit({ entry }: { readonly entry: Entry }) {
  if (!entry.isHere || entry.recipe === null) return entry.unit;
  return (
    <Link to="/artifacts/r/$recipe" params={{ recipe: entry.recipe }}>
      {entry.unit}
    </Link>
  );
}
