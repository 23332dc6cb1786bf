/** What the digests of an eval are made of, each with a digest of its own: they tell what changed between two runs. */
import { digestOfJson, isJsonObject, type Json, type JsonObject, toJson } from '../base/index.ts';
import { type CodeAndInputs, codeOf } from './definition-digest.ts';
import type { PlannedEval } from './normalize-eval.ts';

/** Part names with short digests: nothing is decided by them, so that those of a log may be fewer than ours. */
export interface DefinitionParts {
  readonly target: Readonly<Record<string, string>>;
  readonly scoring: Readonly<Record<string, string>>;
}

export function definitionParts(
  planned: PlannedEval,
  about: CodeAndInputs & { readonly key: Json },
): DefinitionParts {
  const { inputs = null, code } = about;
  return {
    target: digested({
      ...partsOfKey(about.key),
      inputs,
      code: codeOf(planned, code),
      redact: planned.redact.map(String),
    }),
    scoring: scoringParts(planned, about),
  };
}

/** Those of the definition digest that its log does not say in plain words. */
export function scoringParts(planned: PlannedEval, about: CodeAndInputs): DefinitionParts['scoring'] {
  const { inputs = null, code, models = null } = about;
  return digested({
    scorers: planned.scorers.map(({ key, name, options }) => toJson([key, name, options ?? null])),
    code: code?.scoring ?? planned.scorers.map(({ source }) => toJson(source ?? null)),
    inputs,
    models,
    metrics: toJson([planned.metrics ?? null, planned.scorers.map(({ metrics }) => metrics ?? null)]),
    reducers: toJson(planned.epochs.reducers ?? null),
  });
}

/** Only a target that is a model has its prompt in plain sight: that of a function is in its code, that of a command anywhere. */
function partsOfKey(key: Json): JsonObject {
  if (!isJsonObject(key)) return { settings: key };
  const { kind = null, model = null, options, ...rest } = key;
  if (kind === 'command') {
    const { workspace = null, env = null, settings = null, ...command } = rest;
    return { kind, command, workspace, settings: [env, settings] };
  }
  const { system = null, prompt = null, ...others } = isJsonObject(options) ? options : {};
  return {
    kind,
    model,
    ...(kind === 'model' && { prompt: [system, prompt] }),
    settings: [rest, others],
  };
}

/** Enough of a digest to tell two of them apart. */
const CHARS = 16;

function digested(parts: JsonObject): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(parts).map(([name, part]) => [name, digestOfJson(part ?? null).slice(0, CHARS)]),
  );
}
