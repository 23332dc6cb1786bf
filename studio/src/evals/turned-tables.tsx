import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { EvalView } from '../../../src/server/api.ts';
import { ColumnHeads } from '../ui/column-heads.tsx';
import { CopyButton } from '../ui/copy.tsx';
import { counted } from '../ui/counted.ts';
import { formatCount, formatPercent } from '../ui/format.ts';
import { OutcomeStrip } from '../ui/outcome-strip.tsx';
import { shortCommit } from '../ui/run-words.ts';
import styles from './turned-tables.module.css';

/** Samples that passed until lately, and since when they do not. */
export function NewlyFailing({ view }: { readonly view: EvalView }) {
  const { newlyFailing, runsRead } = view;
  return (
    <Part
      title={
        newlyFailing.length === 0
          ? 'Nothing is newly failing'
          : `${ofAll(newlyFailing.length, view)} newly failing`
      }
      note={`among the newest ${counted(runsRead, 'run')}; oldest result at the left`}
      heads={['Sample', 'Target', 'Since', 'Commits between', 'History']}
      isEmpty={newlyFailing.length === 0}
    >
      {newlyFailing.map((one) => (
        <tr key={`${one.target} ${one.id}`}>
          <td>
            <SampleLink eval={view.eval} id={one.id} />
          </td>
          <td>{one.target}</td>
          <td>
            <Link to="/runs/$run/{-$tab}" params={{ run: one.failedIn }}>
              {shortRun(one.failedIn)}
            </Link>
            <span className={styles.quiet}> passed in </span>
            <Link to="/runs/$run/{-$tab}" params={{ run: one.passedIn }}>
              {shortRun(one.passedIn)}
            </Link>
          </td>
          <td>
            <Commits commits={one.commits} />
          </td>
          <td>
            <OutcomeStrip history={one.history} />
          </td>
        </tr>
      ))}
    </Part>
  );
}

/** Samples that keep going from one outcome to the other. */
export function Flaky({ view }: { readonly view: EvalView }) {
  const { flaky, runsRead } = view;
  return (
    <Part
      title={flaky.length === 0 ? 'Nothing is flaky' : `${ofAll(flaky.length, view)} flaky`}
      note={`the outcome is another than before in at least a fifth of the newest ${counted(runsRead, 'run')}`}
      heads={['Sample', 'Target', 'Flip rate', 'History']}
      isEmpty={flaky.length === 0}
    >
      {flaky.map((one) => (
        <tr key={`${one.target} ${one.id}`}>
          <td>
            <SampleLink eval={view.eval} id={one.id} />
          </td>
          <td>{one.target}</td>
          <td>
            <span className={styles.rate}>
              <span
                className={styles.bar}
                style={{ width: `${Math.round(one.flipRate * 56)}px` }}
                aria-hidden="true"
              />
              {formatPercent(one.flipRate)}
            </span>
          </td>
          <td>
            <OutcomeStrip history={one.history} />
          </td>
        </tr>
      ))}
    </Part>
  );
}

/** Both lists are of samples on one target each: forty samples on three targets are a hundred and twenty. */
function ofAll(count: number, { pairs }: EvalView): string {
  return pairs === undefined
    ? formatCount(count)
    : `${formatCount(count)} of ${formatCount(pairs)} sample × target`;
}

interface PartProps {
  readonly title: string;
  readonly note: string;
  readonly heads: readonly string[];
  readonly isEmpty: boolean;
  readonly children: ReactNode;
}

function Part({ title, note, heads, isEmpty, children }: PartProps) {
  return (
    <section className={styles.part} aria-label={title}>
      <h2>{title}</h2>
      <p className={styles.note}>{note}</p>
      {!isEmpty && (
        <div className={styles.scroller}>
          <table className={styles.table}>
            <ColumnHeads heads={heads} />
            <tbody>{children}</tbody>
          </table>
        </div>
      )}
    </section>
  );
}

function SampleLink(props: { readonly eval: string; readonly id: string | number }) {
  return (
    <Link
      to="/evals/$eval/s/$sample"
      params={{ eval: props.eval, sample: String(props.id) }}
      className={styles.sample}
    >
      {props.id}
    </Link>
  );
}

/** `3f2a1c7..9be01d2`, as git takes it. */
function Commits({ commits }: { readonly commits: { from?: string | undefined; to?: string | undefined } }) {
  const { from, to } = commits;
  if (from === undefined || to === undefined) return <span className={styles.quiet}>not known</span>;
  if (from === to) return <span className={styles.quiet}>none: both at {shortCommit(to)}</span>;
  return (
    <span className={styles.commits}>
      <code>
        {shortCommit(from)}..{shortCommit(to)}
      </code>
      <CopyButton text={`git log ${from}..${to}`}>Copy</CopyButton>
    </span>
  );
}

/** Day and time of a run are its id's beginning. */
function shortRun(run: string): string {
  return run.length > 18 ? run.slice(0, 15) : run;
}
