import type { AnyJson, SampleScore } from '../../../../src/server/api.ts';
import { headOf, isObject } from '../read-json.ts';

/** Something in the transcript that a score refers to. Events and messages are counted from 1, as those who cite them do. */
export interface Citation {
  /** As it stands in the text. */
  readonly said: string;
  readonly to:
    | { readonly turn: number }
    | { readonly event: number }
    | { readonly message: number }
    /** Of an event or of a message. */
    | { readonly id: string };
}

const CITATIONS_MAX = 24;
const TEXTS_MAX = 200;
const TEXT_UNITS_MAX = 20_000;

/** What a score cites in its explanation and in its metadata, each once and in the order in which it is named. */
export function citationsOf({ explanation, metadata }: Pick<SampleScore, 'explanation' | 'metadata'>) {
  const found = new Map<string, Citation>();
  const ids = new Map<string, string>();
  const texts = [explanation === undefined ? '' : headOf(explanation)];
  gather(metadata, { texts, ids });
  for (const text of texts)
    for (const citation of citationsIn(text.slice(0, TEXT_UNITS_MAX), ids))
      if (found.size < CITATIONS_MAX && !found.has(citation.said)) found.set(citation.said, citation);
  return [...found.values()];
}

interface Gathered {
  readonly texts: string[];
  /** What the score itself says that its citations stand for. */
  readonly ids: Map<string, string>;
}

function gather(value: AnyJson | undefined, into: Gathered): void {
  if (into.texts.length >= TEXTS_MAX) return;
  if (typeof value === 'string') into.texts.push(value);
  else if (Array.isArray(value)) for (const item of value) gather(item, into);
  else if (isObject(value)) {
    const { cite, id } = value;
    if (typeof cite === 'string' && typeof id === 'string') into.ids.set(cite, id);
    for (const item of Object.values(value)) gather(item, into);
  }
}

const CITED = new RegExp(
  [
    String.raw`\[([ME])(\d{1,6})\]`,
    String.raw`\bturn (\d{1,6})\b`,
    String.raw`\b([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\b`,
    String.raw`\b(msg_[\w-]{6,60})\b`,
    // An id as Inspect makes them: a word of that length with a digit and both kinds of letters is no other word.
    String.raw`\b([0-9A-Za-z]{22})\b`,
  ].join('|'),
  'gi',
);

function* citationsIn(text: string, ids: ReadonlyMap<string, string>): Generator<Citation> {
  for (const match of text.matchAll(CITED)) {
    const [said, letter, number, turn, uuid, message, short] = match;
    const known = ids.get(said);
    if (known !== undefined) yield { said, to: { id: known } };
    else if (letter?.toUpperCase() === 'M') yield { said, to: { message: Number(number) } };
    else if (letter !== undefined) yield { said, to: { event: Number(number) } };
    else if (turn !== undefined) yield { said: said.toLowerCase(), to: { turn: Number(turn) } };
    else if (uuid !== undefined || message !== undefined || isMixed(short)) yield { said, to: { id: said } };
  }
}

/** The pattern does not mind the case of letters: here it matters. */
function isMixed(text: string | undefined): boolean {
  return text !== undefined && /[a-z]/.test(text) && /[A-Z]/.test(text) && /\d/.test(text);
}
