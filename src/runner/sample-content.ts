import { definedOf, isJsonObject, type JsonObject, parseJson, stringifyJson, toJson } from '../base/index.ts';
import type { SampleRow } from '../evals/index.ts';
import type { ChatMessage, SampleFields } from '../log/index.ts';
import { withMark } from '../reuse/index.ts';
import type { PlannedSample } from './plan.ts';

/** The input as the log shows it: text as it is, anything else as its JSON. */
export function sampleInput(row: SampleRow): string {
  return asText(row.input);
}

/** The log knows a text or a list of texts. */
export function sampleTarget(row: SampleRow): string | readonly string[] {
  if (row.target === undefined || row.target === null) return '';
  return Array.isArray(row.target) ? row.target.map(asText) : asText(row.target);
}

/** The row's own metadata, and ours under one name: what says whether a result can stand for another run's. */
export function sampleMetadata(row: SampleRow, planned: PlannedSample): JsonObject {
  return {
    ...(toJson(row.metadata ?? {}) as JsonObject),
    holdfast: {
      key: planned.key,
      asked: planned.asked,
      content: planned.content,
      ...definedOf({ artifacts: planned.artifacts }),
    },
  };
}

/**
 * The log shows an output as text. One that was no text is marked, so that whoever scores it again gets back what the
 * target returned.
 */
export function withOutputKind(metadata: JsonObject, output: unknown): JsonObject {
  return typeof output === 'string' ? metadata : withMark(metadata, { output: 'json' });
}

/** The output that a log holds, as the target returned it. */
export function recordedOutput({ output, metadata }: Pick<SampleFields, 'output' | 'metadata'>): unknown {
  const text = output.completion ?? messageText(output.choices[0]?.message);
  const ours = metadata.holdfast;
  return isJsonObject(ours) && ours.output === 'json' ? parseJson(text) : text;
}

/** The row that a log holds: input and target are texts there, whatever they were before. */
export function recordedRow(fields: SampleFields): SampleRow {
  const { holdfast: _ours, ...metadata } = fields.metadata;
  return {
    id: fields.id,
    input: typeof fields.input === 'string' ? fields.input : fields.input.map(messageText).join('\n'),
    ...(fields.target === '' ? {} : { target: fields.target }),
    ...(fields.choices ? { choices: fields.choices } : {}),
    metadata,
  };
}

function messageText(message: ChatMessage | undefined): string {
  if (!message) return '';
  if (typeof message.content === 'string') return message.content;
  return message.content.map((part) => (typeof part.text === 'string' ? part.text : '')).join('');
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : stringifyJson(toJson(value));
}
