import type { KeyboardEvent } from 'react';
import { classes } from '../../ui/classes.ts';
import type { useRoving } from '../../ui/use-roving.ts';
import styles from './timeline-chart.module.css';
import { LANE, type PlacedLane, type TimelineMark } from './timeline-lanes.ts';

/** How wide the names of lanes and their counts are, in pixels. */
export const NAMES = 112;

/** How far from its middle a mark is hit: less than the next one is away. */
const REACH = 5;

export interface MarkHandlers {
  readonly markProps: ReturnType<typeof useRoving>['markProps'];
  readonly onShow: (mark: TimelineMark | undefined) => void;
  readonly onPress: (mark: TimelineMark) => void;
}

interface LaneProps extends MarkHandlers {
  readonly lane: PlacedLane;
  readonly right: number;
}

/** Samples that ended in one way, each place a dot. */
export function EndingLane({ lane, right, ...handlers }: LaneProps) {
  return (
    <g data-tone={lane.tone}>
      <LaneName lane={lane} right={right} />
      {lane.marks.map((mark) => (
        <Pressed key={mark.index} mark={mark} {...handlers} isButton>
          <circle className={styles.dot} cx={mark.x} cy={mark.y} r={mark.radius} />
        </Pressed>
      ))}
    </g>
  );
}

/** What came between: a bar where it took time, else a tick. */
export function MarkLane({ lane, right, ...handlers }: LaneProps) {
  return (
    <g data-tone={lane.tone}>
      <LaneName lane={lane} right={right} />
      {lane.marks.map((mark) => (
        <Pressed key={mark.index} mark={mark} {...handlers}>
          <rect
            className={mark.to > mark.x + 2 ? styles.wait : styles.moment}
            x={mark.x - 1}
            y={mark.y - 6}
            width={Math.max(2, mark.to - mark.x)}
            height={12}
          />
        </Pressed>
      ))}
    </g>
  );
}

function LaneName({ lane, right }: { readonly lane: PlacedLane; readonly right: number }) {
  return (
    <>
      <line className={styles.guide} x1={NAMES + 12} x2={right} y1={lane.y} y2={lane.y} />
      <text className={styles.glyph} x={0} y={lane.y + 4}>
        {lane.glyph}
      </text>
      <text className={styles.name} x={16} y={lane.y + 4}>
        {lane.name}
      </text>
      <text className={styles.count} x={NAMES} y={lane.y + 4} textAnchor="end">
        {lane.count}
      </text>
    </>
  );
}

interface PressedProps extends MarkHandlers {
  readonly mark: TimelineMark;
  readonly isButton?: boolean;
  readonly children: React.ReactNode;
}

/** A mark that is pointed to, focused, and pressed where it leads somewhere. */
function Pressed({ mark, isButton = false, markProps, onShow, onPress, children }: PressedProps) {
  const roving = markProps(mark.index);
  const press = (event: KeyboardEvent) => {
    if (!isButton || (event.key !== 'Enter' && event.key !== ' ')) return;
    event.preventDefault();
    onPress(mark);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it has a role, one of two
    <g
      {...roving}
      role={isButton ? 'button' : 'img'}
      aria-label={mark.said}
      className={classes(styles.mark, isButton && styles.press)}
      onFocus={() => {
        roving.onFocus();
        onShow(mark);
      }}
      onBlur={() => onShow(undefined)}
      onPointerEnter={() => onShow(mark)}
      onPointerLeave={() => onShow(undefined)}
      onClick={() => isButton && onPress(mark)}
      onKeyDown={press}
    >
      <rect
        className={styles.ground}
        x={mark.x - REACH}
        y={mark.y - LANE / 2}
        width={Math.max(2 * REACH, mark.to - mark.x)}
        height={LANE}
      />
      {children}
    </g>
  );
}
