import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../base/index.ts';

/** Gives the messages that a model event was asked with, wherever they are kept. */
export type InputOf = (event: JsonObject) => readonly Json[];

interface Boundary {
  readonly kind: 'summary' | 'trim';
  readonly before: JsonObject;
  after?: JsonObject;
}

/**
 * Rebuilds a sample's conversation from its model events: that of the role which spoke first. Only the last event is
 * kept, because its input repeats all before it; where a compaction cut the history, what it cut off is kept too.
 */
export class Conversation {
  #role: Json | undefined;
  #hasRole = false;
  #last: JsonObject | undefined;
  #lastRole: Json | undefined;
  #answered: JsonObject | undefined;
  #latest: JsonObject | undefined;
  readonly #boundaries: Boundary[] = [];

  addModel(event: JsonObject): void {
    const role = event.role ?? null;
    this.#lastRole = role;
    if (!this.#hasRole) {
      this.#role = role;
      this.#hasRole = true;
    }
    if (role !== this.#role) return;
    const open = this.#boundaries.at(-1);
    if (open && open.after === undefined) open.after = event;
    this.#last = event;
    this.#latest = event;
    if (answerOf(event) !== undefined) this.#answered = event;
  }

  addCompaction(event: JsonObject): void {
    const role = event.role ?? this.#lastRole ?? null;
    const kind = event.type ?? 'summary';
    if (role !== this.#role || !this.#last || (kind !== 'summary' && kind !== 'trim')) return;
    this.#boundaries.push({ kind, before: this.#last });
    // What follows a summary is a new history; a crash right after it must not repeat the old one.
    if (kind === 'summary') this.#last = undefined;
  }

  messages(inputOf: InputOf): readonly Json[] {
    const messages: Json[] = [];
    for (const { kind, before, after } of this.#boundaries) {
      if (kind === 'summary') messages.push(...wholeTurn(before, inputOf));
      else if (after) messages.push(...trimmedPart(inputOf(before), inputOf(after)));
    }
    if (this.#last) messages.push(...wholeTurn(this.#last, inputOf));
    return messages;
  }

  /** The last answer; a call that was still pending has none. */
  output(): JsonObject | undefined {
    const event = this.#answered ?? this.#latest;
    return isJsonObject(event?.output) ? event.output : undefined;
  }
}

function wholeTurn(event: JsonObject, inputOf: InputOf): readonly Json[] {
  const answer = answerOf(event);
  return answer === undefined ? inputOf(event) : [...inputOf(event), answer];
}

/** While a call is under way its output is an empty message, which nobody said. */
function answerOf(event: JsonObject): Json | undefined {
  const output = event.pending === true ? undefined : event.output;
  const choice = isJsonObject(output) && isJsonArray(output.choices) ? output.choices[0] : undefined;
  return isJsonObject(choice) ? choice.message : undefined;
}

/** What came before the first message of the next input; all of it when that message is not there. */
function trimmedPart(before: readonly Json[], after: readonly Json[]): readonly Json[] {
  const [first] = after;
  const at = before.findIndex((message) => isSameMessage(message, first));
  return at < 0 ? before : before.slice(0, at);
}

function isSameMessage(one: Json | undefined, other: Json | undefined): boolean {
  if (!isJsonObject(one) || !isJsonObject(other)) return false;
  if (typeof one.id === 'string' && typeof other.id === 'string') return one.id === other.id;
  return one.role === other.role && textOf(one.content) === textOf(other.content);
}

function textOf(content: Json | undefined): string {
  if (typeof content === 'string') return content;
  if (!isJsonArray(content)) return '';
  return content
    .map((part) => (isJsonObject(part) && typeof part.text === 'string' ? part.text : ''))
    .join('\n');
}
