import { type Json, type JsonObject, stringifyJson } from '../base/index.ts';
import { attachmentHash } from './attachment-hash.ts';
import { ATTACHMENT_PREFIX, type Attachment, referenceRule, referredHash } from './attachment-rule.ts';
import type { SampleParts } from './condensed.ts';
import { migrateEvent } from './migrate.ts';
import { finishFields, readStoredFields, resolveFields, type SampleContext } from './read-sample.ts';
import { CONDENSED_PLACES, type ReferencePlaces } from './reference-places.ts';
import type { SampleDocument, SamplePart } from './sample-document.ts';
import { type TextRule, walkJson } from './walk.ts';

/** The condensed parts, for writing the sample into another log: names are brought to today's, content stays. */
export async function readParts(context: SampleContext): Promise<SampleParts> {
  const { document } = context;
  const { error_retries, ...stored } = await readStoredFields(document);
  const rename = await renamer(document);
  const texts = (part: 'events' | 'messages' | 'calls'): AsyncIterable<string> => ({
    async *[Symbol.asyncIterator]() {
      for await (const piece of document.scan(new Set<SamplePart>([part]))) {
        const renamed = rename(part, document.parse(piece.bytes));
        yield stringifyJson(part === 'events' ? (migrateEvent(renamed) ?? renamed) : renamed);
      }
    },
  });
  const retries = error_retries === undefined ? {} : await resolveFields(document, { error_retries });
  return {
    fields: finishFields(context, { ...(rename('fields', stored) as JsonObject), ...retries }),
    events: texts('events'),
    attachments: { [Symbol.asyncIterator]: () => readAttachments(document) },
    messages: texts('messages'),
    calls: texts('calls'),
  };
}

async function* readAttachments(document: SampleDocument): AsyncGenerator<Attachment> {
  for await (const piece of document.scan(new Set<SamplePart>(['attachments']))) {
    const text = document.parse(piece.bytes);
    if (typeof text !== 'string') continue;
    yield { hash: isIndex(piece.key) ? attachmentHash(text) : piece.key, text };
  }
}

type Renamer = (part: keyof ReferencePlaces, value: Json) => Json;

/** Every reference becomes `attachment://<hash>` in the places that a log has for them, and its text in all others. */
async function renamer(document: SampleDocument): Promise<Renamer> {
  const rule = await renamingRule(document);
  const inPlace: Renamer = (part, value) => CONDENSED_PLACES[part](value, rule);
  if (document.places === CONDENSED_PLACES) return inPlace;
  const texts = await textsElsewhere(document);
  const inline = referenceRule((key) => texts.get(key));
  return (part, value) => walkJson(inPlace(part, value), inline);
}

/** Chunked samples name attachments by index, and the first logs wrote `tc://`. */
async function renamingRule(document: SampleDocument): Promise<TextRule> {
  const names = new Map<string, string>();
  for await (const piece of document.scan(new Set<SamplePart>(['attachments']))) {
    const text = isIndex(piece.key) ? document.parse(piece.bytes) : undefined;
    names.set(piece.key, typeof text === 'string' ? attachmentHash(text) : piece.key);
  }
  return referenceRule((key) => {
    const name = names.get(key);
    return name === undefined ? undefined : ATTACHMENT_PREFIX + name;
  });
}

/** The texts that are referred to where a log has no references, by their index: completions and the like. */
async function textsElsewhere(document: SampleDocument): Promise<ReadonlyMap<string, string>> {
  const wanted = new Set<string>();
  const note = (part: keyof ReferencePlaces, value: Json) =>
    walkJson(
      CONDENSED_PLACES[part](value, () => ''),
      (text) => {
        const key = referredHash(text);
        if (key !== undefined && isIndex(key)) wanted.add(key);
        return text;
      },
    );
  note('fields', await readStoredFields(document));
  for await (const { part, bytes } of document.scan(new Set<SamplePart>(['events', 'messages']))) {
    if (part === 'events' || part === 'messages') note(part, document.parse(bytes));
  }
  const texts = new Map<string, string>();
  for await (const { key, bytes } of document.scan(new Set<SamplePart>(['attachments']))) {
    const text = wanted.has(key) ? document.parse(bytes) : undefined;
    if (typeof text === 'string') texts.set(key, text);
  }
  return texts;
}

/** A hash has 32 digits, so a short decimal number is an index. */
function isIndex(key: string): boolean {
  return /^\d{1,15}$/.test(key);
}
