import type { Json } from '../base/index.ts';
import { canonicalJson } from './canonical-json.ts';
import type { ArtifactFile, Manifest } from './manifest.ts';

/** Something that two generations say differently; undefined where one says nothing. */
export interface Difference {
  /** `version`, `kind`, `key`, `parameters.<name>` or `inputs.<name>`. */
  readonly what: string;
  readonly before: Json | undefined;
  readonly after: Json | undefined;
}

export interface ManifestDiff {
  /** Why their recipes differ; empty when they have one recipe. */
  readonly recipe: readonly Difference[];
  /** Inputs that are artifacts, of which another generation was read: the recipe does not count these. */
  readonly used: readonly Difference[];
  readonly files: {
    readonly added: readonly string[];
    readonly removed: readonly string[];
    readonly changed: readonly string[];
    readonly same: number;
  };
}

/** What differs between two generations: what they were made of, and what came out. */
export function diffManifests(before: Manifest, after: Manifest): ManifestDiff {
  const inputs = ({ inputs: all }: Manifest) =>
    new Map(all.map(({ name, kind, digest }) => [name, `${kind} ${digest}`] as const));
  const used = ({ inputs: all }: Manifest) =>
    new Map(all.flatMap(({ name, used: one }) => (one ? [[name, one.generation] as const] : [])));
  const words = ({ kind, key, version }: Manifest) => new Map(Object.entries({ kind, key, version }));
  const parameters = (manifest: Manifest) => new Map(Object.entries(manifest.parameters));
  return {
    recipe: [
      ...differences('', words(before), words(after)),
      ...differences('parameters.', parameters(before), parameters(after)),
      ...differences('inputs.', inputs(before), inputs(after)),
    ],
    used: differences('inputs.', used(before), used(after)),
    files: diffFiles(before.files, after.files),
  };
}

function differences(
  prefix: string,
  before: ReadonlyMap<string, Json | undefined>,
  after: ReadonlyMap<string, Json | undefined>,
): Difference[] {
  const names = [...new Set([...before.keys(), ...after.keys()])].sort();
  return names.flatMap((name) => {
    const [one, two] = [before.get(name), after.get(name)];
    return textOf(one) === textOf(two) ? [] : [{ what: `${prefix}${name}`, before: one, after: two }];
  });
}

function textOf(value: Json | undefined): string | undefined {
  return value === undefined ? undefined : canonicalJson(value);
}

function diffFiles(before: readonly ArtifactFile[], after: readonly ArtifactFile[]): ManifestDiff['files'] {
  const identity = ({ sha256, executable }: ArtifactFile) => `${sha256} ${executable}`;
  const old = new Map(before.map((file) => [file.path, identity(file)]));
  const now = new Set(after.map(({ path }) => path));
  const changed = after.filter((file) => old.has(file.path) && old.get(file.path) !== identity(file));
  const added = after.filter(({ path }) => !old.has(path));
  return {
    added: added.map(({ path }) => path),
    removed: before.map(({ path }) => path).filter((path) => !now.has(path)),
    changed: changed.map(({ path }) => path),
    same: after.length - added.length - changed.length,
  };
}
