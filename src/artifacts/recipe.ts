import { type Digest, digestOf, type JsonObject, UsageError } from '../base/index.ts';
import { canonicalJson } from './canonical-json.ts';

/** The version of the format of recipes and manifests (docs/format/artifacts.md). */
export const ARTIFACT_FORMAT = 1;

export type InputKind = 'file' | 'folder' | 'value' | 'artifact';

/** One thing that a build depends on. For an artifact, `digest` is its recipe, whatever generation of it was used. */
export interface RecipeInput {
  readonly name: string;
  readonly kind: InputKind;
  readonly digest: string;
}

/** Everything that decides what a build should give: equal parts have one recipe, on every machine. */
export interface RecipeParts {
  readonly kind: string;
  readonly key: string;
  /** The version of the code that builds it. */
  readonly version: string;
  readonly inputs: readonly RecipeInput[];
  readonly parameters: JsonObject;
}

/** What is built: (kind, key). */
export interface Unit {
  readonly kind: string;
  readonly key: string;
}

/** A recipe and where its generations are: below their unit. */
export interface UnitRecipe extends Unit {
  readonly recipe: Digest;
}

/** [ART-2] The recipe of what a build depends on. The order in which inputs are named does not matter. */
export function recipeOf(parts: RecipeParts): UnitRecipe {
  const problem = problemOfParts(parts);
  if (problem !== undefined) {
    throw new UsageError({
      code: 'E_ARTIFACT_RECIPE',
      message: `${JSON.stringify(unitText(parts))} cannot be an artifact: ${problem}.`,
      hint: `Give it a kind, a key and a version of 1 to ${WORD_LENGTH_MAX} characters each, and every input a name of its own.`,
    });
  }
  const { kind, key, version, parameters } = parts;
  const inputs = sortedInputs(parts.inputs).map(({ name, kind: inputKind, digest }) => ({
    name,
    kind: inputKind,
    digest,
  }));
  const counted = { format: ARTIFACT_FORMAT, kind, key, version, inputs, parameters };
  return { kind, key, recipe: digestOf(canonicalJson(counted)) };
}

/** How people read a unit: `knowledge/california_schools`. */
export function unitText({ kind, key }: Unit): string {
  return `${kind}/${key}`;
}

export function sortedInputs<T extends RecipeInput>(inputs: readonly T[]): readonly T[] {
  return inputs.toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

/** Why parts have no recipe; undefined when they have one. A name that is there twice would leave open which input counts. */
export function problemOfParts(parts: RecipeParts): string | undefined {
  for (const word of ['kind', 'key', 'version'] as const) {
    const text = parts[word];
    if (text === '') return `its ${word} is empty`;
    if (!text.isWellFormed()) return `its ${word} is not valid Unicode`;
    if (text.length > WORD_LENGTH_MAX) return `its ${word} is longer than ${WORD_LENGTH_MAX} characters`;
  }
  const sorted = sortedInputs(parts.inputs);
  const twice = sorted.find(({ name }, at) => name === sorted[at + 1]?.name);
  return twice && `it names two inputs ${JSON.stringify(twice.name)}`;
}

const WORD_LENGTH_MAX = 1_000;
