import { type KeyboardEvent, type PointerEvent, useEffect, useMemo, useRef, useState } from 'react';
import { z } from 'zod';
import { classes } from '../../ui/classes.ts';
import { formatCount, formatDuration } from '../../ui/format.ts';
import { usePersisted } from '../../ui/use-persisted.ts';
import { useThemeChange } from '../../ui/use-theme-change.ts';
import type { SkeletonStore } from '../transcript/skeleton-store.ts';
import { useSeen, type ViewStore } from '../transcript/view-store.ts';
import styles from './lane-map.module.css';
import { axisScale, lanePicture } from './lane-picture.ts';
import { paintLanes, pictureHeight, readColours } from './paint-lanes.ts';
import { useWidth } from './use-width.ts';

interface LaneMapProps {
  readonly store: SkeletonStore;
  readonly view: ViewStore;
  readonly lane: string;
  readonly onLane: (lane: string) => void;
  readonly onGo: (event: number) => void;
}

/** The whole transcript on one line: who worked when, what it cost, where it failed, and where one is. */
export function LaneMap({ store, view, lane, onLane, onGo }: LaneMapProps) {
  const [axis, setAxis] = usePersisted('holdfast.lanes.axis', z.enum(['events', 'time']), 'events');
  const { box, width } = useWidth();
  const canvas = useRef<HTMLCanvasElement>(null);
  const [pointed, setPointed] = useState<number>();
  const { version } = store;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the store is filled in place, its version says when
  const picture = useMemo(
    () => (width === 0 ? undefined : lanePicture(store, axis, width)),
    [store, version, axis, width],
  );
  const theme = useThemeChange();
  // biome-ignore lint/correctness/useExhaustiveDependencies: painted anew in the colours of another theme
  useEffect(() => paint(canvas.current, picture), [picture, theme]);
  const scale = axisScale(store, axis, width);
  const height = pictureHeight(picture ?? { lanes: ['main'] });
  return (
    <section className={styles.map} aria-label="Overview of the transcript">
      <div className={styles.names} style={{ height }}>
        <button
          type="button"
          className={styles.axis}
          onClick={() => setAxis(axis === 'events' ? 'time' : 'events')}
        >
          by {axis}
        </button>
        {picture?.lanes.map((name) => (
          <button
            key={name}
            type="button"
            className={classes(styles.name, lane === name && styles.isOn)}
            aria-pressed={lane === name}
            disabled={picture.lanes.length < 2 || !store.lanes.includes(name)}
            title={`Only ${name}`}
            onClick={() => onLane(lane === name ? '' : name)}
          >
            {name}
          </button>
        ))}
      </div>
      <Scrubber {...{ view, scale, width, store, onGo, onPoint: setPointed }}>
        <div ref={box} className={styles.box} style={{ height }}>
          <canvas ref={canvas} className={styles.canvas} />
        </div>
      </Scrubber>
      <Said store={store} view={view} pointed={pointed} height={height} />
    </section>
  );
}

interface SaidProps extends Pick<LaneMapProps, 'store' | 'view'> {
  readonly pointed: number | undefined;
  readonly height: number;
}

/** Where one is, or points to. */
function Said({ store, view, pointed, height }: SaidProps) {
  const { first } = useSeen(view);
  const shown = pointed ?? first;
  return (
    <p className={styles.said} style={{ height }}>
      <span>t = {formatDuration(store.start(shown))}</span>
      <span>turn {formatCount(store.turn(shown))}</span>
      <span>event {formatCount(shown + 1)}</span>
    </p>
  );
}

interface ScrubberProps extends Pick<LaneMapProps, 'view' | 'store' | 'onGo'> {
  readonly scale: ReturnType<typeof axisScale>;
  readonly width: number;
  readonly onPoint: (event: number | undefined) => void;
  readonly children: React.ReactNode;
}

function Scrubber({ view: seen, scale, width, store, onGo, onPoint, children }: ScrubberProps) {
  const view = useSeen(seen);
  const eventAt = (event: PointerEvent<HTMLElement>) =>
    scale.event(event.clientX - event.currentTarget.getBoundingClientRect().left);
  const move = (event: PointerEvent<HTMLElement>) => {
    onPoint(eventAt(event));
    if (event.buttons === 1) onGo(eventAt(event));
  };
  const nudge = (event: KeyboardEvent) => {
    const screen = Math.max(1, view.last - view.first);
    const to = {
      ArrowRight: view.first + screen,
      ArrowLeft: view.first - screen,
      Home: 0,
      End: store.count - 1,
    }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    onGo(Math.max(0, Math.min(store.count - 1, to)));
  };
  const left = scale.x(view.first);
  const right = Math.max(left + 3, scale.x(view.last + 1));
  return (
    <div
      className={styles.scrubber}
      role="slider"
      tabIndex={0}
      aria-label="Position in the transcript"
      aria-valuemin={1}
      aria-valuemax={Math.max(1, store.count)}
      aria-valuenow={view.first + 1}
      aria-valuetext={`event ${view.first + 1} of ${store.count}`}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        onGo(eventAt(event));
      }}
      onPointerMove={move}
      onPointerLeave={() => onPoint(undefined)}
      onKeyDown={nudge}
    >
      {children}
      {width > 0 && (
        <span
          className={styles.window}
          style={{
            left: Math.min(left, width - 3),
            width: Math.min(right, width) - Math.min(left, width - 3),
          }}
        />
      )}
    </div>
  );
}

function paint(canvas: HTMLCanvasElement | null, picture: ReturnType<typeof lanePicture> | undefined): void {
  const context = canvas?.getContext('2d');
  if (canvas === null || context === null || context === undefined || picture === undefined) return;
  const ratio = devicePixelRatio;
  const height = pictureHeight(picture);
  canvas.width = picture.width * ratio;
  canvas.height = height * ratio;
  canvas.style.width = `${picture.width}px`;
  canvas.style.height = `${height}px`;
  context.scale(ratio, ratio);
  paintLanes(context, picture, readColours(canvas));
}
