import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, type PointerEvent, useMemo, useRef, useState } from 'react';
import type { MatrixView } from '../../../../src/server/api.ts';
import { useSize } from '../../ui/use-size.ts';
import { GroupHeads } from './group-heads.tsx';
import { MatrixHeads } from './matrix-heads.tsx';
import {
  type Cursor,
  cellSize,
  layMatrix,
  type MatrixLayout,
  movedCursor,
  rowAt,
  topOfRow,
} from './matrix-layout.ts';
import { MatrixLine } from './matrix-line.tsx';
import { matrixModel } from './matrix-model.ts';
import styles from './matrix-picture.module.css';
import { GLYPH_MIN } from './paint-matrix.ts';
import { useColours } from './use-colours.ts';
import type { MatrixAddress } from './use-matrix.ts';
import { usePainted } from './use-painted.ts';

/** Room for the names of samples, and for the heads of columns. */
const LEFT = 220;
const HEAD = 100;

interface MatrixPictureProps {
  readonly view: MatrixView;
  readonly address: MatrixAddress;
}

/** The matrix on a canvas: a hundred thousand cells would not be painted in time any other way. */
export function MatrixPicture({ view, address }: MatrixPictureProps) {
  const [scroller, size] = useSize<HTMLDivElement>();
  const canvas = useRef<HTMLCanvasElement>(null);
  const model = useMemo(() => matrixModel(view), [view]);
  const room = {
    rows: model.rows,
    columns: model.columns,
    width: (size?.width ?? 900) - LEFT - 16,
    height: (size?.height ?? 600) - HEAD,
  };
  const { cell, wide } = cellSize(Number(address.cell), room);
  const layout = useMemo(
    () => layMatrix(model.groups, address.folded, { cell, wide }),
    [model, address.folded, cell, wide],
  );
  const colours = useColours();
  const [cursor, setCursor] = useState<Cursor>();
  const nameOf = useMemo(() => (row: number) => String(view.samples[row] ?? ''), [view]);
  const painted = useMemo(
    () => ({ model, layout, colours, nameOf, left: LEFT, cursor }),
    [model, layout, colours, nameOf, cursor],
  );
  const seen = useMemo(() => size && { width: size.width, height: Math.max(0, size.height - HEAD) }, [size]);
  usePainted(canvas, scroller, painted, seen);
  const open = useOpenSample(view);
  const cellUnder = (event: PointerEvent) =>
    cursorAt(event, canvas.current, scroller.current, layout, model.columns);
  const move = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && cursor !== undefined) return open(cursor);
    const next = movedCursor(layout, model.columns, cursor, event.key);
    if (next === undefined) return;
    event.preventDefault();
    setCursor(next);
    bringIntoView(scroller.current, layout, next);
  };
  return (
    <>
      <div
        ref={scroller}
        className={styles.scroller}
        role="application"
        aria-label={`Matrix of ${model.rows} samples and ${model.columns} runs. Arrow keys go from cell to cell, Enter opens the sample over time.`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: its cells are gone through by keyboard
        tabIndex={0}
        onKeyDown={move}
      >
        <MatrixHeads view={view} wide={wide} left={LEFT} height={HEAD} column={cursor?.column} />
        <div
          className={styles.space}
          style={{ height: layout.height, width: LEFT + model.columns * wide + 16 }}
          onPointerMove={(event) => setCursor(cellUnder(event))}
          onPointerLeave={() => setCursor(undefined)}
          onPointerUp={(event) => {
            const under = event.button === 0 ? cellUnder(event) : undefined;
            if (under !== undefined) open(under);
          }}
        >
          <canvas
            ref={canvas}
            className={styles.canvas}
            style={{ top: HEAD, width: seen?.width, height: seen?.height }}
          />
          <GroupHeads layout={layout} onFold={address.toggleFold} />
        </div>
      </div>
      <MatrixLine view={view} model={model} cursor={cursor} isLarge={cell >= GLYPH_MIN} />
    </>
  );
}

function useOpenSample(view: MatrixView): (cursor: Cursor) => void {
  const navigate = useNavigate();
  return ({ row, column }) => {
    const sample = view.samples[row];
    const facts = view.runs[column]?.facts ?? view.runs.find((run) => run.facts !== undefined)?.facts;
    if (sample === undefined || facts === undefined) return;
    void navigate({ to: '/evals/$eval/s/$sample', params: { eval: facts.eval, sample: String(sample) } });
  };
}

function cursorAt(
  event: PointerEvent,
  canvas: HTMLCanvasElement | null,
  scroller: HTMLElement | null,
  layout: MatrixLayout,
  columns: number,
): Cursor | undefined {
  if (canvas === null || scroller === null) return undefined;
  const box = canvas.getBoundingClientRect();
  const row = rowAt(layout, event.clientY - box.top + scroller.scrollTop);
  const column = Math.floor((event.clientX - box.left + scroller.scrollLeft - LEFT) / layout.wide);
  return row === undefined || column < 0 || column >= columns ? undefined : { row, column };
}

function bringIntoView(scroller: HTMLElement | null, layout: MatrixLayout, { row }: Cursor): void {
  const top = topOfRow(layout, row);
  if (scroller === null || top === undefined) return;
  const height = scroller.clientHeight - HEAD;
  if (top < scroller.scrollTop) scroller.scrollTop = top - 40;
  else if (top + layout.cell > scroller.scrollTop + height)
    scroller.scrollTop = top + layout.cell - height + 40;
}
