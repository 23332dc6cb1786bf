import { useQueries } from '@tanstack/react-query';
import { scaleLinear } from 'd3-scale';
import { useMemo, useRef } from 'react';
import { meanScore } from '../../../../src/views/index.ts';
import { useData } from '../../data/data-context.tsx';
import { askOptions, useAsk } from '../../data/use-ask.ts';
import { formatCount, formatScore } from '../../ui/format.ts';
import { useWidth } from '../../ui/use-width.ts';
import type { RunSearch } from '../use-run-search.ts';
import { binned, rangeOf } from './score-bins.ts';
import styles from './score-strip.module.css';

const PAGE = 1_000;
const PAGES_MAX = 5;
/** More would hide each other: then bars say how many. */
const DOTS_MAX = 400;
const HEIGHT = 34;

/** Scores that neither pass nor fail: each sample a dot, or a histogram where they are many. */
export function ScoreStrip({ view }: { readonly view: RunSearch }) {
  const data = useData();
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box);
  const query = view.score === '' ? {} : { score: view.score };
  const askedAt = (page: number) => ({ ...query, offset: page * PAGE, limit: PAGE });
  const first = useAsk('samples', { run: view.run }, askedAt(0));
  const all = first.data?.total ?? 0;
  const count = Math.max(1, Math.min(PAGES_MAX, Math.ceil(all / PAGE)));
  const pages = useQueries({
    queries: Array.from({ length: count }, (_, page) =>
      askOptions(data, 'samples', { run: view.run }, askedAt(page)),
    ),
  });
  const answers = pages.map(({ data: page }) => page);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the answers are the same objects while nothing changed
  const values = useMemo(
    () =>
      answers
        .flatMap((page) => page?.samples ?? [])
        .map((item) => meanScore(item, view.score === '' ? undefined : view.score))
        .filter((value): value is number => value !== undefined && Number.isFinite(value)),
    [...answers, view.score],
  );
  if (values.length === 0) return null;
  const range = rangeOf(values);
  const said = `Scores of ${formatCount(values.length)} samples from ${formatScore(range[0])} to ${formatScore(range[1])}`;
  return (
    <div ref={box} className={styles.box}>
      {width > 0 && (
        <svg width={width} height={HEIGHT} role="img" aria-label={said}>
          <Marks values={values} range={range} width={width} />
          <text className={styles.end} x={0} y={HEIGHT - 1}>
            {formatScore(range[0])}
          </text>
          <text className={styles.end} x={width} y={HEIGHT - 1} textAnchor="end">
            {formatScore(range[1])}
          </text>
        </svg>
      )}
      {all > PAGE * PAGES_MAX && (
        <p className={styles.note}>of the first {formatCount(PAGE * PAGES_MAX)} samples</p>
      )}
    </div>
  );
}

interface MarksProps {
  readonly values: readonly number[];
  readonly range: readonly [number, number];
  readonly width: number;
}

function Marks({ values, range, width }: MarksProps) {
  const x = scaleLinear(range, [4, width - 4]);
  if (values.length <= DOTS_MAX)
    return values.map((value, at) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: a dot has no other name
      <circle key={at} className={styles.dot} cx={x(value)} cy={10} r={3} />
    ));
  const bins = binned(values, range);
  const most = Math.max(...bins);
  return bins.map((count, at) => (
    <rect
      // biome-ignore lint/suspicious/noArrayIndexKey: bins stand where they stand
      key={at}
      className={styles.bin}
      x={4 + (at * (width - 8)) / bins.length + 0.5}
      width={(width - 8) / bins.length - 1}
      y={20 - (count / most) * 20}
      height={(count / most) * 20}
    >
      <title>{formatCount(count)}</title>
    </rect>
  ));
}
