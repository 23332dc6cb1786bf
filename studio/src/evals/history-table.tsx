import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { SampleOverTime, SamplePoint } from '../../../src/server/api.ts';
import { Chip } from '../ui/chip.tsx';
import { ColumnHeads } from '../ui/column-heads.tsx';
import { counted } from '../ui/counted.ts';
import { Money } from '../ui/figures.tsx';
import { formatScore, formatTime } from '../ui/format.ts';
import { OutcomeBadge } from '../ui/outcome.tsx';
import { outcomeShown } from '../ui/outcomes.ts';
import { shortCommit } from '../ui/run-words.ts';
import styles from './history-table.module.css';

/** Every result, newest first, with what had changed where it is another than before. */
export function HistoryTable({ view }: { readonly view: SampleOverTime }) {
  const [isFlipsOnly, setIsFlipsOnly] = useState(false);
  const flips = view.points.filter(({ flip }) => flip !== undefined).length;
  const rows = view.points.filter(({ flip }) => !isFlipsOnly || flip !== undefined).toReversed();
  return (
    <section aria-label="Results">
      <div className={styles.head}>
        <h2>
          {flips === 0
            ? view.points.length === 1
              ? 'In one run only'
              : `The same in all ${view.points.length} runs that have it`
            : `${flips === 1 ? 'One flip' : `${flips} flips`} in ${counted(view.points.length, 'run')} that ${view.points.length === 1 ? 'has' : 'have'} it`}
        </h2>
        {flips > 0 && (
          <Chip isOn={isFlipsOnly} onClick={() => setIsFlipsOnly(!isFlipsOnly)}>
            Flips only
          </Chip>
        )}
        {view.runsRead > view.points.length && (
          <span className={styles.quiet}>
            {counted(view.runsRead - view.points.length, 'run')} without it
          </span>
        )}
      </div>
      <div className={styles.scroller}>
        <table className={styles.table}>
          <ColumnHeads heads={['Result', 'Target', 'When', 'Commit', 'Answer', 'Cost', 'What changed']} />
          <tbody>
            {rows.map((point) => (
              <Row key={`${point.run} ${point.target}`} point={point} sample={String(view.sample)} />
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function Row({ point, sample }: { readonly point: SamplePoint; readonly sample: string }) {
  const { outcome, passed, epochs, number } = point;
  const text =
    epochs > 1 && passed !== undefined
      ? `${passed}/${epochs}`
      : outcome === 'number' && number !== undefined
        ? formatScore(number)
        : undefined;
  return (
    <tr>
      <td>
        <OutcomeBadge outcome={outcome}>{text}</OutcomeBadge>
      </td>
      <td>{point.target}</td>
      <td>
        <Link to="/runs/$run/s/$sample/$epoch" params={{ run: point.run, sample, epoch: '1' }}>
          {formatTime(point.start).slice(0, 16)}
        </Link>
      </td>
      <td>
        <code>{point.commit === undefined ? '–' : shortCommit(point.commit)}</code>
      </td>
      <td className={styles.answer} title={point.answer}>
        {point.answer ?? '–'}
      </td>
      <td className={styles.right}>
        <Money usd={point.usd} />
      </td>
      <td className={styles.changed}>
        {point.flip !== undefined && <Flip flip={point.flip} run={point.run} sample={sample} />}
      </td>
    </tr>
  );
}

interface FlipProps {
  readonly flip: NonNullable<SamplePoint['flip']>;
  readonly run: string;
  readonly sample: string;
}

function Flip({ flip, run, sample }: FlipProps) {
  return (
    <>
      <span className={styles.quiet}>was {outcomeShown(flip.from).word} · </span>
      {flip.changes.map(({ what, said, isWarning }) => (
        <span key={`${what} ${said}`}>
          {isWarning && '◆ '}
          {said}
          {' · '}
        </span>
      ))}
      {!flip.isExplained && <span className={styles.unexplained}>nothing explains it · </span>}
      <Link to="/compare/s/$sample" params={{ sample }} search={{ runs: `${flip.since},${run}` }}>
        both transcripts ›
      </Link>
    </>
  );
}
