import { noText } from '../server-errors.ts';

/**
 * Where a text that was cut is found again: a piece of a sample, and bytes of it. Only the server reads it; whoever makes one up
 * gets what he may read anyway, or nothing.
 */
export interface TextPlace {
  readonly attempt?: number | undefined;
  readonly piece: PieceName;
  /** `string`: a JSON string with its quotes. `json`: JSON as it is. Absent: all of the piece, which is a string. */
  readonly stretch?: PlaceStretch | undefined;
}

export interface PlaceStretch {
  readonly kind: 'string' | 'json';
  readonly start: number;
  readonly sizeBytes: number;
  /** How long the text is, if that was counted when it was cut. */
  readonly units?: number | undefined;
}

export type PieceName =
  | { readonly part: 'events' | 'messages' | 'calls'; readonly index: number }
  | { readonly part: 'attachments' | 'fields'; readonly name: string }
  /** Items of a pool, one after the other. */
  | { readonly part: 'pooled'; readonly pool: 'messages' | 'calls'; readonly ranges: readonly Range[] };

export type Range = readonly [start: number, end: number];

const LETTERS = { events: 'e', messages: 'm', calls: 'c' } as const;

export function placeText({ attempt, piece, stretch }: TextPlace): string {
  const before = attempt === undefined ? '' : `${attempt}.`;
  if (!stretch) return `${before}${pieceText(piece)}`;
  const { kind, start, sizeBytes, units } = stretch;
  const length = units === undefined ? '' : `:${units}`;
  return `${before}${pieceText(piece)}${kind === 'string' ? '@' : '~'}${start}+${sizeBytes}${length}`;
}

function pieceText(piece: PieceName): string {
  switch (piece.part) {
    case 'attachments':
      return `a${encodeURIComponent(piece.name)}`;
    case 'fields':
      return `f${encodeURIComponent(piece.name)}`;
    case 'pooled': {
      const ranges = piece.ranges.map(([start, end]) => `${start}-${end}`);
      return `p${LETTERS[piece.pool]}${ranges.join(',')}`;
    }
    default:
      return `${LETTERS[piece.part]}${piece.index}`;
  }
}

const PLACE = /^(?:(\d{1,6})\.)?([a-z][^@~]*)(?:([@~])(\d{1,15})\+(\d{1,15})(?::(\d{1,15}))?)?$/;

/** E_TEXT_PLACE for what is none. */
export function parsePlace(at: string): TextPlace {
  const [, attempt, name = '', sign, start, size, units] = PLACE.exec(at) ?? [];
  const piece = parsePiece(name);
  if (!piece) throw noText(at);
  return {
    attempt: attempt === undefined ? undefined : Number(attempt),
    piece,
    stretch:
      sign === undefined
        ? undefined
        : {
            kind: sign === '@' ? 'string' : 'json',
            start: Number(start),
            sizeBytes: Number(size),
            units: units === undefined ? undefined : Number(units),
          },
  };
}

function parsePiece(name: string): PieceName | undefined {
  const rest = name.slice(1);
  switch (name[0]) {
    case 'e':
      return numbered('events', rest);
    case 'm':
      return numbered('messages', rest);
    case 'c':
      return numbered('calls', rest);
    case 'a':
      return named('attachments', rest);
    case 'f':
      return named('fields', rest);
    case 'p':
      return pooled(rest);
    default:
      return undefined;
  }
}

function numbered(part: 'events' | 'messages' | 'calls', text: string): PieceName | undefined {
  return /^\d{1,15}$/.test(text) ? { part, index: Number(text) } : undefined;
}

function named(part: 'attachments' | 'fields', text: string): PieceName | undefined {
  try {
    return { part, name: decodeURIComponent(text) };
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
}

function pooled(text: string): PieceName | undefined {
  const pool = text.startsWith('m') ? 'messages' : text.startsWith('c') ? 'calls' : undefined;
  const ranges = text
    .slice(1)
    .split(',')
    .map((range) => /^(\d{1,9})-(\d{1,9})$/.exec(range));
  if (!pool || ranges.some((range) => range === null)) return undefined;
  return { part: 'pooled', pool, ranges: ranges.map((range) => [Number(range?.[1]), Number(range?.[2])]) };
}
