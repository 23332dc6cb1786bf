/** Digests that say whether a result of an earlier run may be taken over. */
import { type Digest, digestOf, digestOfJson, type Json, toJson } from '../base/index.ts';
import type { SampleRow } from './eval.ts';
import type { PlannedEval, PlannedTarget } from './normalize-eval.ts';

/** A digest for each part, so that a change can be named: "the scorers have changed". */
export interface DefinitionParts {
  readonly target: Digest;
  readonly scorers: Digest;
  readonly metrics: Digest;
  readonly epochs: Digest;
}

/**
 * Covers, and covers only:
 * - `name` and `version`;
 * - `target`: the model name and settings (of a model object its provider and id), the command with all its settings,
 *   the HTTP request template; of a function its source text. What a function reads from outside itself (imports,
 *   variables, files) is not seen: raise `version` when that changes;
 * - `scorers`, in order: key, name, options, and of a user's function its source text;
 * - `metrics`: the eval's, and those of each scorer;
 * - the names of the reducers;
 * - `redact`, when there is any: what the target and the scorers see depends on it.
 *
 * Not covered: data, filter, shuffle and limit (each sample has its own digest), the number of epochs, limits, budget,
 * concurrency, retries, failOnError, threshold, description, tags, metadata, `models` (known by
 * their names), and the release of Holdfast.
 */
export function definitionDigest(planned: PlannedEval): Digest {
  const redact = planned.redact.map(String);
  return digestOfJson({
    name: planned.name,
    version: planned.version,
    ...definitionParts(planned),
    ...(redact.length > 0 && { redact: digestOfJson(redact) }),
  });
}

export function definitionParts(planned: PlannedEval): DefinitionParts {
  const scorers = planned.scorers.map(({ key, name, options, source }) => ({ key, name, options, source }));
  const metrics = { eval: planned.metrics, scorers: planned.scorers.map((scorer) => scorer.metrics) };
  return {
    target: digestOfJson(targetContent(planned.target)),
    scorers: digestOfJson(toJson(scorers)),
    metrics: digestOfJson(toJson(metrics)),
    epochs: digestOfJson(toJson(planned.epochs.reducers ?? null)),
  };
}

/** Covers id, input, target, choices and metadata of a row. */
export function sampleContentDigest(row: SampleRow): Digest {
  return identifiedDigest(row.id, rowContentDigest(row));
}

/** Covers all of a row but its id. */
export function rowContentDigest(row: Omit<SampleRow, 'id'>): Digest {
  const { input, target, choices, metadata } = row;
  return digestOfJson(toJson({ input, target, choices, metadata }));
}

/** The digest of a sample from its id and that of its content; the kind of id counts, since code may look at it. */
export function identifiedDigest(id: string | number, content: Digest): Digest {
  return digestOf(`${typeof id} ${id}\n${content}`);
}

function targetContent(target: PlannedTarget): Json {
  switch (target.kind) {
    case 'none':
      return { kind: 'none' };
    case 'function':
      return { kind: 'function', source: digestOf(target.run.toString()) };
    case 'modelObject':
      return { kind: 'modelObject', provider: target.model.provider, model: target.model.modelId };
    default:
      return { kind: target.kind, spec: toJson(target.spec) };
  }
}
