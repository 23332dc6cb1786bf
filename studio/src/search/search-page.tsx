import { getRouteApi } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { completeRunQuery } from '../../../src/views/index.ts';
import { PageFrame } from '../app/page-frame.tsx';
import { useWhileHere } from '../app/use-while-here.ts';
import { useAsk } from '../data/use-ask.ts';
import { Choice } from '../ui/field.tsx';
import { QueryField } from '../ui/query-field.tsx';
import { QueryInput } from '../ui/query-input.tsx';
import styles from './search-page.module.css';
import { SearchResults } from './search-results.tsx';

const route = getRouteApi('/search');

const PLACES = [
  { value: 'transcripts', label: 'transcripts' },
  { value: 'inputs', label: 'inputs, targets and answers' },
  { value: 'notes', label: 'notes' },
] as const;

/** Where a text is, in every run of the store. */
export function Page() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const whileHere = useWhileHere();
  const set = (next: Partial<typeof search>) =>
    whileHere(() => void navigate({ search: (was) => ({ ...was, ...next }), replace: true }));
  const [attempt, setAttempt] = useState(0);
  const words = useAsk('runWords', {}, {});
  const complete = useMemo(
    () => (text: string, caret: number) => completeRunQuery(text, caret, words.data),
    [words.data],
  );
  return (
    <PageFrame title="Search" head={<h1 className="visually-hidden">Search</h1>}>
      <div className={styles.bar} role="search" aria-label="Search all runs">
        <QueryField
          label="Text to look for"
          placeholder="Text to look for, then Enter"
          value={search.text}
          onChange={(text) => set({ text })}
          isFocused={search.text === ''}
        />
        <Choice label="in" value={search.in} options={PLACES} onChange={(place) => set({ in: place })} />
        <span className={styles.runs}>
          <QueryInput
            label="Only in runs that match"
            placeholder="of all runs: eval:swe* since:30d"
            value={search.q}
            onChange={(q) => set({ q })}
            complete={complete}
          />
        </span>
      </div>
      <SearchResults asked={search} attempt={attempt} onRetry={() => setAttempt(attempt + 1)} />
    </PageFrame>
  );
}
