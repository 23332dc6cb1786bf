import { type KeyboardEvent, type PointerEvent, type ReactNode, useState } from 'react';
import { z } from 'zod';
import { classes } from './classes.ts';
import styles from './resizable-pane.module.css';
import { usePersisted } from './use-persisted.ts';

interface ResizablePaneProps {
  /** Under which its width is remembered. */
  readonly name: string;
  readonly label: string;
  /** Where it is: the handle is on the other side. */
  readonly side: 'left' | 'right';
  readonly initial: number;
  readonly min: number;
  readonly max: number;
  readonly children: ReactNode;
}

const STEP = 16;

/** A pane at the side of a page whose width is chosen and remembered. */
export function ResizablePane({ name, label, side, initial, min, max, children }: ResizablePaneProps) {
  const [kept, keep] = usePersisted(`holdfast.pane.${name}`, z.number(), initial);
  const [dragged, setDragged] = useState<number>();
  const width = clamp(dragged ?? kept, min, max);
  const sign = side === 'left' ? 1 : -1;

  const drag = (event: PointerEvent<HTMLElement>) => {
    const handle = event.currentTarget;
    const from = event.clientX;
    handle.setPointerCapture(event.pointerId);
    const widthAt = (x: number) => clamp(width + sign * (x - from), min, max);
    handle.onpointermove = ({ clientX }) => setDragged(widthAt(clientX));
    handle.onpointerup = ({ clientX }) => {
      handle.onpointermove = null;
      handle.onpointerup = null;
      keep(widthAt(clientX));
      setDragged(undefined);
    };
  };
  const nudge = (event: KeyboardEvent) => {
    const step = { ArrowLeft: -STEP, ArrowRight: STEP }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    keep(clamp(width + sign * step, min, max));
  };
  return (
    <section className={classes(styles.pane, styles[side])} style={{ width }} aria-label={label}>
      <div className={styles.inside}>{children}</div>
      <div
        className={styles.handle}
        role="separator"
        tabIndex={0}
        aria-orientation="vertical"
        aria-label={`Width of ${label}`}
        aria-valuenow={width}
        aria-valuemin={min}
        aria-valuemax={max}
        onPointerDown={drag}
        onKeyDown={nudge}
        onDoubleClick={() => keep(initial)}
      />
    </section>
  );
}

function clamp(value: number, min: number, max: number): number {
  return Math.round(Math.min(max, Math.max(min, value)));
}
