import { z } from 'zod';
import {
  type Digest,
  digestOf,
  isJsonObject,
  type Json,
  type JsonObject,
  toJson,
  tryParseJson,
} from '../base/index.ts';
import { canonicalJson } from './canonical-json.ts';
import { clashIn, problemOfPath } from './file-paths.ts';
import { type GenerationId, isGenerationId } from './generation.ts';
import { ARTIFACT_FORMAT, problemOfParts, type RecipeInput, recipeOf, sortedInputs } from './recipe.ts';

/** A file of a generation. */
export interface ArtifactFile {
  /** Below the generation's `files`, with `/`. */
  readonly path: string;
  readonly size: number;
  readonly sha256: string;
  readonly executable: boolean;
}

/** What a build cost; `usd` is null when the price of a call is not known. */
export interface BuildCost {
  readonly usd: number | null;
  readonly tokens: number;
  readonly calls: number;
}

/** Who built it: nothing here names a machine or a user. */
export interface Producer {
  /** The version of Holdfast. */
  readonly version: string;
  /** The id of the run that needed it, or `build`. */
  readonly run: string;
  /** The writer of the run, or what else tells this process from others. */
  readonly writer: string;
}

/** For an input that is an artifact, which generation of it was read: it is recorded, and no part of the recipe [ART-2]. */
export interface ManifestInput extends RecipeInput {
  readonly used?: { readonly generation: string; readonly digest: string };
}

/** What a generation is, and the digest of every file of it. Written last [ART-3]. */
export interface Manifest {
  readonly format: typeof ARTIFACT_FORMAT;
  readonly kind: string;
  readonly key: string;
  readonly version: string;
  readonly parameters: JsonObject;
  readonly inputs: readonly ManifestInput[];
  readonly recipe: Digest;
  readonly generation: GenerationId;
  readonly supersedes: readonly string[];
  /** When it was committed; for people, and never compared. */
  readonly created: string;
  readonly producer: Producer;
  readonly cost: BuildCost;
  readonly notes?: string;
  readonly files: readonly ArtifactFile[];
  /** SHA-256 of all the rest in canonical form: what runs pin. */
  readonly digest: Digest;
}

export type ManifestDraft = Omit<Manifest, 'format' | 'recipe' | 'digest'>;

/** A whole manifest of what a build left: its recipe and its digest follow from the rest. */
export function makeManifest(draft: ManifestDraft): Manifest {
  const { recipe } = recipeOf(draft);
  const inputs = sortedInputs(draft.inputs);
  const rest = { ...draft, inputs, format: ARTIFACT_FORMAT, recipe } as const;
  return { ...rest, digest: digestOf(canonicalJson(toJson(rest))) };
}

/** Its bytes, which are the same for the same manifest. */
export function encodeManifest(manifest: Manifest): Uint8Array {
  return Buffer.from(`${canonicalJson(toJson(manifest))}\n`);
}

/** Why bytes are no manifest. `isNewer`: a later version of Holdfast wrote it. */
export interface ManifestProblem {
  readonly reason: string;
  readonly isNewer: boolean;
}

/** [ART-5] Any bytes give a manifest that is whole and true to its own digest and recipe, or what is wrong with them. */
export function decodeManifest(bytes: Uint8Array): Manifest | ManifestProblem {
  const value = tryParseJson(bytes);
  if (!isJsonObject(value)) return problem('its manifest is no JSON object');
  if (typeof value.format === 'number' && value.format > ARTIFACT_FORMAT)
    return {
      reason: `its manifest has format ${value.format}, which a newer version of Holdfast wrote: update Holdfast`,
      isNewer: true,
    };
  const { digest, ...rest } = value;
  if (digest !== digestOf(canonicalJson(rest))) return problem('its manifest does not fit its own digest');
  const parsed = manifestSchema.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return problem(`its manifest is wrong at ${issue?.path.join('.') || 'its top'}: ${issue?.message}`);
  }
  const manifest: Manifest = parsed.data;
  return problemOfManifest(manifest) ?? manifest;
}

export function isManifest(value: Manifest | ManifestProblem): value is Manifest {
  return 'digest' in value;
}

function problemOfManifest(manifest: Manifest): ManifestProblem | undefined {
  const paths = manifest.files.map(({ path }) => path);
  if (paths.some((path, at) => at > 0 && path <= (paths[at - 1] ?? '')))
    return problem('its manifest does not name its files in order');
  for (const path of paths) {
    const wrong = problemOfPath(path);
    if (wrong !== undefined) return problem(`its manifest names ${JSON.stringify(path)}, which ${wrong}`);
  }
  const clash = clashIn(paths);
  if (clash)
    return problem(
      `its manifest names ${clash.map((path) => JSON.stringify(path)).join(' and ')}, which clash`,
    );
  const wrong = problemOfParts(manifest);
  if (wrong !== undefined) return problem(`its manifest is wrong: ${wrong}`);
  if (recipeOf(manifest).recipe !== manifest.recipe)
    return problem('its manifest does not fit its own recipe');
  return undefined;
}

function problem(reason: string): ManifestProblem {
  return { reason, isNewer: false };
}

const digestSchema = z.custom<Digest>((value) => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value));
const generationSchema = z.custom<GenerationId>(
  (value) => typeof value === 'string' && isGenerationId(value),
);
const objectSchema = z.custom<JsonObject>((value) => isJsonObject(value as Json));
const countSchema = z.int().min(0);
const word = z.string().min(1);

/** Words that it does not know are refused by the digest's side: they are part of it, and format 1 has no others. */
const manifestSchema = z.strictObject({
  format: z.literal(ARTIFACT_FORMAT),
  kind: word,
  key: word,
  version: word,
  parameters: objectSchema,
  inputs: z.array(
    z.strictObject({
      name: word,
      kind: z.enum(['file', 'folder', 'value', 'artifact']),
      digest: digestSchema,
      used: z.strictObject({ generation: z.string(), digest: digestSchema }).exactOptional(),
    }),
  ),
  recipe: digestSchema,
  generation: generationSchema,
  supersedes: z.array(generationSchema),
  created: word,
  producer: z.strictObject({ version: word, run: word, writer: word }),
  cost: z.strictObject({ usd: z.number().min(0).nullable(), tokens: countSchema, calls: countSchema }),
  notes: z.string().exactOptional(),
  files: z
    .array(z.strictObject({ path: word, size: countSchema, sha256: digestSchema, executable: z.boolean() }))
    .min(1),
  digest: digestSchema,
});
