import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../base/index.ts';
import { completeHeader } from './always-written.ts';
import { deriveEvalId } from './eval-id.ts';
import { logHeader } from './kinds/header-kinds.ts';
import { isSound, Wrong } from './kinds/kind.ts';
import { sampleReductions } from './kinds/sample-kinds.ts';
import { logErrors } from './log-errors.ts';
import { migrateResults, migrateSpec, migrateStats } from './migrate.ts';
import type { EvalSampleReductions, LogHeader } from './schema.ts';

/** Versions 1 and 2 are Inspect's; 3 existed for three days in March 2026 and is read as well [LOG-22]. */
const VERSION_MAX = 3;

/** A header with every key that readers count on. `found` is the JSON of the file, of whatever time. */
export function readHeader(found: JsonObject, path: string): LogHeader {
  const { samples: _1, reductions: _2, ...header } = found;
  if (!isJsonObject(header.eval)) throw logErrors.foreign(path, 'it has no "eval" object');
  if (typeof header.version === 'number' && header.version > VERSION_MAX)
    throw logErrors.newer(path, header.version);
  const spec = migrateSpec(header.eval);
  const results = migrateResults(header.results);
  const known = logHeader({
    ...withoutNulls(header),
    eval: spec,
    results: isJsonObject(results) ? results : undefined,
    stats: isJsonObject(header.stats) ? migrateStats(header.stats) : undefined,
    tags: header.tags ?? spec.tags,
    metadata: header.metadata ?? spec.metadata,
  });
  if (known instanceof Wrong)
    throw logErrors.shape(path, 'header.json', `is no header of a log: ${known.reason}`);
  const complete = completeHeader(known);
  if (complete.eval.eval_id !== '') return complete;
  return { ...complete, eval: { ...complete.eval, eval_id: deriveEvalId(complete.eval) } };
}

/** Reductions are a member or key of their own, or part of the results of an old log. */
export function readReductions(
  reductions: Json | undefined,
  results: Json | undefined,
): readonly EvalSampleReductions[] | undefined {
  const found = reductions ?? (isJsonObject(results) ? results.sample_reductions : undefined);
  return isJsonArray(found) ? found.map(sampleReductions).filter(isSound) : undefined;
}

/** A model's field that is null is the same as one that is missing. */
function withoutNulls(value: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(value).filter(([, item]) => item !== null));
}
