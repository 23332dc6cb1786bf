import { Link } from '@tanstack/react-router';
import type { MatrixView } from '../../../../src/server/api.ts';
import { formatTime } from '../../ui/format.ts';
import { OutcomeBadge } from '../../ui/outcome.tsx';
import { outcomeShown } from '../../ui/outcomes.ts';
import { nameOfRun, shortCommit } from '../../ui/run-words.ts';
import { MatrixKey } from './matrix-key.tsx';
import { type Cursor, columnName } from './matrix-layout.ts';
import styles from './matrix-line.module.css';
import type { MatrixModel } from './matrix-model.ts';

interface MatrixLineProps {
  readonly view: MatrixView;
  readonly model: MatrixModel;
  readonly cursor: Cursor | undefined;
  /** Whether cells have glyphs. */
  readonly isLarge: boolean;
}

/** What is under the cursor, in words: read aloud as the cursor goes. */
export function MatrixLine({ view, model, cursor, isLarge }: MatrixLineProps) {
  const run = cursor && view.runs[cursor.column];
  const sample = cursor && view.samples[cursor.row];
  if (cursor === undefined || run === undefined || sample === undefined)
    return (
      <p className={styles.line} aria-live="polite">
        <span className={styles.hint}>
          Point to a cell, or go through them with the arrow keys. A click opens the sample over time.
        </span>
        <MatrixKey isLarge={isLarge} />
      </p>
    );
  const outcome = model.outcomeAt(cursor.row, cursor.column);
  return (
    <div className={styles.line}>
      <p className="visually-hidden" aria-live="polite">
        {`${sample}, run ${columnName(cursor.column, model.columns)}: ${outcomeShown(outcome).word}`}
      </p>
      <strong>{sample}</strong>
      <OutcomeBadge outcome={outcome} />
      <span>
        run {columnName(cursor.column, model.columns)}: {nameOfRun(run)}
      </span>
      <span className={styles.hint}>
        {run.facts !== undefined && formatTime(run.facts.start)}
        {run.facts?.code !== undefined && ` · ${shortCommit(run.facts.code.commit)}`}
      </span>
      <Counts model={model} row={cursor.row} />
      <Link
        to="/runs/$run/s/$sample/$epoch"
        params={{ run: run.run, sample: String(sample), epoch: '1' }}
        className={styles.link}
      >
        this sample in run {columnName(cursor.column, model.columns)} ›
      </Link>
    </div>
  );
}

/** How the sample went in all runs. */
function Counts({ model, row }: { readonly model: MatrixModel; readonly row: number }) {
  const outcomes = Array.from({ length: model.columns }, (_, column) => model.outcomeAt(row, column));
  const kinds = [...new Set(outcomes)].map((outcome) => {
    const { glyph, word } = outcomeShown(outcome);
    return `${outcomes.filter((one) => one === outcome).length} ${glyph} ${word}`;
  });
  return <span className={styles.hint}>in all runs: {kinds.join(', ')}</span>;
}
