import type { ComparedRun } from '../../../src/server/api.ts';
import { ChartFrame } from '../ui/chart-frame.tsx';
import { classes } from '../ui/classes.ts';
import { counted } from '../ui/counted.ts';
import { formatCount, formatP } from '../ui/format.ts';
import { outcomeShown } from '../ui/outcomes.ts';
import { RunLetter } from '../ui/run-letter.tsx';
import { type FlipCell, flipCells, flipsTitle } from './flip-cells.ts';
import styles from './flips-picture.module.css';
import { figureText } from './forest-rows.ts';

interface FlipsPictureProps {
  readonly other: ComparedRun;
  /** Of the other run; the base is 0. */
  readonly index: number;
  /** The filter of the table. */
  readonly q: string;
  readonly onFilter: (q: string) => void;
}

/** Samples by what became of them in both runs. What flipped is large; every cell filters the table. */
export function FlipsPicture({ other, index, q, onFilter }: FlipsPictureProps) {
  const cells = flipCells(other.flips, index);
  const rows = Object.values(cells).map(({ label, count }) => [label, count]);
  const press = (cell: FlipCell) => onFilter(cell.query === q ? '' : cell.query);
  const figure = other.figures.find(({ group }) => group === 'score');
  const button = (cell: FlipCell, look?: 'worse' | 'better', mark?: string) => (
    <button
      type="button"
      className={classes(styles.cell, look !== undefined && styles[look], cell.query === q && styles.isOn)}
      aria-pressed={cell.query === q}
      onClick={() => press(cell)}
    >
      <span className={styles.count}>
        {formatCount(cell.count)}
        {mark !== undefined && <span className={styles.mark}> {mark}</span>}
      </span>
      <span className={styles.label}>{cell.label}</span>
    </button>
  );
  return (
    <ChartFrame
      title={flipsTitle(other.flips, index, figure)}
      table={{ heads: ['samples', 'count'], rows }}
      foldedAs="compare.flips"
    >
      <div className={styles.picture}>
        <span />
        <SideHead index={index} outcome="pass" />
        <SideHead index={index} outcome="fail" />
        <SideHead index={0} outcome="pass" />
        {button(cells.bothPass)}
        {button(cells.onlyBefore, 'worse', '▼')}
        <SideHead index={0} outcome="fail" />
        {button(cells.onlyAfter, 'better', '▲')}
        {button(cells.bothFail)}
      </div>
      <div className={styles.rest}>
        {[cells.other, cells.notInAfter, cells.notInBefore].map((cell) => (
          <button
            key={cell.name}
            type="button"
            className={classes(styles.small, cell.query === q && styles.isOn)}
            aria-pressed={cell.query === q}
            onClick={() => press(cell)}
          >
            {formatCount(cell.count)} {cell.label}
          </button>
        ))}
      </div>
      <TestLine other={other} />
    </ChartFrame>
  );
}

function SideHead({ index, outcome }: { readonly index: number; readonly outcome: 'pass' | 'fail' }) {
  const { glyph, word } = outcomeShown(outcome);
  return (
    <span className={styles.side}>
      <RunLetter index={index} /> <span aria-hidden="true">{glyph}</span> {word}
    </span>
  );
}

/** The test that the verdict rests on. */
function TestLine({ other }: { readonly other: ComparedRun }) {
  const figure = other.figures.find(({ group }) => group === 'score');
  if (figure === undefined) return null;
  const { low, high, pairs, leftOut } = figure;
  const out = leftOut.errored + leftOut.unscored;
  return (
    <p className={styles.test} title={figure.test}>
      {figure.test}: {formatP(figure.p)}
      {figure.pAdjusted !== undefined && ` (adjusted ${formatP(figure.pAdjusted)})`}
      {low !== undefined && high !== undefined && (
        <>
          {' '}
          · 95 % [{figureText(figure, low)}, {figureText(figure, high)}]
        </>
      )}{' '}
      · {counted(pairs, 'pair')}
      {out > 0 && (
        <>
          {' '}
          · left out: {leftOut.errored} with errors, {leftOut.unscored} not scored
        </>
      )}
    </p>
  );
}
