import { inOrder } from '../base/index.ts';
import type { ArtifactSource, SourceRef } from './artifact-source.ts';
import { onlyRecipe } from './artifact-source.ts';
import type { Damage } from './damage.ts';
import { damageElsewhere, NO_MANIFEST, NOT_ITS_OWN } from './damage-elsewhere.ts';
import { decodeManifest, isManifest, type Manifest } from './manifest.ts';
import type { UnitRecipe } from './recipe.ts';

/** What a source says that it has of a recipe. */
export interface Peeked {
  /** All that has the name of a generation. */
  readonly generations: readonly string[];
  /** The manifests of those that were not known. */
  readonly manifests: readonly Manifest[];
  /** What is remembered as damaged there, and manifests that cannot be read. */
  readonly damages: readonly Damage[];
}

const MANIFESTS_AT_A_TIME = 4;

/**
 * Looks at the generations of a recipe in a source by their manifests alone, and takes nothing: their files are not looked at. A source that cannot be asked throws.
 */
export async function peekSource(
  everything: ArtifactSource,
  unit: UnitRecipe,
  { known, signal }: { readonly known: ReadonlySet<string>; readonly signal?: AbortSignal },
): Promise<Peeked> {
  const source = onlyRecipe(everything, unit);
  const refs = (await source.list(signal)) ?? [];
  const work = async (
    ref: SourceRef,
  ): Promise<{ readonly manifest?: Manifest; readonly damage?: Damage }> => {
    const bytes = await source.readManifest(ref, signal);
    if (!bytes && source.isNamedFirst) return {};
    const manifest = bytes ? decodeManifest(bytes) : { reason: NO_MANIFEST, isNewer: false };
    if (!isManifest(manifest)) return { damage: damageElsewhere({ source, ref }, manifest) };
    if (manifest.generation === ref.generation && manifest.recipe === unit.recipe) return { manifest };
    return { damage: damageElsewhere({ source, ref }, { reason: NOT_ITS_OWN }) };
  };
  const unknown = refs.filter(({ generation }) => !known.has(generation));
  const found = await Array.fromAsync(inOrder(unknown, { atATime: MANIFESTS_AT_A_TIME, work }));
  return {
    generations: refs.map(({ generation }) => generation),
    manifests: found.flatMap(({ manifest }) => manifest ?? []),
    damages: [
      ...(await source.damages(signal)).map((damage) => ({ ...damage, elsewhere: damage.place })),
      ...found.flatMap(({ damage }) => damage ?? []),
    ],
  };
}
