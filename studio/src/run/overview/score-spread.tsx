import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, useState } from 'react';
import type { RunView } from '../../../../src/server/api.ts';
import { useAsk } from '../../data/use-ask.ts';
import { ChartTip } from '../../ui/chart-tip.tsx';
import { formatCount, formatScore } from '../../ui/format.ts';
import { linear } from '../../ui/spark-scale.ts';
import { useRoving } from '../../ui/use-roving.ts';
import { useSize } from '../../ui/use-size.ts';
import type { RunAddress } from '../use-run-address.ts';
import styles from './score-spread.module.css';
import { binQuery, type SpreadValue, spreadBins, spreadDomain, spreadSaid, spreadValues } from './spread.ts';

/** More than these, and dots would hide each other. */
const DOTS_MAX = 400;
/** As many as can be asked for at once. */
const ASKED = 1_000;
const HEIGHT = 40;
const BASE = 26;
const SIDE = 6;

interface ScoreSpreadProps {
  readonly view: RunView;
  readonly address: RunAddress;
}

/** How the numbers of the samples lie: each as a dot, or many as bars. */
export function ScoreSpread({ view, address }: ScoreSpreadProps) {
  const { data } = useAsk(
    'samples',
    { run: view.item.run },
    { limit: ASKED, ...address.askedScore },
    { isKept: true },
  );
  const [box, size] = useSize<HTMLDivElement>();
  const values = spreadValues(data?.samples ?? [], data?.score);
  const width = size?.width ?? 320;
  const [from, to] = spreadDomain(values);
  const x = linear([from, to], [SIDE, width - SIDE]);
  const axis = { x, width, from, to };
  return (
    <figure className={styles.spread}>
      <figcaption className={styles.said}>
        {data !== undefined && spreadSaid(values, data.score)}
        {data !== undefined &&
          data.total > data.samples.length &&
          ` (the first ${formatCount(data.samples.length)} of ${formatCount(data.total)} samples)`}
      </figcaption>
      <div ref={box} className={styles.box}>
        {values.length > DOTS_MAX ? (
          <Bars values={values} axis={axis} address={address} />
        ) : (
          <Dots values={values} axis={axis} address={address} />
        )}
      </div>
    </figure>
  );
}

interface Axis {
  readonly x: (value: number) => number;
  readonly width: number;
  readonly from: number;
  readonly to: number;
}

interface MarksProps {
  readonly values: readonly SpreadValue[];
  readonly axis: Axis;
  readonly address: RunAddress;
}

function Dots({ values, axis, address }: MarksProps) {
  const navigate = useNavigate();
  const [shown, setShown] = useState<SpreadValue>();
  const { box, onKeyDown, markProps } = useRoving(values.length);
  const open = ({ id, epoch }: SpreadValue) =>
    void navigate({
      to: '/runs/$run/s/$sample/$epoch',
      params: { run: address.run, sample: String(id), epoch: String(epoch) },
      search: { q: address.q, sort: address.sort, score: address.score },
    });
  return (
    <>
      <svg
        ref={box}
        className={styles.plot}
        width={axis.width}
        height={HEIGHT}
        role="group"
        aria-label="Each sample by its score"
        onKeyDown={onKeyDown}
      >
        <Ends axis={axis} />
        {values.map((one, index) => (
          <circle
            key={`${one.id} ${one.epoch}`}
            {...markProps(index)}
            role="button"
            aria-label={`${one.id}: ${formatScore(one.value)}`}
            className={styles.dot}
            cx={axis.x(one.value)}
            cy={BASE - 10}
            r={4}
            onPointerEnter={() => setShown(one)}
            onPointerLeave={() => setShown(undefined)}
            onClick={() => open(one)}
            onKeyDown={(event) => isPress(event) && open(one)}
          />
        ))}
      </svg>
      {shown !== undefined && (
        <ChartTip x={axis.x(shown.value)} y={BASE} width={axis.width}>
          <strong>{shown.id}</strong> {formatScore(shown.value)}
        </ChartTip>
      )}
    </>
  );
}

function Bars({ values, axis, address }: MarksProps) {
  const bins = spreadBins(values);
  const most = Math.max(1, ...bins.map(({ count }) => count));
  const { box, onKeyDown, markProps } = useRoving(bins.length);
  const height = linear([0, most], [0, BASE - 2]);
  const filter = (index: number) => {
    const bin = bins[index];
    if (bin !== undefined) address.setTab('samples', { q: binQuery(bin, index === bins.length - 1) });
  };
  return (
    <svg
      ref={box}
      className={styles.plot}
      width={axis.width}
      height={HEIGHT}
      role="group"
      aria-label="How many samples have which score"
      onKeyDown={onKeyDown}
    >
      <Ends axis={axis} />
      {bins.map((bin, index) => {
        const said = `${formatCount(bin.count)} from ${formatScore(bin.from)} to ${formatScore(bin.to)}`;
        return (
          <g
            key={bin.from}
            {...markProps(index)}
            role="button"
            aria-label={said}
            className={styles.bin}
            onClick={() => filter(index)}
            onKeyDown={(event) => isPress(event) && filter(index)}
          >
            <title>{said}</title>
            <rect
              className={styles.ground}
              x={axis.x(bin.from)}
              y={0}
              width={axis.x(bin.to) - axis.x(bin.from)}
              height={BASE}
            />
            <rect
              className={styles.bar}
              x={axis.x(bin.from) + 0.5}
              y={BASE - height(bin.count)}
              width={Math.max(1, axis.x(bin.to) - axis.x(bin.from) - 1)}
              height={height(bin.count)}
            />
          </g>
        );
      })}
    </svg>
  );
}

function Ends({ axis: { x, from, to } }: { readonly axis: Axis }) {
  return (
    <g>
      <line className={styles.axis} x1={x(from)} x2={x(to)} y1={BASE} y2={BASE} />
      <text className={styles.label} x={x(from)} y={HEIGHT - 2}>
        {formatScore(from)}
      </text>
      <text className={styles.label} x={x(to)} y={HEIGHT - 2} textAnchor="end">
        {formatScore(to)}
      </text>
    </g>
  );
}

function isPress(event: KeyboardEvent): boolean {
  if (event.key !== 'Enter' && event.key !== ' ') return false;
  event.preventDefault();
  return true;
}
