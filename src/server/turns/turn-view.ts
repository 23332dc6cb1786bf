import { isJsonArray, isJsonObject, type Json } from '../../base/index.ts';
import type { AlignedTranscripts, AnyJson } from '../api.ts';
import { headOf, type TranscriptTurns } from './read-turns.ts';
import { type Deed, HEAD_UNITS, type RawTurn } from './turns.ts';

export type TurnView = NonNullable<AlignedTranscripts['rows'][number]['a']>;

const LABEL_UNITS = 100;
/** Of a turn that is the same on both sides nobody reads all. */
const SAME_UNITS = 240;

export function turnView(
  turn: RawTurn,
  transcript: TranscriptTurns,
  { isSame }: { readonly isSame: boolean },
): TurnView {
  const lines = turn.deeds.map((deed) => lineOf(deed, transcript));
  const tools = turn.deeds
    .filter(({ kind }) => kind === 'call')
    .map((deed) => oneLine(`${deed.name ?? ''} ${saidOf(deed, transcript)}`, LABEL_UNITS));
  const words = turn.deeds.find((deed) => deed.kind === 'say' && saidOf(deed, transcript).trim() !== '');
  return {
    from: turn.from,
    to: turn.to,
    label: oneLine(words ? saidOf(words, transcript) : (tools[0] ?? lines[0] ?? ''), LABEL_UNITS),
    text: cut(lines.join('\n'), isSame ? SAME_UNITS : HEAD_UNITS),
    tools,
  };
}

/** `→` what a tool was asked, `←` what it gave, `!` what went wrong. */
function lineOf(deed: Deed, transcript: TranscriptTurns): string {
  const said = saidOf(deed, transcript);
  switch (deed.kind) {
    case 'say':
      return said;
    case 'call':
      return `→ ${deed.name ?? ''} ${said}`;
    case 'result':
      return `← ${said}`;
    case 'error':
      return `! ${said}`;
  }
}

function saidOf({ said }: Deed, { heads }: TranscriptTurns): string {
  return 'text' in said ? said.text : (heads.get(said.ref) ?? '');
}

function oneLine(text: string, unitsMax: number): string {
  return cut(
    text
      .slice(0, 4 * unitsMax)
      .replace(/\s+/g, ' ')
      .trim(),
    unitsMax,
  );
}

function cut(text: string, unitsMax: number): string {
  if (text.length <= unitsMax) return text.toWellFormed();
  return `${text.slice(0, unitsMax - 1).replace(/[\ud800-\udbff]$/, '')}…`.toWellFormed();
}

/** The text of an answer: whole, so that two of them can be compared to their ends. */
export function outputText(transcript: TranscriptTurns): string {
  const { output } = transcript;
  const choices = isJsonObject(output) ? output.choices : undefined;
  const [choice] = isJsonArray(choices) ? choices : [];
  const message = isJsonObject(choice) ? choice.message : undefined;
  const content = isJsonObject(message) ? message.content : undefined;
  const texts = isJsonArray(content)
    ? content.flatMap(textOfPart)
    : typeof content === 'string'
      ? [content]
      : [];
  return cut(texts.map((text) => headOf(text, transcript)).join('\n'), OUTPUT_UNITS);
}

/** Longer than anything that a model answers in one go. */
const OUTPUT_UNITS = 2_000_000;

function textOfPart(part: Json): readonly string[] {
  return isJsonObject(part) && typeof part.text === 'string' ? [part.text] : [];
}

const INPUT_TEXT_UNITS = 16_384;
const INPUT_ITEMS_MAX = 200;

/** What was asked, with long texts cut. */
export function inputView(value: Json, transcript: TranscriptTurns): AnyJson {
  if (typeof value === 'string') return cut(headOf(value, transcript), INPUT_TEXT_UNITS);
  if (typeof value === 'bigint') return String(value);
  if (isJsonArray(value)) return value.slice(0, INPUT_ITEMS_MAX).map((item) => inputView(item, transcript));
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).slice(0, INPUT_ITEMS_MAX);
  return Object.fromEntries(
    entries.flatMap(([key, item]) => (item === undefined ? [] : [[key, inputView(item, transcript)]])),
  );
}
