import { type Digest, InvariantError } from '../base/index.ts';
import type { ArtifactSource, SourceRef } from './artifact-source.ts';
import { isSuperseded, type Known, type Standing, standingOf } from './current.ts';
import type { Damage } from './damage.ts';
import { recipeFolder, unitFolder } from './layout.ts';
import type { Manifest } from './manifest.ts';
import type { CurrentChange, MergeEntry, MergeState } from './merge-report.ts';
import { type Unit, unitText } from './recipe.ts';
import type { BrokenGeneration } from './stored-generation.ts';

/** A unit that must be here after the merge: by some recipe, by the one that is named, or that very generation of it. */
export interface Expected extends Unit {
  readonly recipe?: Digest;
  readonly generation?: string;
}

/** `new`: it was installed. Which word that is depends on what is current in the end. */
export type Outcome = 'new' | Exclude<MergeState, 'installed' | 'kept-current' | 'superseded' | 'never-seen'>;

/** A generation as one source has it. */
export interface Copy {
  readonly source: ArtifactSource;
  readonly ref: SourceRef;
  manifest?: Manifest;
  /** What came of it; absent while nothing has been decided. */
  outcome?: {
    readonly state: Outcome;
    readonly reason?: string;
    /** A later version of Holdfast wrote it. */
    readonly isNewer?: boolean;
  };
}

/** The generations of one recipe folder that are here. */
export interface Here {
  readonly before: ReadonlyMap<string, Manifest>;
  readonly now: Map<string, Manifest>;
  readonly broken: readonly BrokenGeneration[];
  /** What was damaged here before. */
  readonly setAside: readonly Damage[];
}

/** What a merge found and did, of which its report tells. */
export interface MergeFindings {
  /** By folder and generation; sources that have the same stand in for each other. */
  readonly copies: ReadonlyMap<string, readonly Copy[]>;
  /** By folder. */
  readonly here: ReadonlyMap<string, Here>;
  /** What is damaged where artifacts came from, and whole nowhere: what it superseded is not current here either. */
  readonly elsewhere: readonly Damage[];
  /** Folders of expected units that cannot be read here, and why. */
  readonly unread: ReadonlyMap<string, string>;
}

/** One entry for each generation: the best that came of its copies; and one for each unit that was expected in vain. */
export function entriesOf(findings: MergeFindings, expected: readonly Expected[]): readonly MergeEntry[] {
  const copies = [...findings.copies.values()];
  const entries = copies.map((ofOne) => entryOf(ofOne, findings));
  for (const one of expected) {
    const isSeen = copies.some(([copy]) => copy && isMeant(one, copy.ref));
    if (!isSeen) entries.push(expectedEntry(one, findings));
  }
  entries.push(...rememberedEntries(findings));
  return entries.sort((a, b) => compare(a.unit, b.unit) || compare(a.generation ?? '', b.generation ?? ''));
}

/** Which recipes have another current generation than before. */
export function changesOf({ here: all, elsewhere }: MergeFindings): readonly CurrentChange[] {
  const changes: CurrentChange[] = [];
  for (const here of all.values()) {
    const recipes = new Map([...here.now.values()].map((manifest) => [manifest.recipe, manifest]));
    for (const [recipe, one] of recipes) {
      const from = currentIdOf(standingOf(recipe, knownOf(here, here.before.values())));
      const to = currentIdOf(standingOf(recipe, knownOf(here, here.now.values(), elsewhere)));
      if (to !== undefined && from !== to)
        changes.push({ unit: unitText(one), recipe, from: from ?? null, to });
    }
  }
  return changes.sort((a, b) => compare(a.unit, b.unit) || compare(a.recipe, b.recipe));
}

export function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** What only the memory of a source tells of, as long as something here would be current without it. */
function rememberedEntries({ copies, here, elsewhere }: MergeFindings): readonly MergeEntry[] {
  const seen = new Set([...copies.values()].map(([copy]) => copy?.ref.generation));
  const inTheWay = [...here.values()].flatMap((one) =>
    [...new Set([...one.now.values()].map(({ recipe }) => recipe))].flatMap((recipe) => {
      const standing = standingOf(recipe, knownOf(one, one.now.values(), elsewhere));
      return standing.kind === 'damaged' ? [{ recipe, damage: standing.damage }] : [];
    }),
  );
  return inTheWay.flatMap(({ recipe, damage }) => {
    const { generation, reason, place } = damage;
    const isTold = seen.has(generation) || !elsewhere.some((one) => one.generation === generation);
    if (isTold) return [];
    const nothing = { digest: null, files: 0, bytes: 0, producer: null };
    const about = { unit: unitText(damage), recipe, generation, source: place, ...nothing };
    const state = damage.isNewer ? ('failed' as const) : ('corrupt' as const);
    return [{ ...about, state, reason: `it was found damaged there: ${reason}` }];
  });
}

function entryOf(copies: readonly Copy[], { here: all, elsewhere }: MergeFindings): MergeEntry {
  const best = copies.toSorted((a, b) => rankOf(a) - rankOf(b))[0] as Copy;
  const { source, ref, outcome, manifest } = best;
  const others = copies.filter((copy) => copy !== best && copy.outcome?.reason !== undefined);
  const reasons = others.map((copy) => `in ${copy.source.name}: ${copy.outcome?.reason}`);
  const told = (own: string | undefined) => {
    const reason = own === undefined ? reasons : [own, ...reasons];
    return reason.length > 0 ? { reason: reason.join('; ') } : {};
  };
  const here = all.get(ref.folder);
  const whole = here?.before.get(ref.generation);
  // A bad copy of what is whole here harms nothing.
  if (whole && outcome && BAD.has(outcome.state)) {
    const bad = `in ${source.name}: ${outcome.reason}`;
    return { ...aboutManifest(whole, ref), state: 'already-here', source: null, ...told(bad) };
  }
  const isNew = outcome?.state === 'new' && manifest;
  const state = isNew ? stateOfNew(manifest, here, elsewhere) : ((outcome?.state ?? 'failed') as MergeState);
  return { ...aboutManifest(manifest, ref), state, source: source.name, ...told(outcome?.reason) };
}

function stateOfNew(
  { generation, recipe }: Manifest,
  here: Here | undefined,
  elsewhere: readonly Damage[],
): MergeState {
  if (!here) throw new InvariantError(`${generation} was installed where nobody looked before`);
  const known = knownOf(here, here.now.values(), elsewhere);
  if (currentIdOf(standingOf(recipe, known)) === generation) return 'installed';
  return isSuperseded(generation, recipe, known) ? 'superseded' : 'kept-current';
}

/** Of a unit that no source has. */
function expectedEntry(expected: Expected, { here: all, unread }: MergeFindings): MergeEntry {
  const here = [...all.entries()].flatMap(([folder, { now }]) =>
    [...now.values()].filter(({ generation }) => isMeant(expected, { folder, generation })),
  );
  const { recipe = null, generation = null } = expected;
  const [found] = here;
  if (found)
    return { ...aboutManifest(found, { folder: '', generation: '' }), state: 'already-here', source: null };
  const nothing = { digest: null, files: 0, bytes: 0, producer: null, source: null };
  const about = { unit: unitText(expected), recipe, generation, ...nothing };
  const failure = [...unread].find(([folder]) => `${folder}/`.startsWith(`${folderOf(expected)}/`))?.[1];
  if (failure !== undefined) return { ...about, state: 'failed', reason: failure };
  return { ...about, state: 'never-seen', reason: 'it was expected, and nobody has it' };
}

/** The folder that all of it lies in: that of its recipe, or of its unit where no recipe is named. */
export function folderOf({ recipe, ...unit }: Expected): string {
  return (recipe === undefined ? unitFolder(unit) : recipeFolder({ ...unit, recipe })).join('/');
}

function isMeant(expected: Expected, { folder, generation }: SourceRef): boolean {
  const isThere = `${folder}/`.startsWith(`${folderOf(expected)}/`);
  return isThere && (expected.generation === undefined || expected.generation === generation);
}

/** What is known of a folder with these generations: what is damaged there counts as well. */
function knownOf(
  { broken, setAside }: Here,
  whole: Iterable<Manifest>,
  elsewhere: readonly Damage[] = [],
): Known<{ readonly manifest: Manifest }> {
  return {
    whole: [...whole].map((manifest) => ({ manifest })),
    broken,
    setAside: [...setAside, ...elsewhere],
  };
}

function currentIdOf(standing: Standing<{ readonly manifest: Manifest }>): string | undefined {
  return standing.kind === 'whole' ? standing.generation.manifest.generation : undefined;
}

const RANKS: readonly Outcome[] = ['new', 'already-here', 'conflicting', 'corrupt', 'incomplete', 'failed'];

const BAD: ReadonlySet<Outcome> = new Set(['corrupt', 'incomplete', 'failed']);

function rankOf({ outcome }: Copy): number {
  return outcome ? RANKS.indexOf(outcome.state) : RANKS.length;
}

function aboutManifest(
  manifest: Manifest | undefined,
  { folder, generation }: SourceRef,
): Omit<MergeEntry, 'state' | 'source'> {
  return {
    unit: manifest ? unitText(manifest) : folder.split('/').slice(1, 3).join('/'),
    recipe: manifest?.recipe ?? (folder.split('/').at(-1) as string),
    generation: manifest?.generation ?? generation,
    digest: manifest?.digest ?? null,
    files: manifest?.files.length ?? 0,
    bytes: manifest?.files.reduce((sum, { size }) => sum + size, 0) ?? 0,
    producer: manifest?.producer ?? null,
  };
}
