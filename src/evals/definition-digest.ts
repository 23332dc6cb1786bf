/** Digests that say whether a result of an earlier run may be taken over. */
import { type Digest, digestOf, digestOfJson, type Json, toJson } from '../base/index.ts';
import type { SampleRow } from './eval.ts';
import type { PlannedEval } from './normalize-eval.ts';

/** The code behind an eval, where it is known: module by module, without comments, layout and types. */
export interface DefinitionCode {
  readonly target: Digest;
  readonly scoring: Digest;
}

export interface CodeAndInputs {
  readonly code?: DefinitionCode | undefined;
  /** What the files say that the eval declares as `inputs`. */
  readonly inputs?: Json;
  /** How models are reached that scorers may ask, where that is unusual. */
  readonly models?: Json;
}

/**
 * What decides the output of a sample besides its row and epoch: `version`, the target with all its settings (`key`), its
 * code when it is code, the files that the eval declares as `inputs`, and what is redacted.
 *
 * Without `code` a function counts by its own text alone: what it uses from outside itself is not seen.
 */
export function targetDigest(planned: PlannedEval, about: CodeAndInputs & { readonly key: Json }): Digest {
  const { key, inputs = null, code } = about;
  return digestOfJson({
    version: String(planned.version),
    key,
    inputs,
    code: codeOf(planned, code),
    redact: planned.redact.map(String),
  });
}

/** What decides the scores of an output: the scorers in order, their options, their code. */
export function scoringDigest(planned: PlannedEval, about: CodeAndInputs = {}): Digest {
  const { code, inputs = null, models } = about;
  const scorers = planned.scorers.map(({ key, name, options, source }) => ({
    key,
    name,
    options,
    ...(code ? {} : { source }),
  }));
  return digestOfJson(
    toJson({
      scorers,
      inputs,
      code: code?.scoring,
      redact: planned.redact.map(String),
      ...(models !== undefined && models !== null && { models }),
    }),
  );
}

/** What decides the numbers of a log, given the outputs: scoring, metrics and reducers. */
export function definitionDigest(planned: PlannedEval, about: CodeAndInputs = {}): Digest {
  return digestOfJson(
    toJson({
      name: planned.name,
      scoring: scoringDigest(planned, about),
      metrics: { eval: planned.metrics, scorers: planned.scorers.map((scorer) => scorer.metrics) },
      reducers: planned.epochs.reducers ?? null,
    }),
  );
}

/** A target that is described is known by its description; one that is made by code, and models that an eval brings along, by that code. */
export function codeOf({ target, bringsModels }: PlannedEval, code: DefinitionCode | undefined): Json {
  if (target.kind === 'function') return code?.target ?? digestOf(String(target.run));
  return target.kind === 'modelObject' || bringsModels ? (code?.target ?? null) : null;
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
