import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../../base/index.ts';

/** Is told each text, and whether it is the event's own: said there first, and not copied from before. */
export type VisitText = (text: string, isOwn: boolean) => void;

/** Marks and times, which nobody looks for. */
const NO_TEXTS: ReadonlySet<string> = new Set([
  'event',
  'uuid',
  'span_id',
  'parent_id',
  'agent_span_id',
  'message_id',
  'id',
  'type',
  'timestamp',
  'completed',
  'pending',
]);
/** These only copy what stands elsewhere. */
const COPIES: ReadonlySet<string> = new Set(['sample_init', 'state', 'store']);

/** The texts of an event that a reader of its transcript sees. References to attachments are texts here. */
export function visitEvent(event: JsonObject, visit: VisitText): void {
  if (event.event === 'model') visitModelCall(event, visit);
  else visitOther(event, visit);
}

function visitOther(event: JsonObject, visit: VisitText): void {
  const isOwn = !COPIES.has(String(event.event));
  for (const [key, value] of Object.entries(event))
    if (!NO_TEXTS.has(key)) visitTexts(value, (text) => visit(text, isOwn));
}

/** What was sent and came back as such, and the descriptions of tools, are no part of what was said. */
function visitModelCall({ input, output, error }: JsonObject, visit: VisitText): void {
  if (isJsonArray(input)) for (const message of input) visitMessage(message, (text) => visit(text, false));
  const choices = isJsonObject(output) ? output.choices : undefined;
  if (isJsonArray(choices))
    for (const choice of choices)
      if (isJsonObject(choice)) visitMessage(choice.message ?? null, (text) => visit(text, true));
  if (isJsonObject(output)) visitTexts(output.error, (text) => visit(text, true));
  visitTexts(error, (text) => visit(text, true));
}

/** What a message says: its content, and which tools it calls how. */
export function visitMessage(message: Json, visit: (text: string) => void): void {
  if (!isJsonObject(message)) return;
  const { content, tool_calls: calls, error } = message;
  if (isJsonArray(content)) for (const part of content) visitPart(part, visit);
  else visitTexts(content, visit);
  if (isJsonArray(calls))
    for (const call of calls) {
      if (!isJsonObject(call)) continue;
      visitTexts(call.function, visit);
      visitTexts(call.arguments, visit);
    }
  visitTexts(error, visit);
}

function visitPart(part: Json, visit: (text: string) => void): void {
  if (!isJsonObject(part)) visitTexts(part, visit);
  else for (const [key, value] of Object.entries(part)) if (key !== 'type') visitTexts(value, visit);
}

export function visitTexts(value: Json | undefined, visit: (text: string) => void): void {
  if (typeof value === 'string') visit(value);
  else if (isJsonArray(value)) for (const item of value) visitTexts(item, visit);
  else if (isJsonObject(value)) for (const item of Object.values(value)) visitTexts(item, visit);
}
