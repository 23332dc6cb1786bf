/** What users write of artifacts, as types. `defineArtifact` infers what a build gets from the inputs that it declares. */
import type { Json } from '../../base/index.ts';
import type { Awaitable, Generate, OwnCalls, SdkModel } from '../eval.ts';

/** A file or a folder that a build reads, relative to the eval file: what it says is part of the recipe. */
export interface FileInput {
  readonly file: string;
}

/** Plain data that a build depends on. */
export interface ValueInput<Value extends Json = Json> {
  readonly value: Value;
}

/** What a build depends on: a file or folder, plain data, or another artifact. */
export type ArtifactInput = FileInput | ValueInput | Artifact;

export type ArtifactInputs = Readonly<Record<string, ArtifactInput>>;

/** Of a file or an artifact its path, of data the data. */
export type BuildInput<Input> = Input extends ValueInput<infer Value> ? Value : string;

/** What a build gets. Its calls are recorded as those of a sample: a build that was killed does not pay twice for its answers. */
export interface BuildContext<Inputs extends ArtifactInputs = ArtifactInputs> extends OwnCalls {
  /** An empty folder to fill. What is in it when the build is done becomes the artifact. */
  readonly dir: string;
  readonly inputs: { readonly [Name in keyof Inputs]: BuildInput<Inputs[Name]> };
  readonly generate: Generate;
  /** The model that the artifact names. */
  readonly model: SdkModel;
  /** Aborted when the build must stop. */
  readonly signal: AbortSignal;
  /** Adds a note to the build's transcript. */
  readonly info: (data: Json, source?: string) => void;
}

export interface ArtifactDefinition<Inputs extends ArtifactInputs = ArtifactInputs> {
  /** What sort of thing it is: `knowledge`. */
  readonly kind: string;
  /** Which one of its kind: the name of a database. */
  readonly key: string;
  /** The version of what `build` does. Another version is another recipe; the text of the code is not looked at. */
  readonly version: string | number;
  readonly inputs?: Inputs;
  /** The model that `generate` asks in a build; part of the recipe. */
  readonly model?: string;
  build(context: BuildContext<Inputs>): Awaitable<unknown>;
}

/** Something expensive that samples share, with all that decides what it should be. */
export interface Artifact {
  readonly artifact: 1;
  readonly kind: string;
  readonly key: string;
  readonly version: string;
  readonly inputs: ArtifactInputs;
  readonly model?: string;
  build(context: BuildContext): Awaitable<unknown>;
}

/** An artifact that a sample needs, and how it may come to be. */
export interface ArtifactNeed {
  readonly artifact: Artifact;
  /** false: it must be there already; a run that lacks it is refused before anything is spent. Default true. */
  readonly build?: boolean;
  /** Caches or exported folders from which it may be taken when it is not here, relative to the eval file. */
  readonly seed?: string | readonly string[];
}

export type Requirement = Artifact | ArtifactNeed;

/** What a sample or all samples of an eval need. */
export type Requirements = Requirement | readonly Requirement[] | undefined;
