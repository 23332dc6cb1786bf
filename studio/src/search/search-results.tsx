import { useMemo, useRef } from 'react';
import { z } from 'zod';
import { useKeptPlace } from '../app/use-kept-place.ts';
import { Button } from '../ui/button.tsx';
import { counted } from '../ui/counted.ts';
import { Empty } from '../ui/empty.tsx';
import { formatCount } from '../ui/format.ts';
import { PageRows } from '../ui/page-rows.tsx';
import { Problem } from '../ui/problem.tsx';
import { useKeys } from '../ui/use-keys.ts';
import { useRestoredRow } from '../ui/use-restored-row.ts';
import type { VirtualRowsHandle } from '../ui/virtual-rows.tsx';
import { countHits, groupHits } from './search-groups.ts';
import styles from './search-results.module.css';
import { SearchRowView } from './search-row.tsx';
import type { SearchState } from './search-session.ts';
import { HITS_MAX, type SearchAsked, useSearchResults } from './use-search.ts';

interface SearchResultsProps {
  readonly asked: SearchAsked;
  readonly attempt: number;
  readonly onRetry: () => void;
}

/** What was found, as it comes. */
export function SearchResults({ asked, attempt, onRetry }: SearchResultsProps) {
  const { state, stop } = useSearchResults(asked, attempt);
  useKeys('Search', [{ keys: 'Escape', what: 'Stop', run: stop, isOff: state?.is !== 'searching' }]);
  if (state === undefined) return <NothingAsked />;
  return (
    <>
      <Progress state={state} onStop={stop} />
      {state.is === 'failed' && <Problem error={state.error} what="More of the search" onRetry={onRetry} />}
      {state.hits.length === 0 && (state.is === 'done' || state.is === 'stopped') ? (
        <Empty title={state.is === 'stopped' ? 'Stopped before anything was found' : 'Nothing was found'}>
          <p>
            “{asked.text}” is not in the {asked.in} of {counted(state.runsSearched, 'run')}. Case does not
            matter; every character else does.
          </p>
          {asked.q !== '' && <p>Only runs that match “{asked.q}” were searched.</p>}
        </Empty>
      ) : (
        <Hits state={state} text={asked.text} />
      )}
    </>
  );
}

function NothingAsked() {
  return (
    <Empty title="Search every transcript of the store">
      <p>Write a text and press Enter. Results come while the search goes on, newest run first.</p>
      <p>To search only some runs, filter them at the right.</p>
    </Empty>
  );
}

function Progress({ state, onStop }: { readonly state: SearchState; readonly onStop: () => void }) {
  const counts = useMemo(() => countHits(state.hits), [state.hits]);
  const isGoing = state.is === 'searching';
  return (
    <div className={styles.progress}>
      <progress
        className={styles.bar}
        value={state.runsOf === 0 ? undefined : state.runsSearched / state.runsOf}
        aria-label="Runs searched"
        data-done={!isGoing}
      />
      <p className={styles.counts} role="status">
        <strong>
          {counted(counts.hits, 'hit')} in {counted(counts.samples, 'sample')} of{' '}
          {counted(counts.runs, 'run')}
        </strong>
        <span>
          {formatCount(state.runsSearched)}
          {isGoing && ` of ${formatCount(state.runsOf)}`} runs searched
          {state.samplesSearched > 0 && `, ${counted(state.samplesSearched, 'sample')} of them read`}
          {state.is === 'stopped' && ', then stopped'}
        </span>
        {!state.isAll && (
          <span className={styles.more}>
            More than {formatCount(HITS_MAX)}: narrow it by runs or by more text.
          </span>
        )}
        {isGoing && (
          <Button kind="quiet" hotkey="Escape" onClick={onStop}>
            Stop
          </Button>
        )}
      </p>
      {state.problems.length > 0 && (
        <details className={styles.problems}>
          <summary>{counted(state.problems.length, 'run')} could not be searched</summary>
          <ul>
            {state.problems.map((problem) => (
              <li key={`${problem.code} ${problem.message}`}>
                {problem.message} {problem.hint} <code>{problem.code}</code>
              </li>
            ))}
          </ul>
        </details>
      )}
    </div>
  );
}

const place = z.object({ first: z.number() });

function Hits({ state, text }: { readonly state: SearchState; readonly text: string }) {
  const scroller = useRef<HTMLDivElement>(null);
  const handle = useRef<VirtualRowsHandle>(null);
  const rows = useMemo(() => groupHits(state.hits), [state.hits]);
  const kept = useKeptPlace('search', place, () => ({ first: handle.current?.firstVisible() ?? 0 }));
  useRestoredRow(kept?.first, rows.length, handle);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
    <div ref={scroller} className={styles.scroller} tabIndex={0} role="region" aria-label="Results">
      <PageRows
        count={rows.length}
        rowHeight={28}
        role="presentation"
        scroller={scroller}
        overscan={12}
        ref={handle}
      >
        {(index) => {
          const row = rows[index];
          return row === undefined ? null : <SearchRowView row={row} text={text} />;
        }}
      </PageRows>
    </div>
  );
}
