import {
  bySampleOrder,
  digestOfJson,
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonObject,
  type SampleId,
} from '../base/index.ts';
import {
  addUsage,
  type EvalSampleSummary,
  type EvalSpec,
  type EvalStats,
  type LogHeader,
  type ModelUsage,
} from '../log/index.ts';
import { ACCOUNT_KEY } from '../seal/index.ts';
import { rankOf } from './sample-rank.ts';

/** The key of a log's metadata under which a merge says what it was made from. */
export const PROVENANCE_KEY = 'holdfast_merged';

/**
 * The header of a merged log. All of it follows from the set of headers and the chosen samples, so that merging again,
 * or in another order, gives the same: times are those of the logs, not of the merge. `isLacking`: samples are missing
 * that a log once held.
 */
export function mergedHeader(
  headers: readonly LogHeader[],
  summaries: readonly EvalSampleSummary[],
  { isLacking = false }: { readonly isLacking?: boolean } = {},
): LogHeader {
  const ordered = [...headers].sort(byAge);
  const [base] = ordered;
  if (!base) throw new RangeError('a merge has at least one log');
  const spec = mergedSpec(base.eval, ordered);
  const isWhole = !isLacking && isEverySampleThere(spec, summaries);
  const { error: _1, results: _2, ...rest } = base;
  return {
    ...rest,
    status: isWhole ? 'success' : 'error',
    eval: { ...spec, metadata: mergedMetadata(spec.metadata, ordered) },
    stats: mergedStats(ordered, summaries),
    ...(isWhole ? {} : { error: INCOMPLETE }),
    invalidated: ordered.some(({ invalidated }) => invalidated),
    tags: [...new Set(ordered.flatMap(({ tags }) => tags))].sort(),
    metadata: mergedMetadata(base.metadata, ordered),
  };
}

/** The account of one run says nothing of what several became. */
function mergedMetadata(metadata: JsonObject | undefined, headers: readonly LogHeader[]): JsonObject {
  const { [ACCOUNT_KEY]: _, ...rest } = metadata ?? {};
  return { ...rest, [PROVENANCE_KEY]: provenanceOf(headers) };
}

/** Which logs a log was made from; a log that was merged itself stands for those it was made from. */
export function provenanceOf(headers: readonly LogHeader[]): readonly Json[] {
  const sources = new Map<string, Json>();
  for (const header of headers) {
    const earlier = header.metadata[PROVENANCE_KEY];
    const entries = isJsonArray(earlier) ? earlier.filter(isJsonObject) : [sourceOf(header)];
    for (const entry of entries) sources.set(digestOfJson(entry), entry);
  }
  return [...sources.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, entry]) => entry);
}

function sourceOf({ eval: spec, status }: LogHeader): JsonObject {
  return {
    eval_id: spec.eval_id,
    run_id: spec.run_id,
    task_id: spec.task_id,
    created: spec.created,
    status,
  };
}

/** Shards may each name only their own samples: together they name all. */
function mergedSpec(base: EvalSpec, headers: readonly LogHeader[]): EvalSpec {
  const sampleIds = unionOfIds(headers.flatMap(({ eval: spec }) => spec.dataset.sample_ids ?? []));
  const isSame = sampleIds.length === (base.dataset.sample_ids?.length ?? 0);
  const samples = Math.max(...headers.map(({ eval: spec }) => spec.dataset.samples ?? 0), sampleIds.length);
  const epochs = Math.max(...headers.map(({ eval: spec }) => spec.config.epochs ?? 1));
  return {
    ...base,
    dataset: {
      ...base.dataset,
      ...(samples > 0 && { samples }),
      ...(sampleIds.length > 0 && !isSame && { sample_ids: sampleIds }),
    },
    config: { ...base.config, epochs },
  };
}

/** In the order of samples. Where logs say 1 and "1", which are one sample, the number stays. */
function unionOfIds(all: readonly SampleId[]): readonly SampleId[] {
  const ids = new Map<string, SampleId>();
  for (const id of all) if (typeof id === 'number' || !ids.has(id)) ids.set(String(id), id);
  return [...ids.values()].sort((a, b) => bySampleOrder({ id: a, epoch: 1 }, { id: b, epoch: 1 }));
}

function isEverySampleThere(spec: EvalSpec, summaries: readonly EvalSampleSummary[]): boolean {
  const complete = summaries.filter((summary) => rankOf(summary) === 'complete').length;
  const { sample_ids: ids, samples } = spec.dataset;
  const expected = (ids?.length || samples || 0) * (spec.config.epochs ?? 1);
  return complete === summaries.length && complete >= expected && complete > 0;
}

function mergedStats(headers: readonly LogHeader[], summaries: readonly EvalSampleSummary[]): EvalStats {
  const models = new Map<string, ModelUsage>();
  const roles = new Map<string, ModelUsage>();
  for (const summary of summaries) {
    addAll(models, summary.model_usage);
    addAll(roles, summary.role_usage);
  }
  const starts = headers.map(({ stats, eval: spec }) => stats.started_at || spec.created);
  const ends = headers.map(({ stats }) => stats.completed_at);
  return {
    started_at: starts.sort(byTime)[0] ?? '',
    completed_at: ends.sort(byTime).at(-1) ?? '',
    model_usage: Object.fromEntries(models),
    role_usage: Object.fromEntries(roles),
    connection_limit_history: [],
  };
}

/** Machines write times in zones of their own, which cannot be compared as texts. No time at all comes first. */
function byTime(a: string, b: string): number {
  const [left, right] = [Date.parse(a) || 0, Date.parse(b) || 0];
  return left - right || (a < b ? -1 : a > b ? 1 : 0);
}

function addAll(into: Map<string, ModelUsage>, usage: Readonly<Record<string, ModelUsage>>): void {
  for (const [name, item] of Object.entries(usage ?? {})) into.set(name, addUsage(into.get(name), item));
}

/** The oldest log gives its name to the whole. */
function byAge({ eval: a }: LogHeader, { eval: b }: LogHeader): number {
  const [left, right] = [`${a.eval_id} ${a.run_id}`, `${b.eval_id} ${b.run_id}`];
  return byTime(a.created, b.created) || (left < right ? -1 : left > right ? 1 : 0);
}

const INCOMPLETE = {
  message: 'Not every sample of the merged logs is complete',
  traceback: 'Merged from logs that did not all finish.\n',
  traceback_ansi: 'Merged from logs that did not all finish.\n',
};
