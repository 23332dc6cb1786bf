/** Is told each text, and whether it is the event's own: said there first, and not copied from before. */
export type VisitText = (text: string, isOwn: boolean) => void;

type AnyObject = Readonly<Record<string, unknown>>;

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
export function visitEvent(event: AnyObject, visit: VisitText): void {
  if (event.event === 'model') visitModelCall(event, visit);
  else visitOther(event, visit);
}

function visitOther(event: AnyObject, visit: VisitText): void {
  const isOwn = !COPIES.has(String(event.event));
  for (const [key, value] of Object.entries(event))
    if (!NO_TEXTS.has(key)) visitTexts(value, (text) => visit(text, isOwn));
}

/** What was sent and came back as such, and the descriptions of tools, are no part of what was said. */
function visitModelCall({ input, output, error }: AnyObject, visit: VisitText): void {
  if (Array.isArray(input)) for (const message of input) visitMessage(message, (text) => visit(text, false));
  const choices = isObject(output) ? output.choices : undefined;
  if (Array.isArray(choices))
    for (const choice of choices)
      if (isObject(choice)) visitMessage(choice.message ?? null, (text) => visit(text, true));
  if (isObject(output)) visitTexts(output.error, (text) => visit(text, true));
  visitTexts(error, (text) => visit(text, true));
}

export interface CallOfMessage {
  /** The first call of a model: nobody in the transcript can have said what it was given. */
  readonly isFirstCall: boolean;
  /** Tools have events of their own. */
  readonly hasTools: boolean;
}

/** Whether a message that a call was given is told by an event before: what a model said by its call, what a tool gave by its run. */
export function isToldBefore(role: string | undefined, { isFirstCall, hasTools }: CallOfMessage): boolean {
  return (role === 'assistant' && !isFirstCall) || (role === 'tool' && hasTools);
}

/** What a message says: its content, and which tools it calls how. */
export function visitMessage(message: unknown, visit: (text: string) => void): void {
  if (!isObject(message)) return;
  const { content, tool_calls: calls, error } = message;
  if (Array.isArray(content)) for (const part of content) visitPart(part, visit);
  else visitTexts(content, visit);
  if (Array.isArray(calls))
    for (const call of calls) {
      if (!isObject(call)) continue;
      visitTexts(call.function, visit);
      visitTexts(call.arguments, visit);
    }
  visitTexts(error, visit);
}

function visitPart(part: unknown, visit: (text: string) => void): void {
  if (!isObject(part)) visitTexts(part, visit);
  else for (const [key, value] of Object.entries(part)) if (key !== 'type') visitTexts(value, visit);
}

export function visitTexts(value: unknown, visit: (text: string) => void): void {
  if (typeof value === 'string') visit(value);
  else if (Array.isArray(value)) for (const item of value) visitTexts(item, visit);
  else if (isObject(value)) for (const item of Object.values(value)) visitTexts(item, visit);
}

function isObject(value: unknown): value is AnyObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
