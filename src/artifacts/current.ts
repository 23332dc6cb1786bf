import { definedOf } from '../base/index.ts';
import type { Damage } from './damage.ts';
import { earliestOf, type Lineage, openOf } from './generation.ts';
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
 * damaged, where it was or set aside, counts as one that is not here, until a whole copy of it is. What never was a whole generation here
 * (it has no manifest, is of a later format, or was found damaged elsewhere) is in nobody's way; but what it superseded stays superseded.
 */
export function standingOf<T extends Whole>(recipe: string, known: Known<T>): Standing<T> {
  const candidates = candidatesOf(recipe, known);
  if (candidates.every(({ isForeign }) => isForeign)) return { kind: 'absent' };
  const open = openOf(candidates);
  const current = earliestOf(open.filter(({ isForeign }) => !isForeign)) ?? earliestOf(open);
  return current?.standing ?? { kind: 'absent' };
}

/** True when another one, whole or damaged, was built to take the place of this one. */
export function isSuperseded<T extends Whole>(generation: string, recipe: string, known: Known<T>): boolean {
  return candidatesOf(recipe, known).some(({ supersedes }) => supersedes.includes(generation));
}

interface Candidate<T extends Whole> extends Lineage {
  readonly standing: Standing<T>;
  /** It never was a whole generation of this place: it supersedes, and is never waited for by itself. */
  readonly isForeign: boolean;
}

function candidatesOf<T extends Whole>(recipe: string, known: Known<T>): readonly Candidate<T>[] {
  const own = known.whole.filter(({ manifest }) => manifest.recipe === recipe);
  const here = new Set<string>(own.map(({ manifest }) => manifest.generation));
  const damages = damagesById(
    [...known.setAside, ...known.broken.map(damageOf)].filter(
      (damage) => damage.recipe === recipeName(recipe) && !here.has(damage.generation),
    ),
  );
  const ids = [...here, ...damages.map(({ generation }) => generation)];
  return [
    ...own.map((generation) => ({
      generation: generation.manifest.generation,
      supersedes: generation.manifest.supersedes,
      standing: { kind: 'whole', generation } as const,
      isForeign: false,
    })),
    ...damages.map((damage) => ({
      generation: damage.generation,
      supersedes: damage.supersedes ?? ids.filter((id) => id < damage.generation),
      standing: { kind: 'damaged', damage } as const,
      isForeign: isForeign(damage),
    })),
  ];
}

/** One for each generation, whatever the order in which they were found: a copy here counts most, and what any of them could be read to supersede. */
function damagesById(damages: readonly Damage[]): readonly Damage[] {
  return [...Map.groupBy(damages, ({ generation }) => generation).values()].flatMap((ofOne) => {
    const [first] = ofOne.toSorted((a, b) => Number(isForeign(a)) - Number(isForeign(b)));
    const read = ofOne.flatMap(({ supersedes }) => (supersedes ? [supersedes] : []));
    const supersedes = read.length > 0 ? [...new Set(read.flat())] : null;
    return first ? [{ ...first, supersedes }] : [];
  });
}

function isForeign({ elsewhere, isNewer, isScrap }: Damage): boolean {
  return elsewhere !== undefined || isNewer === true || isScrap === true;
}

/** What lies where a generation belongs and cannot be read, as a damage that nobody has set aside yet. */
export function damageOf({ folder, generation, dir, reason, ...broken }: BrokenGeneration): Damage {
  const [, kind = '?', key = '?', recipe = ''] = folder.split('/');
  const more = definedOf({
    isNewer: broken.kind === 'newer' || undefined,
    isScrap: broken.kind === 'scrap' || undefined,
  });
  return { kind, key, recipe, generation, supersedes: null, reason, files: [], place: dir, ...more };
}
