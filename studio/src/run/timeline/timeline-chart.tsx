import { useNavigate } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import type { RunTimeline } from '../../../../src/server/api.ts';
import { ChartTip } from '../../ui/chart-tip.tsx';
import { useRoving } from '../../ui/use-roving.ts';
import { useSize } from '../../ui/use-size.ts';
import type { RunAddress } from '../use-run-address.ts';
import { ACTIVE_BOTTOM, ActiveBand } from './active-band.tsx';
import { ChosenSamples } from './chosen-samples.tsx';
import { EndingLane, type MarkHandlers, MarkLane, NAMES } from './lanes.tsx';
import { Seams } from './seams.tsx';
import { TimeAxis } from './time-axis.tsx';
import { type Gap, timeScale } from './time-scale.ts';
import styles from './timeline-chart.module.css';
import { AXIS, LANE, lanesOf, layOut, type TimelineMark } from './timeline-lanes.ts';
import { TOKENS_HEIGHT, TokensBand } from './tokens-band.tsx';

/** The names of the lanes are at the left. */
const LEFT = NAMES + 12;
const RIGHT = 12;

interface TimelineChartProps {
  readonly timeline: RunTimeline;
  readonly lengthMs: number;
  readonly gaps: readonly Gap[];
  readonly isCut: boolean;
  readonly address: RunAddress;
}

/** Everything on one axis of time: how many were under way, how each ended, and what came between. */
export function TimelineChart({ timeline, lengthMs, gaps, isCut, address }: TimelineChartProps) {
  const navigate = useNavigate();
  const [box, size] = useSize<HTMLDivElement>();
  const width = Math.max(360, size?.width ?? 960);
  const scale = useMemo(
    () => timeScale({ lengthMs, cuts: isCut ? gaps : [], left: LEFT, right: width - RIGHT }),
    [lengthMs, gaps, isCut, width],
  );
  const { tokens } = timeline;
  const isTokens = tokens !== undefined && address.tokens !== 'off';
  const above = ACTIVE_BOTTOM + (isTokens ? TOKENS_HEIGHT : 0);
  const lanes = useMemo(() => layOut(lanesOf(timeline, scale.x), above), [timeline, scale, above]);
  const [shown, setShown] = useState<TimelineMark>();
  const [chosen, setChosen] = useState<TimelineMark>();
  const { box: svg, onKeyDown, markProps } = useRoving(lanes.count);
  const press = (mark: TimelineMark) => {
    const [only] = mark.samples;
    if (mark.samples.length !== 1 || only === undefined) return setChosen(mark);
    void navigate({
      to: '/runs/$run/s/$sample/$epoch',
      params: { run: address.run, sample: String(only.id), epoch: String(only.epoch) },
      search: { q: address.q, sort: address.sort, score: address.score },
    });
  };
  const handlers: MarkHandlers = { markProps, onShow: setShown, onPress: press };
  const height = lanes.bottom + AXIS;
  return (
    <>
      <div ref={box} className={styles.box}>
        <svg
          ref={svg}
          className={styles.chart}
          width={width}
          height={height}
          viewBox={`0 0 ${width} ${height}`}
          role="group"
          aria-label="Timeline of the run"
          onKeyDown={onKeyDown}
        >
          <TimeAxis scale={scale} startMs={timeline.startMs} lengthMs={lengthMs} bottom={lanes.bottom} />
          <ActiveBand active={timeline.active} scale={scale} />
          {isTokens && <TokensBand tokens={tokens} scale={scale} top={ACTIVE_BOTTOM} />}
          <Seams scale={scale} gaps={gaps} bottom={lanes.bottom} />
          {lanes.placed.map((lane) =>
            lane.kind === 'endings' ? (
              <EndingLane key={lane.name} lane={lane} right={scale.right} {...handlers} />
            ) : (
              <MarkLane key={lane.name} lane={lane} right={scale.right} {...handlers} />
            ),
          )}
        </svg>
        {shown !== undefined && (
          <ChartTip x={shown.x} y={shown.y + LANE / 2} width={width}>
            {shown.said}
          </ChartTip>
        )}
      </div>
      {chosen !== undefined && chosen.samples.length > 0 && (
        <ChosenSamples
          mark={chosen}
          startMs={timeline.startMs}
          address={address}
          onClose={() => setChosen(undefined)}
        />
      )}
    </>
  );
}
