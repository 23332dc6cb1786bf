import { CELL_LETTERS } from '../../../../src/server/api.ts';
import { type CellLook, css, heatColour, type MatrixColours, type Rgb } from './matrix-colours.ts';
import type { Cursor, MatrixLayout } from './matrix-layout.ts';
import { type MatrixModel, OUTCOME_OF_LETTER } from './matrix-model.ts';

/** From this size on a cell has room for a glyph, and a row for its name. */
export const GLYPH_MIN = 12;
const NAME_MIN = 11;
/** Smaller cells touch each other. */
const GAP_MIN = 6;

export interface PaintInput {
  readonly model: MatrixModel;
  readonly layout: MatrixLayout;
  readonly colours: MatrixColours;
  readonly nameOf: (row: number) => string;
  /** Where the cells begin, beside the names. */
  readonly left: number;
  readonly size: { readonly width: number; readonly height: number };
  /** How far the page is scrolled. */
  readonly scroll: { readonly x: number; readonly y: number };
  readonly cursor: Cursor | undefined;
  readonly ratio: number;
}

/** One pixel a cell, rows in the order that they are shown in: it is only stretched when it is painted. */
export function matrixImage(
  { model, layout, colours }: Pick<PaintInput, 'model' | 'layout' | 'colours'>,
  blank: (width: number, height: number) => ImageData,
): ImageData | undefined {
  const { columns, cells, heatAt } = model;
  if (columns === 0 || layout.shown.length === 0) return undefined;
  const image = blank(columns, layout.shown.length);
  const pixels = new Uint32Array(image.data.buffer);
  const grounds = groundsOf(colours, layout.cell >= GLYPH_MIN);
  const heats = Array.from({ length: 10 }, (_, heat) => packed(heatColour(colours, heat)));
  let at = 0;
  for (const row of layout.shown)
    for (let column = 0; column < columns; column += 1) {
      const letter = cells.charCodeAt(row * columns + column);
      const heat = letter === NUMBER ? heatAt(row, column) : undefined;
      pixels[at] = (heat === undefined ? grounds[letter] : heats[heat]) ?? 0;
      at += 1;
    }
  return image;
}

const NUMBER = CELL_LETTERS.number.charCodeAt(0);

/** By the code of the letter: no more than a look is taken at each of a hundred thousand cells. */
function groundsOf({ large, small }: MatrixColours, isLarge: boolean): Uint32Array {
  const grounds = new Uint32Array(128);
  for (const [letter, outcome] of OUTCOME_OF_LETTER)
    grounds[letter.charCodeAt(0)] = packed(isLarge ? large[outcome].ground : small[outcome]);
  return grounds;
}

/** As a pixel is kept in memory: alpha, blue, green, red. */
function packed([red, green, blue]: Rgb): number {
  return ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;
}

/** Paints what is seen of the matrix. */
export function paintMatrix(
  context: CanvasRenderingContext2D,
  source: CanvasImageSource | undefined,
  input: PaintInput,
): void {
  const { layout, size, scroll, ratio, colours, model, left } = input;
  const { cell, wide } = layout;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.fillStyle = css(colours.page);
  context.fillRect(0, 0, size.width, size.height);
  if (source === undefined) return;
  context.imageSmoothingEnabled = false;
  const x = left - scroll.x;
  let before = 0;
  for (const group of layout.groups) {
    if (group.isFolded) continue;
    const count = group.rows.length;
    const top = group.rowsTop - scroll.y;
    const first = Math.max(0, Math.floor(-top / cell));
    const last = Math.min(count, Math.ceil((size.height - top) / cell));
    if (last > first) {
      const y = top + first * cell;
      const high = last - first;
      context.drawImage(
        source,
        0,
        before + first,
        model.columns,
        high,
        x,
        y,
        model.columns * wide,
        high * cell,
      );
      paintGaps(context, input, { x, y, rows: high });
      paintRows(context, input, group.rows.slice(first, last), { x, y });
    }
    before += count;
  }
  paintCursor(context, input, x);
}

interface Place {
  readonly x: number;
  readonly y: number;
}

function paintGaps(
  context: CanvasRenderingContext2D,
  { layout: { cell, wide }, model, colours }: PaintInput,
  { x, y, rows }: Place & { readonly rows: number },
): void {
  context.fillStyle = css(colours.page);
  for (let column = 1; column <= model.columns && wide >= GAP_MIN; column += 1)
    context.fillRect(x + column * wide - 1, y, 1, rows * cell);
  for (let row = 1; row <= rows && cell >= GAP_MIN; row += 1)
    context.fillRect(x, y + row * cell - 1, model.columns * wide, 1);
}

/** Glyphs and names, where there is room for them. */
function paintRows(
  context: CanvasRenderingContext2D,
  input: PaintInput,
  rows: readonly number[],
  { x, y }: Place,
): void {
  const {
    layout: { cell, wide },
    model,
    colours,
    nameOf,
    left,
  } = input;
  context.textBaseline = 'middle';
  if (cell >= GLYPH_MIN) {
    context.textAlign = 'center';
    context.font = `600 ${cell - 4}px system-ui, sans-serif`;
    const byLook = new Map<CellLook, number[]>();
    for (const [at, row] of rows.entries())
      for (let column = 0; column < model.columns; column += 1) {
        const look = colours.large[model.outcomeAt(row, column)];
        const places = byLook.get(look) ?? [];
        if (places.length === 0) byLook.set(look, places);
        places.push(x + column * wide + wide / 2, y + at * cell + cell / 2);
      }
    for (const [look, places] of byLook) {
      context.fillStyle = css(look.ink);
      for (let at = 0; at < places.length; at += 2)
        context.fillText(look.glyph, places[at] ?? 0, places[at + 1] ?? 0);
    }
  }
  if (cell < NAME_MIN) return;
  context.textAlign = 'right';
  context.font = '11px system-ui, sans-serif';
  context.fillStyle = css(colours.text);
  for (const [at, row] of rows.entries())
    context.fillText(nameOf(row), x - 8, y + at * cell + cell / 2, left - 16);
}

/** Lines along the row and the column of the cursor, and a frame around its cell. */
function paintCursor(context: CanvasRenderingContext2D, input: PaintInput, x: number): void {
  const { layout, scroll, cursor, model, colours } = input;
  if (cursor === undefined) return;
  const { cell, wide } = layout;
  for (const { rows, rowsTop, isFolded } of layout.groups) {
    if (isFolded) continue;
    const top = rowsTop - scroll.y;
    context.fillStyle = css(colours.text);
    context.globalAlpha = 0.1;
    context.fillRect(x + cursor.column * wide, top, wide - 1, rows.length * cell);
    const at = rows.indexOf(cursor.row);
    if (at >= 0) context.fillRect(x, top + at * cell, model.columns * wide, cell - 1);
    context.globalAlpha = 1;
    if (at < 0) continue;
    context.strokeStyle = css(colours.accent);
    context.lineWidth = 2;
    context.strokeRect(x + cursor.column * wide - 1, top + at * cell - 1, wide + 1, cell + 1);
  }
}
