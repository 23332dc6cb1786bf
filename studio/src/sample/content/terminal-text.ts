/**
 * What a terminal would show of what a program printed: colours, and lines that were written over (progress bars). Links (OSC 8) are
 * their text; whatever else such codes do is left out.
 */

/** A colour of the page's own sixteen, by its number, or one of its own. */
export type TerminalColour = number | `${number}, ${number}, ${number}`;

export interface TerminalStyle {
  readonly colour?: TerminalColour | undefined;
  readonly background?: TerminalColour | undefined;
  readonly isInverse?: boolean;
  readonly decorations: readonly string[];
}

export interface TerminalPart {
  readonly text: string;
  readonly style: TerminalStyle;
}

const PLAIN: TerminalStyle = { decorations: [] };
// Written as texts: a rule against control characters in patterns is right nearly everywhere else.
const ESC = '\u001b';
const BELL = '\u0007';
const CODES = new RegExp(
  [
    `${ESC}\\[([\\d;:?]*)([@-~])`,
    `${ESC}\\][^${BELL}${ESC}]*(?:${BELL}|${ESC}\\\\|$)`,
    `${ESC}[@-Z\\\\^_=>()][0B]?`,
    `[\\b\\r${BELL}]`,
  ].join('|'),
  'g',
);
const HAS_CODES = new RegExp(`[${ESC}\\b\\r]`);

/** Undefined when the text is shown as it is. */
export function terminalParts(text: string): readonly TerminalPart[] | undefined {
  if (!HAS_CODES.test(text)) return undefined;
  const parts: TerminalPart[] = [];
  let style = PLAIN;
  const lines = text.replaceAll(/\r+\n/g, '\n').split('\n');
  for (const [at, line] of lines.entries()) {
    const written = new Line();
    style = writeLine(line, written, style);
    if (at < lines.length - 1) written.end();
    for (const part of written.parts()) addPart(parts, part);
  }
  return parts;
}

/** Writes a line as a terminal would; returns the style in which the next begins. */
function writeLine(line: string, written: Line, first: TerminalStyle): TerminalStyle {
  let style = first;
  let from = 0;
  for (const match of line.matchAll(CODES)) {
    written.write(line.slice(from, match.index), style);
    from = match.index + match[0].length;
    const [code, numbers = '', letter] = match;
    if (code === '\r') written.column = 0;
    else if (code === '\b') written.column = Math.max(0, written.column - 1);
    else if (letter === 'm') style = styleAfter(style, numbers);
    else if (letter === 'K') written.erase(numbers);
    else if (letter === 'C') written.column += Math.max(1, Number(numbers) || 1);
    else if (letter === 'D') written.column = Math.max(0, written.column - Math.max(1, Number(numbers) || 1));
    else if (letter === 'G') written.column = Math.max(0, (Number(numbers) || 1) - 1);
  }
  written.write(line.slice(from), style);
  return style;
}

/** Nobody has wider terminals, and a number in a code must not fill the memory. */
const COLUMN_MAX = 10_000;

/** One line. What is written at its end, as nearly all is, is kept in whole parts; cells are made where something is written over. */
class Line {
  column = 0;
  #parts: TerminalPart[] = [];
  #length = 0;

  write(text: string, style: TerminalStyle): void {
    if (text === '') return;
    if (this.column !== this.#length) this.#writeOver(text, style);
    else {
      this.#parts.push({ text, style });
      this.#length += text.length;
      this.column = this.#length;
    }
  }

  erase(what: string): void {
    const cells = this.#cells();
    if (what === '1')
      this.#keep(cells.map((cell, at) => (at <= this.column ? { text: ' ', style: PLAIN } : cell)));
    else this.#keep(what === '2' ? [] : cells.slice(0, this.column));
  }

  end(): void {
    this.#parts.push({ text: '\n', style: PLAIN });
  }

  parts(): readonly TerminalPart[] {
    return this.#parts;
  }

  #writeOver(text: string, style: TerminalStyle): void {
    const cells = this.#cells();
    const from = Math.min(this.column, COLUMN_MAX);
    while (cells.length < from) cells.push({ text: ' ', style: PLAIN });
    // Halves of a pair stay together: both are written.
    for (let at = 0; at < text.length; at++) cells[from + at] = { text: text.charAt(at), style };
    this.#keep(cells);
    this.column = from + text.length;
  }

  #cells(): TerminalPart[] {
    return this.#parts.flatMap(({ text, style }) =>
      Array.from({ length: text.length }, (_, at) => ({ text: text.charAt(at), style })),
    );
  }

  #keep(cells: readonly TerminalPart[]): void {
    this.#parts = [];
    for (const cell of cells) addPart(this.#parts, cell);
    this.#length = cells.length;
  }
}

function addPart(parts: TerminalPart[], part: TerminalPart): void {
  const last = parts.at(-1);
  if (last?.style === part.style)
    parts[parts.length - 1] = { text: last.text + part.text, style: part.style };
  else parts.push(part);
}

function styleAfter(before: TerminalStyle, numbers: string): TerminalStyle {
  const codes = numbers.split(/[;:]/).map(Number);
  let style = before;
  for (let at = 0; at < codes.length; at++) {
    const code = codes[at] ?? 0;
    const isColour = code === 38 || code === 48;
    if (!isColour) style = withCode(style, code);
    else {
      const { colour, used } = wideColour(codes.slice(at + 1));
      style = { ...style, [code === 38 ? 'colour' : 'background']: colour };
      at += used;
    }
  }
  return style;
}

/** `5;n` or `2;r;g;b`. */
function wideColour(codes: readonly number[]): {
  readonly colour: TerminalColour | undefined;
  readonly used: number;
} {
  const [kind, first = 0, green = 0, blue = 0] = codes;
  if (kind === 2) return { colour: `${byte(first)}, ${byte(green)}, ${byte(blue)}`, used: 4 };
  if (kind !== 5) return { colour: undefined, used: codes.length };
  return { colour: numbered(byte(first)), used: 2 };
}

/** The 256 colours: the page's own sixteen, a cube of six by six by six, and greys. */
function numbered(at: number): TerminalColour {
  if (at < 16) return at;
  if (at >= 232) {
    const grey = 8 + (at - 232) * 10;
    return `${grey}, ${grey}, ${grey}`;
  }
  const level = (step: number) => (step === 0 ? 0 : 55 + step * 40);
  const place = at - 16;
  return `${level(Math.floor(place / 36))}, ${level(Math.floor(place / 6) % 6)}, ${level(place % 6)}`;
}

function byte(value: number): number {
  return Math.min(255, Math.max(0, Math.round(value) || 0));
}

const DECORATIONS: Readonly<Record<number, string>> = {
  1: 'bold',
  2: 'dim',
  3: 'italic',
  4: 'underline',
  9: 'strikethrough',
};

/** Which decorations a code takes back. */
const TAKEN_BACK: Readonly<Record<number, readonly string[]>> = {
  22: ['bold', 'dim'],
  23: ['italic'],
  24: ['underline'],
  29: ['strikethrough'],
};

function withCode(style: TerminalStyle, code: number): TerminalStyle {
  if (code === 0) return PLAIN;
  const decoration = DECORATIONS[code];
  if (decoration !== undefined)
    return {
      ...style,
      decorations: [...style.decorations.filter((word) => word !== decoration), decoration],
    };
  const back = TAKEN_BACK[code];
  if (back !== undefined)
    return { ...style, decorations: style.decorations.filter((word) => !back.includes(word)) };
  if (code === 7 || code === 27) return { ...style, isInverse: code === 7 };
  if (code === 39) return { ...style, colour: undefined };
  if (code === 49) return { ...style, background: undefined };
  const at = colourAt(code);
  if (at === undefined) return style;
  return Math.floor(code / 10) % 2 === 1 ? { ...style, colour: at } : { ...style, background: at };
}

/** The one of the sixteen: 30–37, 90–97 for text, 40–47, 100–107 behind it. */
function colourAt(code: number): number | undefined {
  if ((code >= 30 && code <= 37) || (code >= 40 && code <= 47)) return code % 10;
  if ((code >= 90 && code <= 97) || (code >= 100 && code <= 107)) return 8 + (code % 10);
  return undefined;
}
