import type { ReactNode } from 'react';
import type { SampleEpoch, SampleItem } from '../../../../src/server/api.ts';
import { costOf, durationOf, flipsOf, outcomeOf, tokensOf, turnsOf } from '../../../../src/views/index.ts';
import { Text } from '../../ui/cells.tsx';
import { Duration, Money, Unknown } from '../../ui/figures.tsx';
import { formatCount, formatScore, formatShortCount } from '../../ui/format.ts';
import { OutcomeBadge } from '../../ui/outcome.tsx';
import styles from './sample-cells.module.css';
import { eachOnce, foldedScore, plainText, scoreText } from './sample-words.ts';

interface CellOf {
  readonly item: SampleItem;
  /** What the row tells: all epochs of the sample, or one of them. */
  readonly epochs: readonly SampleEpoch[];
  readonly isEpoch: boolean;
  /** The score that decides. */
  readonly score: string | undefined;
}

/** What stands in a column. The name of the sample is drawn by the row, which knows where it leads. */
const CELLS: Readonly<Record<string, (of: CellOf) => ReactNode>> = {
  outcome: (of) => <Result {...of} />,
  number: ({ item, isEpoch }) => !isEpoch && formatCount(item.number),
  input: ({ item, isEpoch }) => !isEpoch && <Text text={item.input} />,
  target: ({ item, isEpoch }) => !isEpoch && <Text text={item.target} />,
  answer: ({ epochs }) => (
    <Text
      text={eachOnce(epochs.flatMap(({ scores }) => Object.values(scores).map(({ answer }) => answer))).join(
        ' · ',
      )}
    />
  ),
  turns: (of) => <Whole count={turnsOf(itemOf(of))} what="turns" />,
  tokens: (of) => formatShortCount(tokensOf(itemOf(of))),
  cost: (of) => <Money usd={costOf(itemOf(of))} />,
  time: (of) => <Duration ms={durationOf(itemOf(of))} />,
  limit: ({ epochs }) => <Limits limits={eachOnce(epochs.map(({ limit }) => limit))} />,
  error: ({ epochs }) => <Errors errors={eachOnce(epochs.map(({ error }) => error))} />,
  messages: ({ epochs }) => <Whole count={mostOf(epochs.map(({ messages }) => messages))} what="messages" />,
  retries: ({ epochs }) => <Some count={epochs.reduce((sum, { retries = 0 }) => sum + retries, 0)} />,
  flips: ({ item, isEpoch }) => !isEpoch && <Some count={flipsOf(item)} />,
  made: ({ epochs }) => <Text text={eachOnce(epochs.map(({ made }) => made)).join(', ')} />,
  verdict: ({ item, isEpoch }) => !isEpoch && <Verdicts verdicts={item.verdicts} />,
};

export function sampleCell(column: string, of: CellOf): ReactNode {
  const known = CELLS[column];
  if (known !== undefined) return known(of);
  if (column.startsWith('metadata.'))
    return !of.isEpoch && <Text text={plainText(of.item.metadata[column.slice('metadata.'.length)])} />;
  return <Text text={foldedScore(itemOf(of), column.slice('score.'.length))} />;
}

function itemOf({ item, epochs }: CellOf): SampleItem {
  return item.epochs === epochs ? item : { ...item, epochs: [...epochs] };
}

/** `✓ 3/3`, `✗ failed`, `# 0.62`. */
function Result({ item, epochs, isEpoch, score }: CellOf) {
  const outcome = outcomeOf({ epochs: [...epochs] });
  if (!isEpoch && item.passed !== undefined && epochs.length > 1)
    return (
      <OutcomeBadge outcome={outcome}>
        {item.passed}/{epochs.length}
      </OutcomeBadge>
    );
  if (outcome !== 'number') return <OutcomeBadge outcome={outcome} />;
  const text = epochs.length === 1 ? valueText(epochs[0], score) : foldedScore(item, score ?? '');
  return text === '' ? (
    <OutcomeBadge outcome={outcome} />
  ) : (
    <OutcomeBadge outcome={outcome}>{text}</OutcomeBadge>
  );
}

function valueText(epoch: SampleEpoch | undefined, score: string | undefined): string {
  const value = score === undefined ? undefined : epoch?.scores[score];
  return value?.number === undefined ? scoreText(value) : formatScore(value.number);
}

function Limits({ limits }: { readonly limits: readonly string[] }) {
  return limits.map((limit) => (
    <OutcomeBadge key={limit} outcome="limit">
      {limit}
    </OutcomeBadge>
  ));
}

function Errors({ errors }: { readonly errors: readonly string[] }) {
  if (errors.length === 0) return null;
  return (
    <span className={styles.error} title={errors.join('\n')}>
      {errors.join(' · ')}
    </span>
  );
}

function Verdicts({ verdicts = [] }: { readonly verdicts: SampleItem['verdicts'] }) {
  return verdicts.map(({ id, verdict, by }) => (
    <span key={id} title={`${verdict ?? ''} by ${by}`}>
      <OutcomeBadge outcome={verdict === undefined || verdict === 'unsure' ? 'unscored' : verdict}>
        {verdict}
      </OutcomeBadge>
    </span>
  ));
}

function Whole({ count, what }: { readonly count: number | undefined; readonly what: string }) {
  return count === undefined ? <Unknown what={`${what} unknown`} /> : formatCount(count);
}

/** Nothing where there is none: what is there stands out. */
function Some({ count }: { readonly count: number }) {
  return count === 0 ? null : formatCount(count);
}

function mostOf(values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter((value) => value !== undefined);
  return known.length === 0 ? undefined : Math.max(...known);
}
