/** Metrics as they are named in evals and logs, read into one form. */
import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../base/index.ts';

export interface MetricSpec {
  readonly name: string;
  readonly options: JsonObject;
}

/** Metrics for the whole value, and metrics for keys of record values (a key may be a glob such as `*`). */
export interface MetricPlan {
  readonly simple: readonly MetricSpec[];
  readonly byKey: readonly ReadonlyMap<string, readonly MetricSpec[]>[];
  /** False when only metrics by key were asked for: then there is no result for the whole value. */
  readonly hasWhole: boolean;
}

export const DEFAULT_METRICS: MetricPlan = {
  simple: [
    { name: 'accuracy', options: {} },
    { name: 'stderr', options: {} },
  ],
  byKey: [],
  hasWhole: true,
};

/**
 * Reads `["accuracy", { name: "stderr", options: { cluster: "topic" } }]`, a record of lists by key, or a list that
 * holds such records. What is none of these is left out.
 */
export function readMetricPlan(metrics: Json | undefined): MetricPlan {
  if (isJsonObject(metrics) && typeof metrics.name !== 'string') {
    return { simple: [], byKey: [readByKey(metrics)], hasWhole: false };
  }
  const items = isJsonArray(metrics) ? metrics : metrics === undefined || metrics === null ? [] : [metrics];
  const simple: MetricSpec[] = [];
  const byKey: ReadonlyMap<string, readonly MetricSpec[]>[] = [];
  for (const item of items) {
    const spec = readMetricSpec(item);
    if (spec !== undefined) simple.push(spec);
    else if (isJsonObject(item)) byKey.push(readByKey(item));
  }
  return { simple, byKey, hasWhole: true };
}

/** A metric by name, or by name with options (`params` is how Inspect writes a metric inside another). */
export function readMetricSpec(item: Json | undefined): MetricSpec | undefined {
  if (typeof item === 'string') return { name: item, options: {} };
  if (!isJsonObject(item) || typeof item.name !== 'string') return undefined;
  const options = item.options ?? item.params;
  return { name: item.name, options: isJsonObject(options) ? options : {} };
}

/** `inspect_ai/accuracy` → `accuracy`: how the log names it. Other packages keep their prefix. */
export function logName(name: string): string {
  return name.startsWith('inspect_ai/') ? name.slice('inspect_ai/'.length) : name;
}

/** The name without any package: how results are keyed. */
export function shortName(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1);
}

function readByKey(record: JsonObject): ReadonlyMap<string, readonly MetricSpec[]> {
  const result = new Map<string, readonly MetricSpec[]>();
  for (const [key, list] of Object.entries(record)) result.set(key, readMetricPlan(list).simple);
  return result;
}
