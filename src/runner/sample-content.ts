import { type JsonObject, stringifyJson, toJson } from '../base/index.ts';
import type { SampleRow } from '../evals/index.ts';
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
  return { ...row.metadata, holdfast: { key: planned.key, content: planned.content } };
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : stringifyJson(toJson(value));
}
