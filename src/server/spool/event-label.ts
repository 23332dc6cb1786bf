import { isJsonArray, isJsonObject, type Json, type JsonObject, stringifyJson } from '../../base/index.ts';
import { referredHash } from '../../log/index.ts';

/** One line that tells the most of an event, or would, if a text were there that comes later. */
export interface EventLabel {
  readonly text: string;
  /** The attachment whose beginning goes after the text. */
  readonly later?: string;
}

/** A text of an event: as it is, or its beginning where it was cut. */
export type HeadOf = (text: string) => string;

const LABEL_UNITS_MAX = 80;
/** Enough to fill a line, whatever space is in it. */
const LOOKED_AT_UNITS = 400;

export function labelOf(event: JsonObject, headOf: HeadOf): EventLabel {
  const parts = partsOf(event, headOf).filter((part) => part !== '');
  const before: string[] = [];
  for (const part of parts) {
    const hash = referredHash(part);
    if (hash !== undefined) return { text: oneLine(before.join(' ')), later: hash };
    before.push(part);
  }
  return { text: oneLine(before.join(' ')) };
}

/** The label, now that the beginning of its attachment is known. */
export function labelWith(text: string, head: string): string {
  return oneLine(text === '' ? head : `${text} ${head}`);
}

/** One line, short, and never half a letter. */
export function oneLine(text: string, unitsMax = LABEL_UNITS_MAX): string {
  const start = text.slice(0, Math.max(LOOKED_AT_UNITS, unitsMax * 4));
  const line = start
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .toWellFormed();
  if (line.length <= unitsMax) return line;
  return `${line
    .slice(0, unitsMax - 1)
    .replace(/[\ud800-\udbff]$/, '')
    .trimEnd()}…`;
}

type Text = (value: Json | undefined) => string;

/** What is told of each kind of event. */
const PARTS: Readonly<Record<string, (event: JsonObject, text: Text, headOf: HeadOf) => readonly string[]>> =
  {
    model: (event, _, headOf) => modelParts(event, headOf),
    tool: (event, _, headOf) => toolParts(event, headOf),
    info: (event, _, headOf) => infoParts(event, headOf),
    score: (event, _, headOf) => scoreParts(event, headOf),
    state: ({ changes }, _, headOf) => changeParts(changes, headOf),
    store: ({ changes }, _, headOf) => changeParts(changes, headOf),
    error: ({ error }, text) => [text(inObject(error, 'message'))],
    score_edit: ({ score_name, edit }, text) => [text(score_name), text(inObject(edit, 'value'))],
    logger: ({ message }, text) => [text(inObject(message, 'level')), text(inObject(message, 'message'))],
    sandbox: ({ action, cmd, file }, text) => [text(action), text(cmd ?? file)],
    span_begin: ({ name }, text) => [text(name)],
    step: ({ action, name }, text) => [text(action), text(name)],
    subtask: ({ name, result }, text) => [text(name), text(result)],
    sample_init: ({ sample }, text) => [text(inputOf(inObject(sample, 'input')))],
    sample_limit: ({ type, message }, text) => [text(type), text(message)],
    approval: ({ decision, message }, text) => [text(decision), text(message)],
    compaction: ({ type, tokens_before, tokens_after }, text) => [
      text(type),
      countChange(tokens_before, tokens_after),
    ],
    checkpoint: ({ trigger, checkpoint_id }, text) => [text(trigger), text(checkpoint_id)],
    input: ({ input, message }, text) => [text(input ?? message)],
    interrupt: ({ source, interrupted }, text) => [text(source), text(interrupted)],
  };

function partsOf(event: JsonObject, headOf: HeadOf): readonly string[] {
  const kind = typeof event.event === 'string' ? event.event : '';
  const parts = Object.hasOwn(PARTS, kind) ? PARTS[kind] : undefined;
  return parts?.(event, (value) => textIn(value, headOf), headOf) ?? [];
}

function modelParts(event: JsonObject, headOf: HeadOf): readonly string[] {
  const { output } = event;
  if (typeof event.error === 'string') return [headOf(event.error)];
  const [choice] = listIn(inObject(output, 'choices'));
  const message = inObject(choice, 'message');
  const completion = inObject(output, 'completion');
  const said = typeof completion === 'string' && completion !== '' ? headOf(completion) : '';
  const calls = listIn(inObject(message, 'tool_calls'));
  // What was said tells more than what is called; the calls come right after it.
  const words = said === '' ? textIn(contentOf(inObject(message, 'content')), headOf) : said;
  if (words !== '' && (calls.length === 0 || referredHash(words) === undefined)) return [words];
  if (calls.length > 0) return calls.flatMap((call) => callParts(call, headOf));
  return [words, textIn(inObject(output, 'error'), headOf)];
}

function infoParts({ source, data }: JsonObject, headOf: HeadOf): readonly string[] {
  const texts = (...names: readonly string[]) => names.map((name) => textIn(inObject(data, name), headOf));
  if (source === 'http') return texts('method', 'url', 'status', 'error');
  if (source === 'record') return texts('name', 'error');
  return [textIn(source, headOf), textIn(data, headOf)];
}

function toolParts(event: JsonObject, headOf: HeadOf): readonly string[] {
  const error = textIn(inObject(event.error, 'message'), headOf);
  const call = callParts(event, headOf);
  return error === '' ? call : [call[0] ?? '', error];
}

function callParts(call: Json, headOf: HeadOf): readonly string[] {
  const args = inObject(call, 'arguments');
  return [textIn(inObject(call, 'function'), headOf), textIn(mainArgument(args), headOf)];
}

/** Arguments whose value says what is done, before any other. */
const MAIN = [
  'cmd',
  'command',
  'code',
  'path',
  'file_path',
  'file',
  'query',
  'url',
  'prompt',
  'input',
  'text',
];

function mainArgument(args: Json | undefined): Json | undefined {
  if (!isJsonObject(args)) return args;
  const main = MAIN.find((name) => typeof args[name] === 'string' && args[name] !== '');
  if (main !== undefined) return args[main];
  const values = Object.values(args);
  return values.find((value) => typeof value === 'string' && value !== '') ?? values[0];
}

function scoreParts(event: JsonObject, headOf: HeadOf): readonly string[] {
  const value = inObject(event.score, 'value');
  return [
    textIn(event.scorer, headOf),
    textIn(value, headOf),
    textIn(inObject(event.score, 'explanation') ?? inObject(event.score, 'answer'), headOf),
  ];
}

function changeParts(changes: Json | undefined, headOf: HeadOf): readonly string[] {
  const list = listIn(changes);
  const [first] = list;
  const more = list.length > 1 ? `and ${list.length - 1} more` : '';
  return [textIn(inObject(first, 'op'), headOf), textIn(inObject(first, 'path'), headOf), more];
}

function countChange(before: Json | undefined, after: Json | undefined): string {
  return typeof before === 'number' && typeof after === 'number' ? `${before} to ${after} tokens` : '';
}

/** The last message is what a sample is asked. */
function inputOf(input: Json | undefined): Json | undefined {
  return isJsonArray(input) ? contentOf(inObject(input.at(-1), 'content')) : input;
}

/** The first part of a message that says something. */
function contentOf(content: Json | undefined): Json | undefined {
  if (!isJsonArray(content)) return content;
  for (const part of content) {
    const text = inObject(part, 'text') ?? inObject(part, 'reasoning');
    if (typeof text === 'string' && text !== '') return text;
  }
  const kind = inObject(content[0], 'type');
  return typeof kind === 'string' ? `(${kind})` : '';
}

function textIn(value: Json | undefined, headOf: HeadOf): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return headOf(value).slice(0, LOOKED_AT_UNITS);
  if (typeof value !== 'object') return String(value);
  return firstLine(value, headOf);
}

/** A small value as JSON; of a large one the first text in it. */
function firstLine(value: Json, headOf: HeadOf): string {
  if (isJsonArray(value) ? value.length > 20 : Object.keys(value as JsonObject).length > 20)
    return isJsonArray(value) ? `${value.length} items` : `${Object.keys(value as JsonObject).length} keys`;
  const text = stringifyJson(shortened(value, headOf, 0));
  return text.slice(0, LOOKED_AT_UNITS);
}

function shortened(value: Json, headOf: HeadOf, depth: number): Json {
  if (typeof value === 'string') return headOf(value).slice(0, LABEL_UNITS_MAX);
  if (typeof value !== 'object' || value === null) return value;
  if (depth > 2) return isJsonArray(value) ? [] : {};
  if (isJsonArray(value)) return value.slice(0, 8).map((item) => shortened(item, headOf, depth + 1));
  const entries = Object.entries(value).slice(0, 8);
  return Object.fromEntries(
    entries.map(([key, item]) => [key.slice(0, LABEL_UNITS_MAX), shortened(item ?? null, headOf, depth + 1)]),
  );
}

function inObject(value: Json | undefined, key: string): Json | undefined {
  return isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

function listIn(value: Json | undefined): readonly Json[] {
  return isJsonArray(value) ? value : [];
}
