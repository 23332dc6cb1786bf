import type { Json, JsonObject } from '../base/index.ts';
import { referenceRule, referredHash } from './attachment-rule.ts';
import { Wrong } from './kinds/kind.ts';
import { sampleFields } from './kinds/sample-kinds.ts';
import { logErrors } from './log-errors.ts';
import { migrateFields } from './migrate.ts';
import { ALL_PARTS, type SampleDocument, type SamplePart } from './sample-document.ts';
import type { EvalSample, LogEvent, SampleFields } from './schema.ts';
import { type Scratch, TextStore } from './text-store.ts';
import { Transcript } from './transcript.ts';

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

/** A sample with its events, which are iterated once. */
export interface SampleTranscript {
  readonly fields: SampleFields;
  readonly events: Iterable<LogEvent> | AsyncIterable<LogEvent>;
}

export async function readFields(context: SampleContext): Promise<SampleFields> {
  const { document } = context;
  return finishFields(context, await resolveFields(document, await readStoredFields(document)));
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

/** Up to here a sample is read once, and held; beyond, its events are read apart from its fields. */
const TOGETHER_BYTES_MAX = 2 ** 20;

export async function readTranscript(context: SampleContext): Promise<SampleTranscript> {
  if (context.document.sizeBytes > TOGETHER_BYTES_MAX)
    return { fields: await readFields(context), events: readEvents(context) };
  const { events, attachments: _, ...fields } = await readSample(context);
  return { fields, events };
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
  for await (const pieces of document.scanTogether(ALL_PARTS)) {
    for (const piece of pieces) {
      if (piece.part === 'fields') fields[piece.key] = document.parse(piece.bytes);
      else if (piece.part === 'events') eventTexts.push(Buffer.from(piece.bytes));
      else await transcript.add(piece.part, piece.key, piece.bytes);
    }
  }
  const events: LogEvent[] = [];
  for (const text of eventTexts) {
    const event = await transcript.resolveEvent(text);
    if (event) events.push(event);
  }
  const resolved = await transcript.resolveFields(fields);
  return { ...finishFields(context, resolved), events, attachments: {} };
}

export async function readStoredFields(document: SampleDocument): Promise<Record<string, Json>> {
  const fields: Record<string, Json> = {};
  for await (const pieces of document.scanTogether(new Set<SamplePart>(['fields'])))
    for (const { key, bytes } of pieces) fields[key] = document.parse(bytes);
  return fields;
}

/** Attachments come last in a document, and most belong to events: only those that fields refer to are kept. */
export async function resolveFields(document: SampleDocument, fields: JsonObject): Promise<JsonObject> {
  const wanted = new Set<string>();
  document.places.fields(fields, (text) => {
    const hash = referredHash(text);
    if (hash !== undefined) wanted.add(hash);
    return text;
  });
  if (wanted.size === 0) return fields;
  const texts = new Map<string, Json>();
  for await (const piece of document.scan(new Set<SamplePart>(['attachments']))) {
    if (wanted.has(piece.key)) texts.set(piece.key, document.parse(piece.bytes));
  }
  const rule = referenceRule((hash) => {
    const text = texts.get(hash);
    return typeof text === 'string' ? text : undefined;
  });
  return document.places.fields(fields, rule) as JsonObject;
}

export function finishFields(context: SampleContext, stored: JsonObject): SampleFields {
  const { path, member } = context;
  const migrated = Object.entries(migrateFields(stored, context.scorerName));
  const found = sampleFields(Object.fromEntries(migrated.filter(([, value]) => value !== null)));
  if (found instanceof Wrong) throw logErrors.shape(path, member, `is not a sample: ${found.reason}`);
  return found;
}
