import {
  digestOf,
  escapeLoneSurrogates,
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonObject,
  jsonText,
  stringifyJson,
} from '../../base/index.ts';
import type { TurnKeys } from '../../compare/index.ts';
import { attachmentHash, referredHash } from '../../log/index.ts';

/** A text of a transcript: as it stands there, or where the attachment is that it refers to. */
export type Said = { readonly text: string } | { readonly ref: string };

/** What was done in a turn: told by the model, or done by a tool. */
export interface Deed {
  /** `say`: words of the model. `call`: a tool with its arguments. `result`: what it gave. `error`: what went wrong. */
  readonly kind: 'say' | 'call' | 'result' | 'error';
  /** The tool of a call. */
  readonly name?: string;
  readonly said: Said;
  /** What tells it from others: of a long text its hash. Of one that is referred to by number the reference, until it is read. */
  readonly token: string;
}

/** From a call to a model to the next. */
export interface RawTurn {
  /** Numbers of events: the first, and the one after the last. */
  readonly from: number;
  to: number;
  readonly deeds: Deed[];
  /** How many more there are. */
  left: number;
}

const LONG_UNITS = 100;
/** So much of a text is kept. */
export const HEAD_UNITS = 2_048;
/** Of one turn no more are kept; how many more there are counts when turns are compared. */
const DEEDS_MAX = 2_000;

/** Makes turns of events, one by one. What belongs to no turn, such as scoring, is left out. */
export class TurnBuilder {
  readonly turns: RawTurn[] = [];
  readonly #scoring = new Set<string>();
  readonly #agents = new Map<string, number>();
  #open: RawTurn | undefined;

  add(event: JsonObject, index: number): void {
    if (this.#isSpan(event)) {
      this.#extend(index);
      return;
    }
    if (typeof event.span_id === 'string' && this.#scoring.has(event.span_id)) return;
    const deeds = deedsOf(event);
    const begins = event.event === 'model' && deeds.length > 0 && this.#depthOf(event) < 2;
    if (begins || (deeds.length > 0 && !this.#open)) {
      this.#open = { from: index, to: index + 1, deeds: [], left: 0 };
      this.turns.push(this.#open);
    }
    this.#extend(index);
    for (const one of deeds) if (this.#open) addDeed(this.#open, one);
  }

  #extend(index: number): void {
    if (this.#open) this.#open.to = index + 1;
  }

  /** An agent that another one asks works within the turn of that one. */
  #depthOf({ span_id: span }: JsonObject): number {
    return (typeof span === 'string' ? this.#agents.get(span) : undefined) ?? 0;
  }

  #isSpan(event: JsonObject): boolean {
    if (event.event !== 'span_begin' && event.event !== 'span_end') return false;
    const { id, parent_id: parent, type } = event;
    if (event.event === 'span_end' || typeof id !== 'string') return true;
    const isInScoring = typeof parent === 'string' && this.#scoring.has(parent);
    if (type === 'scorers' || type === 'scorer' || isInScoring) {
      this.#scoring.add(id);
      this.#open = undefined;
    }
    const around = typeof parent === 'string' ? (this.#agents.get(parent) ?? 0) : 0;
    this.#agents.set(id, around + (type === 'agent' ? 1 : 0));
    return true;
  }
}

/** That a tool was called is told by the model, and again by the tool. */
function addDeed(turn: RawTurn, one: Deed): void {
  const isKnown =
    one.kind === 'call' &&
    turn.deeds.some(({ kind, name, token }) => kind === 'call' && name === one.name && token === one.token);
  if (isKnown) return;
  if (turn.deeds.length < DEEDS_MAX) turn.deeds.push(one);
  else turn.left++;
}

function deedsOf(event: JsonObject): readonly Deed[] {
  switch (event.event) {
    case 'model':
      return answerOf(event);
    case 'tool':
      return toolDeeds(event);
    case 'error':
      return isJsonObject(event.error) ? [deed('error', event.error.message ?? null)] : [];
    case 'sample_limit':
      return [deed('error', event.message ?? event.type ?? null)];
    default:
      return [];
  }
}

/** A call that failed, and was tried again, is no turn. */
function answerOf({ output, pending }: JsonObject): readonly Deed[] {
  const choices = isJsonObject(output) ? output.choices : undefined;
  const [choice] = isJsonArray(choices) ? choices : [];
  const message = isJsonObject(choice) ? choice.message : undefined;
  if (!isJsonObject(message)) return pending === true ? [deed('say', '')] : [];
  const { content, tool_calls: calls } = message;
  const said = isJsonArray(content) ? content.flatMap(partDeeds) : [deed('say', content ?? '')];
  const called = isJsonArray(calls) ? calls.flatMap(callDeeds) : [];
  return [...said, ...called];
}

function partDeeds(part: Json): readonly Deed[] {
  if (!isJsonObject(part)) return [deed('say', part)];
  const { type: _, signature: _signature, ...rest } = part;
  const text = rest.text ?? rest.reasoning;
  return [deed('say', typeof text === 'string' ? text : (toText(rest) ?? ''))];
}

function toText(value: JsonObject): string | undefined {
  return Object.keys(value).length === 0 ? undefined : stringifyJson(value);
}

function callDeeds(call: Json): readonly Deed[] {
  if (!isJsonObject(call)) return [];
  return [deed('call', call.arguments ?? {}, jsonText(call.function ?? ''))];
}

function toolDeeds({ function: name, arguments: args, result, error }: JsonObject): readonly Deed[] {
  const failure = isJsonObject(error) ? error.message : undefined;
  return [
    deed('call', args ?? {}, jsonText(name ?? '')),
    deed('result', result ?? ''),
    ...(failure === undefined ? [] : [deed('error', failure)]),
  ];
}

function deed(kind: Deed['kind'], value: Json, name?: string): Deed {
  const text = typeof value === 'string' ? value : stringifyJson(withTokens(value));
  const ref = referredHash(text);
  const said = ref === undefined ? { text: text.slice(0, HEAD_UNITS) } : { ref };
  const made = { kind, said, token: tokenOf(text) };
  return name === undefined ? made : { ...made, name };
}

/** Long texts within arguments, too, may stand there or be referred to. */
function withTokens(value: Json): Json {
  if (typeof value === 'string') return tokenOf(value);
  if (isJsonArray(value)) return value.map(withTokens);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, item === undefined ? null : withTokens(item)]),
  );
}

/** The same for a text that stands there as for one that is referred to by its hash. */
function tokenOf(text: string): string {
  const ref = referredHash(text);
  if (ref !== undefined) return `attachment://${ref}`;
  return text.length > LONG_UNITS ? `attachment://${attachmentHash(escapeLoneSurrogates(text))}` : text;
}

/** How a turn is compared: with the tokens that were found for texts that are referred to by number. */
export function keysOf({ deeds, left }: RawTurn, tokens: ReadonlyMap<string, string>): TurnKeys {
  const written = ({ kind, name = '', token }: Deed) => `${kind} ${name} ${settled(token, tokens)}`;
  const done = deeds.filter(({ kind }) => kind === 'call');
  return {
    whole: digestOf([...deeds.map(written), left].join('\0')),
    action: digestOf((done.length > 0 ? done : deeds.slice(0, 1)).map(written).join('\0')),
  };
}

function settled(token: string, tokens: ReadonlyMap<string, string>): string {
  if (tokens.size === 0 || !token.includes('attachment://')) return token;
  return token.replace(/attachment:\/\/(\w+)/g, (whole, ref: string) => tokens.get(ref) ?? whole);
}
