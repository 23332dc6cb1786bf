import { type Json, type JsonObject, stringifyJson } from '../base/index.ts';
import { completeOutput, completeScores } from './always-written.ts';
import {
  type Attachment,
  attachmentCollector,
  dataUriRule,
  listAttachments,
  longTextRule,
} from './attachment-rule.ts';
import type { SampleParts } from './condensed.ts';
import { jsonArray, jsonMembers, jsonStringSlices, type Many, type TextSegment } from './json-text.ts';
import type { SampleFields } from './schema.ts';
import { walkRetries } from './walk.ts';

/**
 * The JSON text of a whole sample, piece by piece, with every key that Inspect always writes [LOG-4] and in the order
 * of its own model, so that the small keys come before the large ones.
 */
export function* sampleText(parts: SampleParts): Generator<TextSegment> {
  const retries = condenseRetries(parts.fields);
  const { beforeEvents, afterEvents, last } = orderFields({ ...parts.fields, ...retries.fields });
  yield `{${jsonMembers(beforeEvents)},"events":`;
  yield* jsonArray(parts.events);
  yield `,${jsonMembers(afterEvents)},"attachments":{`;
  yield attachmentMembers(parts.attachments, retries.attachments);
  yield '},"events_data":{"messages":';
  yield* jsonArray(parts.messages);
  yield ',"calls":';
  yield* jsonArray(parts.calls);
  const rest = jsonMembers(last);
  yield rest ? `},${rest}}` : '}}';
}

/** Nobody pools the events of earlier attempts, but Inspect's reader looks for attachments in them [LOG-13]. */
function condenseRetries({ error_retries }: SampleFields) {
  if (error_retries === undefined) return { fields: {}, attachments: [] };
  const { attach, found } = attachmentCollector();
  const condensed = walkRetries(error_retries, longTextRule(attach, true), dataUriRule(attach, true));
  return {
    fields: { error_retries: condensed },
    attachments: listAttachments(found),
  };
}

/** `samples/7_epoch_1.json`. The id is printed raw, as Inspect does: a `/` in it is only a name inside the log. */
export function sampleMemberName(id: string | number, epoch: number): string {
  return `samples/${String(id).toWellFormed()}_epoch_${epoch}.json`;
}

interface OrderedFields {
  readonly beforeEvents: JsonObject;
  readonly afterEvents: JsonObject;
  readonly last: JsonObject;
}

function orderFields(fields: SampleFields): OrderedFields {
  const {
    id,
    epoch,
    input,
    choices,
    target,
    sandbox,
    files,
    setup,
    messages,
    output,
    scores,
    metadata,
    store,
    timelines,
    model_usage,
    role_usage,
    model_fallbacks,
    started_at,
    completed_at,
    total_time,
    working_time,
    uuid,
    invalidation,
    error,
    error_retries,
    ...last
  } = fields;
  const before = { id, epoch, input, choices, target, sandbox, files, setup, messages: messages ?? [] };
  const filled = {
    output: completeOutput(output),
    scores: completeScores(scores ?? {}),
    metadata: metadata ?? {},
    store: store ?? {},
  };
  const usage = { model_usage: model_usage ?? {}, role_usage: role_usage ?? {}, model_fallbacks };
  const times = { started_at, completed_at, total_time, working_time, uuid };
  const errors = { invalidation, error, error_retries: error_retries ?? [] };
  return {
    beforeEvents: asJson({ ...before, ...filled }),
    afterEvents: asJson({ timelines, ...usage, ...times, ...errors }),
    last: asJson(withoutTranscript(last)),
  };
}

/** Whoever hands in a whole EvalSample as fields must not get its transcript written twice. */
function withoutTranscript(fields: object): object {
  const { events: _1, attachments: _2, events_data: _3, ...rest } = fields as Record<string, Json>;
  return rest;
}

function attachmentMembers(attachments: Many<Attachment>, first: readonly Attachment[]): Many<string> {
  const written = new Set<string>();
  return Symbol.iterator in attachments
    ? attachmentMembersSync(attachments, first, written)
    : attachmentMembersAsync(attachments, first, written);
}

function* attachmentMembersSync(
  attachments: Iterable<Attachment>,
  first: readonly Attachment[],
  written: Set<string>,
): Generator<string> {
  for (const attachment of first) yield* attachmentMember(attachment, written);
  for (const attachment of attachments) yield* attachmentMember(attachment, written);
}

async function* attachmentMembersAsync(
  attachments: AsyncIterable<Attachment>,
  first: readonly Attachment[],
  written: Set<string>,
): AsyncGenerator<string> {
  for (const attachment of first) yield* attachmentMember(attachment, written);
  for await (const attachment of attachments) yield* attachmentMember(attachment, written);
}

function* attachmentMember({ hash, text }: Attachment, written: Set<string>): Generator<string> {
  if (written.has(hash)) return;
  yield `${written.size > 0 ? ',' : ''}${stringifyJson(hash)}:`;
  yield* jsonStringSlices(text);
  written.add(hash);
}

/** The documents are JSON by construction; their interfaces merely lack the index signature. */
function asJson(value: object): JsonObject {
  return value as JsonObject;
}
