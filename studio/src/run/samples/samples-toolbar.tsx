import { useMemo } from 'react';
import type { SamplesPage } from '../../../../src/server/api.ts';
import { completeSampleQuery } from '../../../../src/views/index.ts';
import { Button } from '../../ui/button.tsx';
import { ColumnChooser } from '../../ui/column-chooser.tsx';
import { Choice } from '../../ui/field.tsx';
import { formatCount } from '../../ui/format.ts';
import { QueryInput } from '../../ui/query-input.tsx';
import { hasTerm, toggleTerm } from '../../ui/query-terms.ts';
import type { RunSearch } from '../use-run-search.ts';
import { choosableColumns, type SampleColumn } from './sample-columns.ts';
import styles from './samples.module.css';

export const PRESETS = [
  { term: 'is:failing', label: 'Failing', about: 'Samples of which an epoch failed' },
  { term: 'is:error', label: 'Errors', about: 'Samples that could not be judged' },
  { term: 'is:flaky', label: 'Flaky', about: 'Samples whose epochs disagree' },
  { term: 'is:limit', label: 'Limits', about: 'Samples that hit a limit' },
] as const;

interface SamplesToolbarProps {
  readonly view: RunSearch;
  readonly page: SamplesPage | undefined;
  readonly columns: readonly SampleColumn[];
}

/** The filter, how many samples it leaves, and how they are shown. */
export function SamplesToolbar({ view, page, columns }: SamplesToolbarProps) {
  const { scores = [], metadataKeys = [] } = page ?? {};
  const words = useMemo(() => ({ scores, metadataKeys }), [scores, metadataKeys]);
  return (
    <div className={styles.bar} role="search" aria-label="Filter of samples">
      <QueryInput
        label="Filter samples"
        placeholder="Filter: score:fail cost>0.2 error:* metadata.level:hard or any text"
        value={view.q}
        onChange={(q) => view.change({ q })}
        complete={(text, caret) => completeSampleQuery(text, caret, words)}
        wrong={page?.wrong}
      />
      <span className={styles.count} role="status">
        {page !== undefined && <Amount page={page} />}
      </span>
      {PRESETS.map(({ term, label, about }) => (
        <Button
          key={term}
          isOn={hasTerm(view.q, term)}
          title={about}
          onClick={() => view.change({ q: toggleTerm(view.q, term) })}
        >
          {label}
        </Button>
      ))}
      {scores.length > 1 && (
        <Choice
          label="Judged by"
          value={view.score === '' ? (page?.score ?? scores[0] ?? '') : view.score}
          options={scores.map((name) => ({ value: name, label: name }))}
          onChange={(score) => view.change({ score: score === scores[0] ? '' : score })}
        />
      )}
      <ColumnChooser chosen={columns} all={() => choosableColumns(words)} onChange={view.setColumns} />
    </div>
  );
}

function Amount({ page }: { readonly page: SamplesPage }) {
  if (page.total === page.all) return <>{formatCount(page.all)} samples</>;
  return (
    <>
      showing <strong>{formatCount(page.total)}</strong> of {formatCount(page.all)}
    </>
  );
}
