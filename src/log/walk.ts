import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../base/index.ts';

/** What is done with each string that may become, or come from, an attachment. */
export type TextRule = (text: string) => string;

/** Every string anywhere inside a value, but no object keys. */
export function walkJson(value: Json, rule: TextRule): Json {
  if (typeof value === 'string') return rule(value);
  if (isJsonArray(value)) return walkList(value, (item) => walkJson(item, rule));
  if (!isJsonObject(value)) return value;
  let result: Record<string, Json | undefined> | undefined;
  for (const key of Object.keys(value)) {
    const item = value[key];
    const walked = item === undefined ? item : walkJson(item, rule);
    if (walked === item) continue;
    result ??= { ...value };
    defineKey(result, key, walked);
  }
  return result ?? value;
}

/**
 * The strings of an event that Inspect condenses [LOG-11]: not texts of tool results, not `replaced` values, not
 * completions, not scores. What is not listed here is left alone, whatever it looks like: it is no reference. Pictures
 * and the like in tool results follow `mediaRule`.
 */
export function walkEvent(event: JsonObject, rule: TextRule, mediaRule = rule): JsonObject {
  switch (event.event) {
    case 'model':
      return walkModelEvent(event, rule);
    case 'tool':
      return update(event, {
        arguments: (value) => walkJson(value, rule),
        result: (value) => walkToolResult(value, mediaRule),
        events: (value) => walkEvents(value, rule),
      });
    case 'subtask':
      return update(event, { events: (value) => walkEvents(value, rule) });
    case 'info':
      return update(event, { data: (value) => walkJson(value, rule) });
    case 'state':
    case 'store':
      return update(event, { changes: (value) => walkChanges(value, rule) });
    case 'sample_init':
      return update(event, {
        sample: (value) => walkInitSample(value, rule),
        state: (value) => walkJson(value, rule),
      });
    default:
      return event;
  }
}

/** The walked strings of one chat message. Tool calls count only beside a list of content parts, as in Inspect. */
export function walkMessage(message: Json, rule: TextRule): Json {
  if (!isJsonObject(message)) return message;
  const content = message.content;
  if (typeof content === 'string') return update(message, { content: () => rule(content) });
  if (!isJsonArray(content)) return message;
  return update(message, {
    content: () => walkList(content, (part) => walkContent(part, rule)),
    tool_calls: (calls) => walkList(calls, (call) => walkToolCall(call, rule)),
  });
}

/** A rule only changes texts, so what comes out has the kind of what went in. */
export function walkMessages<Messages extends Json>(messages: Messages, rule: TextRule): Messages;
export function walkMessages(messages: Json, rule: TextRule): Json {
  return walkList(messages, (message) => walkMessage(message, rule));
}

/** The same for the fields of a sample: its messages [LOG-12], and the events of earlier attempts. */
export function walkSampleFields(fields: JsonObject, rule: TextRule): JsonObject {
  return update(fields, {
    input: (value) => walkMessages(value, rule),
    messages: (value) => walkMessages(value, rule),
    error_retries: (value) => walkRetries(value, rule),
  });
}

export function walkRetries<Retries extends Json>(
  retries: Retries,
  rule: TextRule,
  mediaRule?: TextRule,
): Retries;
export function walkRetries(retries: Json, rule: TextRule, mediaRule = rule): Json {
  return walkList(retries, (retry) =>
    walkObject(retry, {
      events: (events) =>
        walkList(events, (event) => (isJsonObject(event) ? walkEvent(event, rule, mediaRule) : event)),
    }),
  );
}

function walkModelEvent(event: JsonObject, rule: TextRule): JsonObject {
  return update(event, {
    input: (value) => walkMessages(value, rule),
    tools: (value) => walkList(value, (tool) => walkFields(tool, ['description'], rule)),
    output: (value) =>
      walkObject(value, {
        choices: (choices) =>
          walkList(choices, (choice) =>
            walkObject(choice, { message: (message) => walkMessage(message, rule) }),
          ),
      }),
    call: (value) =>
      walkObject(value, {
        request: (request) => walkJson(request, rule),
        response: (response) => walkJson(response, rule),
      }),
  });
}

function walkContent(part: Json, rule: TextRule): Json {
  if (!isJsonObject(part) || typeof part.type !== 'string') return part;
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return walkFields(part, [part.type], rule);
    case 'image':
    case 'audio':
    case 'video':
    case 'document':
      return walkMedia(part, rule);
    case 'tool_use':
      return update(part, {
        arguments: (value) => walkJson(value, rule),
        result: (value) => walkJson(value, rule),
        error: (value) => walkJson(value, rule),
      });
    case 'data':
      return update(part, { data: (value) => walkJson(value, rule) });
    default:
      return part;
  }
}

/** One part or a list of parts; text stays, because the tool message that comes next holds it as well. */
function walkToolResult(result: Json, rule: TextRule): Json {
  return isJsonArray(result) ? walkList(result, (part) => walkMedia(part, rule)) : walkMedia(result, rule);
}

const MEDIA: ReadonlySet<Json | undefined> = new Set(['image', 'audio', 'video', 'document']);

function walkMedia(part: Json, rule: TextRule): Json {
  return isJsonObject(part) && MEDIA.has(part.type) ? walkFields(part, [String(part.type)], rule) : part;
}

function walkToolCall(call: Json, rule: TextRule): Json {
  return walkObject(call, {
    arguments: (value) => walkJson(value, rule),
    view: (view) => walkFields(view, ['content'], rule),
  });
}

function walkInitSample(sample: Json, rule: TextRule): Json {
  return walkObject(sample, {
    input: (input) => (typeof input === 'string' ? rule(input) : walkMessages(input, rule)),
  });
}

function walkChanges(changes: Json, rule: TextRule): Json {
  return walkList(changes, (change) => walkObject(change, { value: (value) => walkJson(value, rule) }));
}

function walkEvents(events: Json, rule: TextRule): Json {
  return walkList(events, (event) => (isJsonObject(event) ? walkEvent(event, rule) : event));
}

/** Only those of the named keys whose value is a string. */
function walkFields(value: Json, keys: readonly string[], rule: TextRule): Json {
  if (!isJsonObject(value)) return value;
  const changes: Record<string, (field: Json) => Json> = {};
  for (const key of keys) changes[key] = (field) => (typeof field === 'string' ? rule(field) : field);
  return update(value, changes);
}

function walkObject(value: Json, changes: Readonly<Record<string, (field: Json) => Json>>): Json {
  return isJsonObject(value) ? update(value, changes) : value;
}

function walkList(value: Json, walk: (item: Json) => Json): Json {
  if (!isJsonArray(value)) return value;
  let result: Json[] | undefined;
  for (const [index, item] of value.entries()) {
    const walked = walk(item);
    if (walked === item && !result) continue;
    result ??= value.slice(0, index);
    result.push(walked);
  }
  return result ?? value;
}

/** A copy with some keys changed, or the very same object when nothing did. Key order stays. */
function update(value: JsonObject, changes: Readonly<Record<string, (field: Json) => Json>>): JsonObject {
  let result: Record<string, Json | undefined> | undefined;
  for (const [key, change] of Object.entries(changes)) {
    const field = value[key];
    if (field === undefined || field === null) continue;
    const changed = change(field);
    if (changed === field) continue;
    result ??= { ...value };
    result[key] = changed;
  }
  return result ?? value;
}

/** Assignment would call the setter of `__proto__`; data keys must stay data. */
function defineKey(target: Record<string, Json | undefined>, key: string, value: Json | undefined): void {
  if (key === '__proto__') {
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
  } else target[key] = value;
}
