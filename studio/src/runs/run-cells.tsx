import type { ReactNode } from 'react';
import type { MetricScore, RunChange, RunFacts, RunItem } from '../../../src/server/api.ts';
import { Commit, Text } from '../ui/cells.tsx';
import { Chip } from '../ui/chip.tsx';
import { Ago, Delta, Money, Score, Unknown } from '../ui/figures.tsx';
import { formatCount, formatRunTime, formatShortCount } from '../ui/format.ts';
import { Sparkline } from '../ui/sparkline.tsx';
import { TargetName } from '../ui/target-name.tsx';
import styles from './run-cells.module.css';

interface CellOf {
  readonly item: RunItem;
  readonly facts: RunFacts;
  readonly change: RunChange | undefined;
}

/** What stands in a column for a run that can be read. `eval` is drawn by the row, which knows its group. */
const CELLS: Readonly<Record<string, (of: CellOf) => ReactNode>> = {
  target: ({ facts }) => <TargetName target={facts.target} />,
  score: ({ facts }) => <ScoreCell score={facts.scores[0]} />,
  change: ({ item, change }) => <ChangeCell item={item} change={change} />,
  trend: ({ item }) => item.trend !== undefined && <Sparkline points={item.trend} />,
  counts: ({ item, facts }) => <Counts facts={facts} isRunning={item.form === 'running'} />,
  cost: ({ facts }) => <Money usd={facts.usd} />,
  time: ({ facts }) => formatRunTime(facts.durationMs),
  when: ({ facts }) => <Ago time={facts.start} />,
  commit: ({ facts }) => <Commit code={facts.code} />,
  tags: ({ facts }) => <Tags tags={facts.tags} />,
  experiment: ({ facts }) => <Text text={facts.experiment ?? ''} />,
  tokens: ({ facts }) =>
    facts.tokens === undefined ? <Unknown what="tokens unknown" /> : formatShortCount(facts.tokens.total),
  branch: ({ facts }) => <Text text={facts.code?.branch ?? ''} />,
  by: ({ facts }) => <Text text={facts.by === undefined ? '' : `${facts.by.user}@${facts.by.host}`} />,
  form: ({ item }) => item.form,
  place: ({ item }) => <Text text={item.place} />,
  run: ({ item }) => <Text text={item.run} isCode />,
};

export function cellOf(column: string, of: CellOf): ReactNode {
  const known = CELLS[column];
  if (known !== undefined) return known(of);
  const name = column.replace(/^score\./, '');
  return (
    <ScoreCell
      score={of.facts.scores.find((score) => `${score.name}.${score.metric}` === name || score.name === name)}
    />
  );
}

function ScoreCell({ score }: { readonly score: MetricScore | undefined }) {
  if (score === undefined) return <Score value={null} isAligned />;
  return (
    <Score
      value={score.value}
      low={score.low}
      high={score.high}
      name={`${score.name} ${score.metric}`}
      isAligned
    />
  );
}

function ChangeCell({ item, change }: { readonly item: RunItem; readonly change: RunChange | undefined }) {
  if (item.previous === undefined) return null;
  return (
    <Delta
      difference={change?.difference ?? item.previous.difference}
      is={change?.is}
      isBetter={change?.isBetter}
      low={change?.low}
      high={change?.high}
    />
  );
}

/** Passed, failed, errors, all. Where nothing passes or fails only the last two are known. */
interface CountsProps {
  readonly facts: RunFacts;
  readonly isRunning: boolean;
}

function Counts({ facts: { samples }, isRunning }: CountsProps) {
  const { total, completed, errored, passed } = samples;
  const failed = passed === undefined ? undefined : Math.max(0, completed - passed);
  return (
    <span className={styles.counts}>
      <Count glyph="✓" word="passed" count={passed} className={styles.pass} />
      <Count glyph="✗" word="failed" count={failed} className={styles.fail} />
      <Count glyph="!" word="errors" count={errored === 0 ? undefined : errored} className={styles.error} />
      {isRunning ? (
        <span title={`${formatCount(completed + errored)} of ${formatCount(total)} done`}>
          {formatCount(completed + errored)}/{formatCount(total)}
        </span>
      ) : (
        <span title={`${formatCount(total)} in all`}>{formatCount(total)}</span>
      )}
    </span>
  );
}

function Count({
  glyph,
  word,
  count,
  className,
}: {
  readonly glyph: string;
  readonly word: string;
  readonly count: number | undefined;
  readonly className: string | undefined;
}) {
  if (count === undefined) return <span />;
  return (
    <span title={`${formatCount(count)} ${word}`}>
      <span className={className} aria-hidden="true">
        {glyph}
      </span>{' '}
      {formatCount(count)}
      <span className="visually-hidden"> {word}</span>
    </span>
  );
}

function Tags({ tags }: { readonly tags: readonly string[] }) {
  return (
    <span className={styles.tags} title={tags.join(', ')}>
      {tags.map((tag) => (
        <Chip key={tag}>{tag}</Chip>
      ))}
    </span>
  );
}
