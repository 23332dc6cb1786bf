import { stripVTControlCharacters } from 'node:util';

export interface Column {
  readonly title: string;
  readonly align?: 'left' | 'right';
  /** The column that gives way when the table is wider than the screen. */
  readonly shrinks?: boolean;
}

/** Columns with two spaces between them, without lines around. Cells may hold colours. */
export function renderTable(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  options: { readonly width: number; readonly title?: (text: string) => string },
): string {
  const titles = columns.map(({ title }) => title);
  const natural = columns.map((_, index) =>
    Math.max(...[titles, ...rows].map((row) => widthOf(row[index] ?? ''))),
  );
  const excess = sum(natural) + 2 * (columns.length - 1) - options.width;
  const widths = natural.map((width, index) =>
    columns[index]?.shrinks && excess > 0 ? Math.min(width, Math.max(8, width - excess)) : width,
  );
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, index) => fitCell(cell, widths[index] ?? 0, columns[index]?.align ?? 'left'))
      .join('  ')
      .trimEnd();
  const head = titles.every((title) => title === '') ? [] : [(options.title ?? String)(line(titles))];
  return [...head, ...rows.map(line)].join('\n');
}

/** Cut in the middle: the start and the end of a name say most. */
export function shorten(text: string, width: number): string {
  const characters = [...text];
  if (characters.length <= width) return text;
  const end = Math.floor((width - 1) / 2);
  return `${characters.slice(0, width - 1 - end).join('')}…${end > 0 ? characters.slice(-end).join('') : ''}`;
}

/** Cut at the end: of a sentence the start says most. */
export function cutEnd(text: string, width: number): string {
  const characters = [...text];
  return characters.length <= width ? text : `${characters.slice(0, Math.max(0, width - 1)).join('')}…`;
}

/** Cut at the end like `cutEnd`, for a line that holds colours: one that is cut keeps those before the cut, and ends them. */
export function cutStyled(line: string, width: number): string {
  if (widthOf(line) <= width) return line;
  const parts = line.split(COLOUR);
  let room = Math.max(0, width - 1);
  const kept = parts.map((part, index) => {
    if (index % 2 === 1) return part;
    const characters = [...part].slice(0, room);
    room -= characters.length;
    return characters.join('');
  });
  const end = kept.findLastIndex((part, index) => index % 2 === 0 && part !== '');
  return [...kept.slice(0, end + 1), '…', ...kept.slice(end + 1)].join('');
}

/** What `style` puts around a text; in a group, so that splitting keeps it. */
const COLOUR = new RegExp(`(${String.fromCharCode(0x1b)}\\[[0-9;]*m)`);

/** One line of text without control characters: what a model wrote must not move the cursor. */
export function oneLine(text: string): string {
  return stripVTControlCharacters(text)
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim();
}

/** Breaks a text between words; lines after the first are indented. A word that is too long stays whole. */
export function wrapWords(text: string, width: number, indent: number): string {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const next = line === '' ? word : `${line} ${word}`;
    const room = width - (lines.length > 0 ? indent : 0);
    if (line !== '' && widthOf(next) > room) {
      lines.push(line);
      line = word;
    } else line = next;
  }
  return [...lines, line].join(`\n${' '.repeat(indent)}`);
}

export function widthOf(text: string): number {
  return [...stripVTControlCharacters(text)].length;
}

function fitCell(cell: string, width: number, align: 'left' | 'right'): string {
  const room = width - widthOf(cell);
  if (room < 0) return shorten(stripVTControlCharacters(cell), width);
  return align === 'left' ? cell + ' '.repeat(room) : ' '.repeat(room) + cell;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
