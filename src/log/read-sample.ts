import { isJsonArray, isJsonObject, type Json, type JsonObject, stringifyJson } from '../base/index.ts';
import { attachmentHash } from './attachment-hash.ts';
import { ATTACHMENT_PREFIX, type Attachment, referenceRule, referredHash } from './attachment-rule.ts';
import type { SampleParts } from './condensed.ts';
import { logErrors } from './log-errors.ts';
import { migrateEvent, migrateFields } from './migrate.ts';
import type { SampleDocument, SamplePart } from './sample-document.ts';
import type { EvalSample, LogEvent, SampleFields } from './schema.ts';
import { type Scratch, TextStore } from './text-store.ts';
import { Transcript } from './transcript.ts';
import { walkJson } from './walk.ts';

/** A sample and what is needed to understand it. */
export interface SampleContext {
  readonly path: string;
  readonly member: string;
  readonly document: SampleDocument;
  /** The name of the log's first scorer: old samples have one score without a name. */
  readonly scorerName: string | undefined;
  readonly scratch: Scratch | undefined;
  readonly sampleSizeBytesMax: number;
}

/** Keys that a sample has even when its file leaves them out. */
const FIELD_DEFAULTS: JsonObject = {
  target: '',
  messages: [],
  output: { choices: [] },
  metadata: {},
  store: {},
  model_usage: {},
  role_usage: {},
};

/** What everybody computes with is of the kind it should be, or the sample is damaged. */
const FIELD_KINDS: Readonly<Record<string, (value: Json) => boolean>> = {
  input: (value) => typeof value === 'string' || isListOfObjects(value),
  messages: isListOfObjects,
  output: (value) => isJsonObject(value) && isListOfObjects(value.choices ?? []),
  scores: (value) => isJsonObject(value) && Object.values(value).every(isJsonObject),
  metadata: isJsonObject,
  store: isJsonObject,
  error: isJsonObject,
  error_retries: isListOfObjects,
  limit: isJsonObject,
};

function isListOfObjects(value: Json): boolean {
  return isJsonArray(value) && value.every(isJsonObject);
}

export async function readFields(context: SampleContext): Promise<SampleFields> {
  const { document } = context;
  const fields: Record<string, Json> = {};
  for await (const piece of document.scan(new Set<SamplePart>(['fields']))) {
    fields[piece.key] = document.parse(piece.bytes);
  }
  const wanted = referencesIn(fields);
  if (wanted.size === 0) return finishFields(context, fields);
  // Attachments come last in a document, and most belong to events: only those that fields refer to are kept.
  const texts = new Map<string, Json>();
  for await (const piece of document.scan(new Set<SamplePart>(['attachments']))) {
    if (wanted.has(piece.key)) texts.set(piece.key, document.parse(piece.bytes));
  }
  const rule = referenceRule((hash) => {
    const text = texts.get(hash);
    return typeof text === 'string' ? text : undefined;
  });
  return finishFields(context, walkJson(fields, rule) as JsonObject);
}

export async function* readEvents(context: SampleContext): AsyncGenerator<LogEvent> {
  const { document } = context;
  const store = new TextStore(context.scratch);
  try {
    const transcript = await Transcript.load(document, store);
    for await (const piece of document.scan(new Set<SamplePart>(['events']))) {
      const event = await transcript.resolveEvent(piece.bytes);
      if (event) yield event;
    }
  } finally {
    await store.close();
  }
}

export async function readSample(context: SampleContext): Promise<EvalSample> {
  const { document, path, member, sampleSizeBytesMax } = context;
  if (document.sizeBytes > sampleSizeBytesMax) {
    throw logErrors.tooLarge(
      path,
      member,
      `it has ${document.sizeBytes} bytes; read its events one by one instead`,
    );
  }
  const store = new TextStore(undefined);
  const transcript = Transcript.empty(document, store);
  const fields: Record<string, Json> = {};
  const eventTexts: Uint8Array[] = [];
  for await (const piece of document.scan(
    new Set<SamplePart>(['fields', 'events', 'attachments', 'messages', 'calls']),
  )) {
    if (piece.part === 'fields') fields[piece.key] = document.parse(piece.bytes);
    else if (piece.part === 'events') eventTexts.push(Buffer.from(piece.bytes));
    else await transcript.add(piece.part, piece.key, piece.bytes);
  }
  const events: LogEvent[] = [];
  for (const text of eventTexts) {
    const event = await transcript.resolveEvent(text);
    if (event) events.push(event);
  }
  const resolved = (await transcript.resolve(fields)) as JsonObject;
  return { ...finishFields(context, resolved), events, attachments: {} };
}

/** The condensed parts, for writing the sample into another log: names are brought to today's, content stays. */
export async function readParts(context: SampleContext): Promise<SampleParts> {
  const { document } = context;
  const stored: Record<string, Json> = {};
  for await (const piece of document.scan(new Set<SamplePart>(['fields']))) {
    stored[piece.key] = document.parse(piece.bytes);
  }
  const rename = await renameReferences(document);
  const texts = (part: SamplePart, migrate: (value: Json) => Json): AsyncIterable<string> => ({
    async *[Symbol.asyncIterator]() {
      for await (const piece of document.scan(new Set([part]))) {
        yield stringifyJson(migrate(rename(document.parse(piece.bytes))));
      }
    },
  });
  const asIs = (value: Json) => value;
  return {
    fields: finishFields(context, rename(stored) as JsonObject),
    events: texts('events', (event) => migrateEvent(event) ?? event),
    attachments: { [Symbol.asyncIterator]: () => readAttachments(document) },
    messages: texts('messages', asIs),
    calls: texts('calls', asIs),
  };
}

async function* readAttachments(document: SampleDocument): AsyncGenerator<Attachment> {
  for await (const piece of document.scan(new Set<SamplePart>(['attachments']))) {
    const text = document.parse(piece.bytes);
    if (typeof text !== 'string') continue;
    yield { hash: isIndex(piece.key) ? attachmentHash(text) : piece.key, text };
  }
}

/** Chunked samples name attachments by index, and the first logs wrote `tc://`: both become `attachment://<hash>`. */
async function renameReferences(document: SampleDocument): Promise<(value: Json) => Json> {
  const names = new Map<string, string>();
  for await (const piece of document.scan(new Set<SamplePart>(['attachments']))) {
    const text = isIndex(piece.key) ? document.parse(piece.bytes) : undefined;
    names.set(piece.key, typeof text === 'string' ? attachmentHash(text) : piece.key);
  }
  const rule = referenceRule((key) => {
    const name = names.get(key);
    return name === undefined ? undefined : ATTACHMENT_PREFIX + name;
  });
  return (value) => walkJson(value, rule);
}

/** A hash has 32 digits, so a short decimal number is an index. */
function isIndex(key: string): boolean {
  return /^\d{1,15}$/.test(key);
}

function referencesIn(value: Json): Set<string> {
  const found = new Set<string>();
  walkJson(value, (text) => {
    const hash = referredHash(text);
    if (hash !== undefined) found.add(hash);
    return text;
  });
  return found;
}

function finishFields(context: SampleContext, stored: JsonObject): SampleFields {
  const { path, member } = context;
  if (stored.id === undefined || typeof stored.epoch !== 'number') {
    throw logErrors.shape(path, member, 'is not a sample: it has no id or no epoch');
  }
  const present = Object.entries(migrateFields(stored, context.scorerName)).filter(
    ([, value]) => value !== null,
  );
  const fields = { ...FIELD_DEFAULTS, ...Object.fromEntries(present) };
  for (const [key, isSound] of Object.entries(FIELD_KINDS)) {
    const value = fields[key];
    if (value !== undefined && !isSound(value))
      throw logErrors.shape(path, member, `has ${key} of the wrong kind`);
  }
  return fields as unknown as SampleFields;
}
