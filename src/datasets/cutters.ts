/** How the bytes of a file fall into records. A cutter keeps its state from one chunk to the next. */
export interface Cutter {
  /** The end of the record under way (with its separator), searched from `from`; -1 when it is not in these bytes. */
  cut(bytes: Uint8Array, from: number): number;
  /** What is wrong if the file ends now; undefined when it may. */
  unfinished(): string | undefined;
}

const NEWLINE = 0x0a;
const RETURN = 0x0d;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const BRACKET = 0x5b;
const BRACE = 0x7b;
const OPEN = [BRACKET, BRACE];
const CLOSE = [0x5d, 0x7d];

export function lineCutter(): Cutter {
  return {
    cut: (bytes, from) => bytes.indexOf(NEWLINE, from) + 1 || -1,
    unfinished: () => undefined,
  };
}

/** Lines, except that a line break inside a quoted field belongs to the field. A quote opens only where a field begins. */
export function csvCutter(delimiter: number): Cutter {
  let isQuoted = false;
  let isFieldStart = true;
  let hasJustClosed = false;
  return {
    cut(bytes, from) {
      for (let at = from; at < bytes.length; at++) {
        const byte = bytes[at];
        if (isQuoted) {
          hasJustClosed = byte === QUOTE;
          isQuoted = !hasJustClosed;
          continue;
        }
        // A quote right after a closing one is a doubled quote: the field goes on.
        isQuoted = byte === QUOTE && (isFieldStart || hasJustClosed);
        hasJustClosed = false;
        isFieldStart = byte === delimiter || byte === NEWLINE;
        if (byte === NEWLINE) return at + 1;
      }
      return -1;
    },
    unfinished: () => (isQuoted ? 'a quote that is opened here is never closed' : undefined),
  };
}

/** The items of a JSON list. The first record begins with `[`, each ends with `,` and the last with `]`. */
export function jsonListCutter(): Cutter {
  let depth = 0;
  let isText = false;
  let isEscaped = false;
  let isOver = false;
  return {
    cut(bytes, from) {
      for (let at = from; at < bytes.length; at++) {
        const byte = bytes[at] ?? 0;
        if (isText) {
          if (isEscaped) isEscaped = false;
          else if (byte === BACKSLASH) isEscaped = true;
          else if (byte === QUOTE) isText = false;
        } else if (byte === QUOTE) isText = true;
        else if (OPEN.includes(byte)) depth++;
        else if (CLOSE.includes(byte)) {
          depth--;
          if (depth === 0) {
            isOver = true;
            return at + 1;
          }
        } else if (byte === COMMA && depth === 1) return at + 1;
      }
      return -1;
    },
    unfinished: () => (isOver ? undefined : 'the list is not closed by "]"'),
  };
}

/** How many line breaks there are. */
export function countLines(bytes: Uint8Array): number {
  let count = 0;
  for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, at + 1)) count++;
  return count;
}

/** How many bytes stand before the row: space, and the bracket that opens a list. */
export function leadingBytes(bytes: Uint8Array): number {
  let isOpened = false;
  for (const [index, byte] of bytes.entries()) {
    const isBracket: boolean = byte === BRACKET && !isOpened && isRowAfter(bytes, index + 1);
    isOpened ||= isBracket;
    if (!isBracket && byte !== NEWLINE && byte !== RETURN && byte !== 0x20 && byte !== 0x09) return index;
  }
  return bytes.length;
}

/** A bracket opens the list when an object follows; a row of a `.jsonl` file that is a list is no row, and stays where it is. */
function isRowAfter(bytes: Uint8Array, from: number): boolean {
  for (const byte of bytes.subarray(from))
    if (byte !== NEWLINE && byte !== RETURN && byte !== 0x20 && byte !== 0x09) return byte === BRACE;
  return false;
}
