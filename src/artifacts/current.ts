import type { Damage } from './damage.ts';
import { currentOf, type Lineage } from './generation.ts';
import { recipeName } from './layout.ts';
import type { Manifest } from './manifest.ts';
import type { BrokenGeneration, StoredGeneration } from './stored-generation.ts';

/** Something that has a manifest. */
interface Whole {
  readonly manifest: Manifest;
}

/** What stands at the place of the current generation of a recipe. Its files are not looked at: who reads them asks `use`. */
export type Standing<T extends Whole = StoredGeneration> =
  | { readonly kind: 'whole'; readonly generation: T }
  /** The one that would be current is damaged: no other takes its place, least of all one that it superseded. */
  | { readonly kind: 'damaged'; readonly damage: Damage }
  | { readonly kind: 'absent' };

/** All that a cache knows of the folder of one recipe. */
export interface Known<T extends Whole> {
  readonly whole: readonly T[];
  readonly broken: readonly BrokenGeneration[];
  /** Of the whole cache. */
  readonly setAside: readonly Damage[];
}

/**
 * [ART-7] [ART-9] Decides which generation of a recipe is current, for runs, for lists and for everything that travels: what is
 * damaged, where it was or set aside, counts as one that is not here, until a whole copy of it is.
 */
export function standingOf<T extends Whole>(recipe: string, known: Known<T>): Standing<T> {
  return currentOf(candidatesOf(recipe, known))?.standing ?? { kind: 'absent' };
}

/** True when another one, whole or damaged, was built to take the place of this one. */
export function isSuperseded<T extends Whole>(generation: string, recipe: string, known: Known<T>): boolean {
  return candidatesOf(recipe, known).some(({ supersedes }) => supersedes.includes(generation));
}

interface Candidate<T extends Whole> extends Lineage {
  readonly standing: Standing<T>;
}

function candidatesOf<T extends Whole>(recipe: string, known: Known<T>): readonly Candidate<T>[] {
  const own = known.whole.filter(({ manifest }) => manifest.recipe === recipe);
  const here = new Set<string>(own.map(({ manifest }) => manifest.generation));
  const unread = known.broken.filter(({ kind }) => kind === 'damaged').map(damageOf);
  const damages = [...known.setAside, ...unread].filter(
    (damage) => damage.recipe === recipeName(recipe) && !here.has(damage.generation),
  );
  const ids = [...here, ...damages.map(({ generation }) => generation)];
  return [
    ...own.map((generation) => ({
      generation: generation.manifest.generation,
      supersedes: generation.manifest.supersedes,
      standing: { kind: 'whole', generation } as const,
    })),
    ...damages.map((damage) => ({
      generation: damage.generation,
      supersedes: damage.supersedes ?? ids.filter((id) => id < damage.generation),
      standing: { kind: 'damaged', damage } as const,
    })),
  ];
}

/** What lies where a generation belongs and cannot be read, as a damage that nobody has set aside yet. */
export function damageOf({ folder, generation, dir, reason }: BrokenGeneration): Damage {
  const [, kind = '?', key = '?', recipe = ''] = folder.split('/');
  return { kind, key, recipe, generation, supersedes: null, reason, files: [], place: dir };
}
