import { Link } from '@tanstack/react-router';
import type { RefObject } from 'react';
import type { SharedBuild, SharedRunView } from '../../../src/server/api.ts';
import { Empty } from '../ui/empty.tsx';
import { Money } from '../ui/figures.tsx';
import { formatCount, formatTime } from '../ui/format.ts';
import { Look } from '../ui/look.tsx';
import { type PlainColumn, PlainTable } from '../ui/plain-table.tsx';
import { ageText, buildShown } from './shared-words.ts';
import styles from './tabs.module.css';

interface TabProps {
  readonly view: SharedRunView;
  readonly scroller: RefObject<HTMLElement | null>;
}

/** What is built for the samples: under way first, then what is wrong, what waits, and what is there. */
export function BuildsTab({ view, scroller }: TabProps) {
  const { builds } = view;
  if (builds.length === 0)
    return (
      <Empty title="Nothing is built in this run">
        <p>Its samples need no artifacts, or all that they need was there when it was submitted.</p>
      </Empty>
    );
  return (
    <PlainTable
      label="Builds of artifacts"
      columns={COLUMNS}
      total={builds.length}
      rowAt={(index) => builds[index]}
      scroller={scroller}
      isWrapped
    />
  );
}

const COLUMNS: readonly PlainColumn<SharedBuild>[] = [
  { id: 'state', label: 'State', width: '140px', cell: (build) => <Look shown={buildShown(build)} /> },
  { id: 'unit', label: 'Unit', width: 'minmax(160px, 1.2fr)', cell: ({ unit }) => unit },
  {
    id: 'readers',
    label: 'Samples',
    width: '64px',
    align: 'right',
    about: 'How many samples read it',
    cell: ({ samples }) => formatCount(samples),
  },
  { id: 'about', label: 'About it', width: 'minmax(180px, 1.8fr)', cell: (build) => <About build={build} /> },
  { id: 'usd', label: 'Cost', width: '72px', align: 'right', cell: ({ usd }) => <Money usd={usd} /> },
  {
    id: 'ended',
    label: 'Ended',
    width: '150px',
    cell: ({ endedAt }) => (endedAt === undefined ? '' : formatTime(endedAt)),
  },
];

function About({ build }: { readonly build: SharedBuild }) {
  const { worker, ageMs, reason, generation, recipe, isHere } = build;
  if (worker !== undefined)
    return (
      <>
        by <code className={styles.code}>{worker}</code>
        <span className={styles.age}>{ageMs == null ? 'for unknown time' : `for ${ageText(ageMs)}`}</span>
      </>
    );
  if (generation !== undefined)
    return isHere ? (
      <Link to="/artifacts/r/$recipe" params={{ recipe }}>
        <code className={styles.code}>{generation}</code>
      </Link>
    ) : (
      <>
        <code className={styles.code}>{generation}</code>
        <span className={styles.age}>not in the warm cache here</span>
      </>
    );
  return <span className={styles.reason}>{reason ?? ''}</span>;
}
