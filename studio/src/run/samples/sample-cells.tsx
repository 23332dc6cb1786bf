import type { ReactNode } from 'react';
import type { AnyJson, SampleEpoch, SampleItem } from '../../../../src/server/api.ts';
import { costOf, durationOf, meanScore, outcomeOf, tokensOf, turnsOf } from '../../../../src/views/index.ts';
import { Duration, Money } from '../../ui/figures.tsx';
import { formatCount, formatScore, formatShortCount } from '../../ui/format.ts';
import { OutcomeBadge } from '../../ui/outcome.tsx';
import { OutcomeStrip } from '../../ui/outcome-strip.tsx';
import styles from './sample-row.module.css';

interface CellOf {
  readonly item: SampleItem;
  /** The epoch of the row; all of them when it is undefined. */
  readonly epoch: SampleEpoch | undefined;
}

/** What stands in a column. `outcome` and `id` are drawn by the row. */
const CELLS: Readonly<Record<string, (of: CellOf) => ReactNode>> = {
  epochs: ({ item, epoch }) =>
    epoch === undefined && <OutcomeStrip history={item.epochs.map(({ outcome }) => outcome)} max={10} />,
  input: ({ item, epoch }) => <Text text={epoch === undefined ? item.input : ''} />,
  target: ({ item, epoch }) => <Text text={epoch === undefined ? item.target : ''} />,
  answer: ({ item, epoch }) => <Text text={answerOf(epoch ?? item.epochs[0])} />,
  error: ({ item, epoch }) => <ErrorText text={firstOf(item, epoch, (one) => one.error)} />,
  limit: ({ item, epoch }) => <Limit limit={firstOf(item, epoch, (one) => one.limit)} />,
  turns: ({ item, epoch }) => formatCount(epoch === undefined ? turnsOf(item) : epoch.turns),
  tokens: ({ item, epoch }) => formatShortCount(epoch === undefined ? tokensOf(item) : epoch.tokens),
  cost: ({ item, epoch }) => <Money usd={epoch === undefined ? (costOf(item) ?? null) : epoch.usd} />,
  time: ({ item, epoch }) => <Duration ms={epoch === undefined ? durationOf(item) : epoch.durationMs} />,
  retries: ({ item, epoch }) => retriesOf(item, epoch),
  messages: ({ item, epoch }) => formatCount((epoch ?? item.epochs[0])?.messages),
  made: ({ item, epoch }) => <Text text={firstOf(item, epoch, (one) => one.made) ?? ''} />,
  number: ({ item }) => formatCount(item.number),
};

export function cellOf(column: string, of: CellOf): ReactNode {
  const known = CELLS[column];
  if (known !== undefined) return known(of);
  if (column.startsWith('score.')) return <ScoreCell name={column.slice(6)} {...of} />;
  const value = column.startsWith('metadata.') ? of.item.metadata[column.slice(9)] : undefined;
  return <Text text={value === undefined || of.epoch !== undefined ? '' : plain(value)} />;
}

/** What became of a sample, or of one epoch: with several epochs how many of them passed. */
export function OutcomeCell({ item, epoch }: CellOf) {
  if (epoch !== undefined) return <OutcomeBadge outcome={epoch.outcome} />;
  const isMany = item.epochs.length > 1 && item.passed !== undefined;
  return (
    <OutcomeBadge outcome={outcomeOf(item)}>
      {isMany ? `${item.passed}/${item.epochs.length}` : undefined}
    </OutcomeBadge>
  );
}

function ScoreCell({ name, item, epoch }: CellOf & { readonly name: string }) {
  if (epoch === undefined && item.epochs.length > 1) {
    const mean = meanScore(item, name);
    return <span title={`mean of ${item.epochs.length} epochs`}>{formatScore(mean)}</span>;
  }
  const score = (epoch ?? item.epochs[0])?.scores[name];
  if (score === undefined || score.value === null) return <span className={styles.none}>–</span>;
  if (typeof score.value === 'number') return formatScore(score.value);
  return <Text text={plain(score.value)} />;
}

export function Text({ text }: { readonly text: string }) {
  return (
    <span className={styles.text} title={text.length > 20 ? text : undefined}>
      {text}
    </span>
  );
}

function ErrorText({ text }: { readonly text: string | undefined }) {
  if (text === undefined) return null;
  return (
    <span className={styles.error} title={text}>
      {text}
    </span>
  );
}

function Limit({ limit }: { readonly limit: string | undefined }) {
  return limit !== undefined && <OutcomeBadge outcome="limit">{limit}</OutcomeBadge>;
}

function retriesOf({ epochs }: SampleItem, epoch: SampleEpoch | undefined): string {
  const sum = (epoch === undefined ? epochs : [epoch]).reduce((all, one) => all + (one.retries ?? 0), 0);
  return sum === 0 ? '' : formatCount(sum);
}

/** Of the epoch, or of the first that has one. */
function firstOf(
  { epochs }: SampleItem,
  epoch: SampleEpoch | undefined,
  of: (epoch: SampleEpoch) => string | undefined,
): string | undefined {
  const found = epoch ?? epochs.find((one) => of(one) !== undefined);
  return found === undefined ? undefined : of(found);
}

function answerOf(epoch: SampleEpoch | undefined): string {
  const [first] = Object.values(epoch?.scores ?? {});
  return first?.answer ?? '';
}

function plain(value: AnyJson): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}
