import { isAbsolute, join } from 'node:path';
import { type RecipeInput, type RecipeParts, recipeOf, type UnitRecipe } from '../../artifacts/index.ts';
import {
  type Digest,
  definedOf,
  digestOfJson,
  type Json,
  type JsonObject,
  UsageError,
} from '../../base/index.ts';
import { type Disk, digestOfFile } from '../../disk/index.ts';
import { type Artifact, artifactName, inputKind } from '../../evals/index.ts';
import { digestOfTree } from '../../targets/index.ts';

/** An artifact with all that decides what it should be: its files were read, and the recipes of its inputs are known. */
export interface ArtifactPlan {
  readonly artifact: Artifact;
  readonly unit: UnitRecipe;
  readonly parts: RecipeParts;
  /** What a build gets, by name; of an input that is an artifact its own plan. */
  readonly inputs: ReadonlyMap<string, PlannedInput>;
}

export type PlannedInput =
  | { readonly kind: 'path'; readonly path: string }
  | { readonly kind: 'value'; readonly value: Json }
  | { readonly kind: 'artifact'; readonly plan: ArtifactPlan };

/** Makes the recipes of an eval's artifacts. No file is read twice, however many samples need it. */
export class ArtifactPlans {
  readonly #disk: Disk;
  readonly #baseDir: string;
  readonly #files = new Map<string, Promise<Omit<RecipeInput, 'name'>>>();
  readonly #plans = new Map<string, Promise<ArtifactPlan>>();

  constructor({ disk, baseDir }: { readonly disk: Disk; readonly baseDir: string }) {
    this.#disk = disk;
    this.#baseDir = baseDir;
  }

  /** Artifacts that say the same are one, whoever made them. */
  of(artifact: Artifact): Promise<ArtifactPlan> {
    const text = textOf(artifact);
    const known = this.#plans.get(text) ?? this.#plan(artifact);
    this.#plans.set(text, known);
    return known;
  }

  async #plan(artifact: Artifact): Promise<ArtifactPlan> {
    const { kind, key, version, model } = artifact;
    const inputs = new Map<string, PlannedInput>();
    const declared: RecipeInput[] = [];
    const values: Record<string, Json> = {};
    for (const [name, given] of Object.entries(artifact.inputs)) {
      const input = inputKind(given);
      if (input.kind === 'value') {
        values[name] = input.value;
        inputs.set(name, input);
      } else if (input.kind === 'artifact') {
        const plan = await this.of(input.artifact);
        declared.push({ name, kind: 'artifact', digest: plan.unit.recipe });
        inputs.set(name, { kind: 'artifact', plan });
      } else {
        const path = isAbsolute(input.file) ? input.file : join(this.#baseDir, input.file);
        declared.push({ name, ...(await this.#read(path, { artifact, name, file: input.file })) });
        inputs.set(name, { kind: 'path', path });
      }
    }
    const parameters: JsonObject = definedOf({
      model,
      values: Object.keys(values).length === 0 ? undefined : values,
    });
    const parts = { kind, key, version, inputs: declared, parameters };
    return { artifact, unit: recipeOf(parts), parts, inputs };
  }

  #read(path: string, about: FileOf): Promise<Omit<RecipeInput, 'name'>> {
    const known = this.#files.get(path) ?? readInput(this.#disk, path, about);
    this.#files.set(path, known);
    return known;
  }
}

interface FileOf {
  readonly artifact: Artifact;
  readonly name: string;
  readonly file: string;
}

async function readInput(disk: Disk, path: string, about: FileOf): Promise<Omit<RecipeInput, 'name'>> {
  const kind = (await disk.stat(path))?.kind;
  if (kind === 'directory') return { kind: 'folder', digest: await digestOfTree(disk, path) };
  if (kind === 'file') return { kind: 'file', digest: await digestOfFile(disk, path) };
  throw new UsageError({
    code: 'E_INPUT_MISSING',
    message: `The artifact ${artifactName(about.artifact)} declares "${about.file}" as its input ${about.name}, but there is no file or folder ${path}.`,
    hint: 'Correct the path, which starts at the folder of the eval file.',
  });
}

/** What tells artifacts apart before anything is read. */
export function textOf(artifact: Artifact): Digest {
  const { kind, key, version, model = null } = artifact;
  const inputs = Object.entries(artifact.inputs).map(([name, given]): Json => {
    const input = inputKind(given);
    if (input.kind === 'artifact') return [name, 'artifact', textOf(input.artifact)];
    return input.kind === 'file' ? [name, 'file', input.file] : [name, 'value', input.value];
  });
  return digestOfJson([kind, key, version, model, inputs]);
}
