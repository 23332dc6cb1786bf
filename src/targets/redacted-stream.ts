import { isJsonObject, type Json, JsonSyntaxError, parseJson, stringifyJson } from '../base/index.ts';
import type { Redaction } from './redaction.ts';

/** Where models put the pieces of what they say. */
const PIECE_KEYS = new Set(
  'content text delta partial_json arguments reasoning reasoning_content thinking refusal'.split(' '),
);

interface Piece {
  /** Which text it is a piece of. */
  readonly of: string;
  readonly owner: Record<string, unknown>;
  readonly key: string;
}

interface Line {
  readonly text: string;
  /** What its data say; undefined for a line without JSON. */
  readonly json: Json | undefined;
}

/**
 * Redacts a stream of server-sent events. What a model says comes in pieces there, one for each event, and a match may go over
 * several of them [RED-3].
 */
export function redactStream(stream: string, redaction: Redaction): string {
  if (!redaction.isOn) return stream;
  const lines = stream.split('\n').map(readLine);
  const pieces = lines.flatMap(({ json }) => piecesIn(json, { path: '', of: textOf(json) }));
  for (const group of Map.groupBy(pieces, ({ of }) => of).values()) {
    const texts = redaction.texts(group.map(({ owner, key }) => String(owner[key])));
    for (const [index, { owner, key }] of group.entries()) owner[key] = texts[index];
  }
  return lines.map((line) => redactLine(line, redaction)).join('\n');
}

function readLine(text: string): Line {
  const data = /^data: ?(\{.*\})\r?$/.exec(text)?.[1];
  if (data === undefined) return { text, json: undefined };
  try {
    return { text, json: parseJson(data) };
  } catch (error) {
    if (error instanceof JsonSyntaxError) return { text, json: undefined };
    throw error;
  }
}

function redactLine({ text, json }: Line, redaction: Redaction): string {
  if (json === undefined) return redaction.text(text);
  // It was parsed for us alone, and its pieces are redacted in place.
  const redacted = stringifyJson(redaction.value({ data: json }).data);
  const before = readLine(text).json;
  if (before !== undefined && redacted === stringifyJson(before)) return text;
  return `data: ${redacted}${text.endsWith('\r') ? '\r' : ''}`;
}

/** Streams that run side by side are told apart by their kind and numbers. */
function textOf(json: Json | undefined): string {
  if (!isJsonObject(json)) return '';
  const { type, index, item_id, output_index, content_index } = json;
  return JSON.stringify([type, index, item_id, output_index, content_index].map(String));
}

function piecesIn(value: unknown, at: { readonly path: string; readonly of: string }): readonly Piece[] {
  if (typeof value !== 'object' || value === null) return [];
  const owner = value as Record<string, unknown>;
  const index = typeof owner.index === 'number' ? owner.index : '';
  return Object.entries(owner).flatMap(([key, item]): readonly Piece[] => {
    const path = `${at.path}.${index}.${key}`;
    if (typeof item === 'string') return PIECE_KEYS.has(key) ? [{ of: `${at.of}${path}`, owner, key }] : [];
    return piecesIn(item, { path, of: at.of });
  });
}
