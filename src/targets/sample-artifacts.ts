import { UsageError } from '../base/index.ts';
import { type ArtifactFolder, artifactName } from '../evals/index.ts';

/** A folder with a verified generation of an artifact. */
export interface ArtifactPlace {
  readonly kind: string;
  readonly key: string;
  readonly dir: string;
}

/** The artifacts of one sample: what it may read, and nothing else. */
export interface SampleArtifacts {
  readonly folder: ArtifactFolder;
  /** For programs: the folders by kind, where a sample has one of it, and all of them as JSON. */
  readonly env: Readonly<Record<string, string>>;
}

export function sampleArtifacts(places: readonly ArtifactPlace[]): SampleArtifacts {
  const byName = new Map(places.map((place) => [artifactName(place), place.dir]));
  return {
    folder: (artifact) => {
      const dir = byName.get(artifactName(artifact));
      if (dir === undefined) throw notRequired(artifactName(artifact), [...byName.keys()]);
      return dir;
    },
    env: places.length === 0 ? {} : environmentOf(places, byName),
  };
}

export const NO_ARTIFACTS: SampleArtifacts = sampleArtifacts([]);

function environmentOf(
  places: readonly ArtifactPlace[],
  byName: ReadonlyMap<string, string>,
): Readonly<Record<string, string>> {
  const kinds = Map.groupBy(places, ({ kind }) => kind);
  const only = [...kinds].flatMap(([kind, [first, ...more]]) =>
    first !== undefined && more.length === 0 ? [[variableOf(kind), first.dir] as const] : [],
  );
  return { ...Object.fromEntries(only), HOLDFAST_ARTIFACTS: JSON.stringify(Object.fromEntries(byName)) };
}

function variableOf(kind: string): string {
  return `HOLDFAST_ARTIFACT_${kind.toUpperCase().replaceAll('-', '_')}`;
}

function notRequired(name: string, known: readonly string[]): UsageError {
  const has = known.length === 0 ? 'It requires none.' : `It requires ${known.join(', ')}.`;
  return new UsageError({
    code: 'E_ARTIFACT_NOT_REQUIRED',
    message: `The sample asks for the artifact ${name}, which it does not require. ${has}`,
    hint: 'Name it in `requires` of the eval, so that it is built, pinned and checked before the sample runs.',
  });
}
