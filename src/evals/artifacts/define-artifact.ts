import { definedOf, type Json, packagePage, toJson, UsageError } from '../../base/index.ts';
import { problemSentence, problemsOf } from '../check-definition.ts';
import type {
  Artifact,
  ArtifactDefinition,
  ArtifactInput,
  ArtifactInputs,
  BuildContext,
} from './artifact.ts';
import { artifactSchema } from './artifact-schema.ts';

/**
 * Defines something expensive that samples share: a knowledge file that a model writes for one database, an index, a container's
 * set-up. It is built once for all processes and runs, kept in a cache, and checked each time it is used.
 *
 * What is wrong with the definition is said at once, before anything runs.
 */
export function defineArtifact<const Inputs extends ArtifactInputs = Record<never, never>>(
  definition: ArtifactDefinition<Inputs>,
): Artifact {
  const problems = problemsOf(artifactSchema, definition);
  if (problems.length > 0) throw invalidArtifact(definition, problemSentence(problems, 'it'));
  const { kind, key, version, inputs = {}, model } = definition;
  return Object.freeze({
    artifact: 1,
    kind,
    key,
    version: String(version),
    inputs: Object.freeze({ ...inputs }),
    ...definedOf({ model }),
    // The inputs that it gets are those that it declared: the type of the whole list forgets which.
    build: (context: BuildContext) => definition.build(context as BuildContext<Inputs>),
  });
}

export function isArtifact(value: unknown): value is Artifact {
  return typeof value === 'object' && value !== null && Reflect.get(value, 'artifact') === 1;
}

/** What an input is, each kind with its own word. */
export function inputKind(
  input: ArtifactInput,
):
  | { readonly kind: 'artifact'; readonly artifact: Artifact }
  | { readonly kind: 'file'; readonly file: string }
  | { readonly kind: 'value'; readonly value: Json } {
  if (isArtifact(input)) return { kind: 'artifact', artifact: input };
  if ('file' in input) return { kind: 'file', file: input.file };
  return { kind: 'value', value: toJson(input.value) };
}

/** How people read it: `knowledge/california_schools`. */
export function artifactName({ kind, key }: Pick<Artifact, 'kind' | 'key'>): string {
  return `${kind}/${key}`;
}

function invalidArtifact(definition: unknown, sentence: string): UsageError {
  const name = nameOf(definition);
  return new UsageError({
    code: 'E_ARTIFACT_INVALID',
    message: name === undefined ? `In an artifact, ${sentence}` : `In the artifact "${name}", ${sentence}`,
    hint: `Correct the definition; ${packagePage('guide/artifacts.md')} lists every word it can have.`,
  });
}

function nameOf(definition: unknown): string | undefined {
  if (typeof definition !== 'object' || definition === null) return undefined;
  const [kind, key]: unknown[] = [Reflect.get(definition, 'kind'), Reflect.get(definition, 'key')];
  return typeof kind === 'string' && typeof key === 'string' ? artifactName({ kind, key }) : undefined;
}
