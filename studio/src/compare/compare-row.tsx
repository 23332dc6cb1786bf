import { Link } from '@tanstack/react-router';
import { type MouseEvent, memo, type ReactNode } from 'react';
import type { ComparedCell, ComparedSample } from '../../../src/server/api.ts';
import { classes } from '../ui/classes.ts';
import { formatDifference, formatDuration, formatScore, formatUsd } from '../ui/format.ts';
import { OutcomeBadge } from '../ui/outcome.tsx';
import { Bar } from '../ui/skeleton.tsx';
import type { CompareColumn } from './compare-columns.ts';
import styles from './compare-row.module.css';

interface CompareRowProps {
  /** Undefined while it has not come. */
  readonly sample: ComparedSample | undefined;
  readonly index: number;
  readonly columns: readonly CompareColumn[];
  /** The runs that are opened beside each other. */
  readonly pair: string;
  readonly isCursor: boolean;
  readonly onOpen: (index: number) => void;
}

export const compareRowId = (index: number) => `compared-${index}`;

const MARKS: Readonly<Record<ComparedSample['is'], { glyph: string; word: string }>> = {
  regressed: { glyph: '▼', word: 'regressed' },
  improved: { glyph: '▲', word: 'improved' },
  same: { glyph: '=', word: 'the same' },
  'only in some': { glyph: '·', word: 'only in some of the runs' },
};

/** One sample in all runs. A click opens both transcripts beside each other. */
export const CompareRow = memo(function CompareRow(props: CompareRowProps) {
  const { sample, index, columns, isCursor, onOpen } = props;
  const open = (event: MouseEvent) => {
    const isLink = event.target instanceof Element && event.target.closest('a') !== null;
    if (!isLink && getSelection()?.isCollapsed !== false && event.button === 0) onOpen(index);
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Enter opens the row that the grid points to
    <div
      id={compareRowId(index)}
      role="row"
      aria-rowindex={index + 2}
      aria-busy={sample === undefined}
      className={classes(styles.row, isCursor && styles.isCursor)}
      onClick={open}
    >
      {sample === undefined ? (
        <div role="gridcell" className={styles.waiting}>
          <Bar width={`${24 + ((index * 37) % 40)}%`} />
        </div>
      ) : (
        columns.map((column, at) => (
          <div
            key={column.id}
            role="gridcell"
            aria-colindex={at + 1}
            className={classes(styles.cell, styles[column.kind])}
          >
            {contentOf(column, sample, props.pair)}
          </div>
        ))
      )}
    </div>
  );
});

function contentOf(column: CompareColumn, sample: ComparedSample, pair: string): ReactNode {
  const before = sample.cells[0];
  const after = sample.cells[column.run];
  switch (column.kind) {
    case 'is':
      return <Mark is={sample.is} />;
    case 'sample':
      return <SampleName sample={sample} pair={pair} />;
    case 'run':
      return after === undefined ? null : <Result cell={after} />;
    case 'difference':
      return sample.difference === undefined || sample.difference === 0 ? (
        <span className={styles.quiet}>{sample.difference === undefined ? '–' : '0'}</span>
      ) : (
        formatDifference(sample.difference)
      );
    case 'cost':
      return costOf(before, after);
    case 'turns':
      return arrowOf(before?.turns, after?.turns, String);
    case 'time':
      return arrowOf(before?.durationMs, after?.durationMs, formatDuration);
  }
}

function Mark({ is }: { readonly is: ComparedSample['is'] }) {
  const { glyph, word } = MARKS[is];
  return (
    <span
      className={is === 'regressed' ? styles.worse : is === 'improved' ? styles.better : styles.quiet}
      title={word}
    >
      <span aria-hidden="true">{glyph}</span>
      <span className="visually-hidden">{word}</span>
    </span>
  );
}

function SampleName({ sample, pair }: { readonly sample: ComparedSample; readonly pair: string }) {
  return (
    <>
      <Link
        to="/compare/s/$sample"
        params={{ sample: String(sample.id) }}
        search={{ runs: pair }}
        tabIndex={-1}
        className={styles.id}
      >
        {sample.id}
      </Link>
      <span className={styles.input}>{sample.input}</span>
    </>
  );
}

/** `✓ 3/3`, `✗ fail`, `# 0.62`: the glyph is the outcome, the word or the count beside it says the same. */
function Result({ cell }: { readonly cell: ComparedCell }) {
  const { outcome, passed, epochs, number } = cell;
  if (epochs > 1 && passed !== undefined)
    return (
      <OutcomeBadge outcome={outcome}>
        {passed}/{epochs}
      </OutcomeBadge>
    );
  if (outcome === 'number' && number !== undefined)
    return <OutcomeBadge outcome={outcome}>{formatScore(number)}</OutcomeBadge>;
  return <OutcomeBadge outcome={outcome} />;
}

function costOf(before: ComparedCell | undefined, after: ComparedCell | undefined): ReactNode {
  if (before === undefined || after === undefined || before.usd === null || after.usd === null)
    return <span className={styles.quiet}>–</span>;
  const more = after.usd - before.usd;
  return `${more < 0 ? '−' : '+'}${formatUsd(Math.abs(more))}`;
}

function arrowOf(
  before: number | undefined,
  after: number | undefined,
  text: (value: number) => string,
): ReactNode {
  if (before === undefined && after === undefined) return <span className={styles.quiet}>–</span>;
  const [from, to] = [before, after].map((value) => (value === undefined ? '–' : text(value)));
  return (
    <>
      <span className={styles.quiet}>{from} →</span> {to}
    </>
  );
}
