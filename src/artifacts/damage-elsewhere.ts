import { definedOf } from '../base/index.ts';
import type { ArtifactSource, SourceRef } from './artifact-source.ts';
import type { Damage } from './damage.ts';
import type { Manifest } from './manifest.ts';

export const NO_MANIFEST = 'it has no manifest';
export const NOT_ITS_OWN = 'its manifest is that of another generation';

/** A generation that is damaged where artifacts come from. Without its manifest, its unit is known by the names of its folders. */
export function damageElsewhere(
  { source, ref }: { readonly source: ArtifactSource; readonly ref: SourceRef },
  about: {
    readonly reason: string;
    readonly isNewer?: boolean | undefined;
    readonly manifest?: Manifest | undefined;
  },
): Damage {
  const [, kind = '?', key = '?', recipe = ''] = ref.folder.split('/');
  const { reason, manifest } = about;
  const place = `${source.name}/${ref.folder}/${ref.generation}`;
  return {
    ...{ kind: manifest?.kind ?? kind, key: manifest?.key ?? key, recipe, generation: ref.generation },
    ...{ supersedes: manifest?.supersedes ?? null, reason, files: [], place, elsewhere: place },
    ...definedOf({ isNewer: about.isNewer || undefined }),
  };
}
