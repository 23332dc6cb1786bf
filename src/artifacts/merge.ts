import { inOrder, isoTime, messageOf, type Random } from '../base/index.ts';
import type { ArtifactSource, SourceRef } from './artifact-source.ts';
import { currentOf, newGenerationId } from './generation.ts';
import { installGeneration } from './install.ts';
import { recipeFolder } from './layout.ts';
import { type ArtifactFile, decodeManifest, encodeManifest, isManifest, type Manifest } from './manifest.ts';
import {
  type CurrentChange,
  type MergeEntry,
  type MergeReport,
  type MergeState,
  type SourceReport,
  writeReport,
} from './merge-report.ts';
import type { UnitRecipe } from './recipe.ts';
import { unitText } from './recipe.ts';
import type { LockOptions, LockPlace } from './recipe-lock.ts';
import type { OnProgress } from './seal-folder.ts';
import { readRecipeFolder } from './stored-generation.ts';

export interface MergePlace extends LockPlace {
  readonly random: Random;
}

/** A unit that must be here after the merge; with a generation, that very one. */
export interface Expected extends UnitRecipe {
  readonly generation?: string;
}

export interface MergeOptions extends LockOptions {
  readonly expected?: readonly Expected[] | undefined;
  /** Folders that get a copy of the report. */
  readonly reportDirs?: readonly string[] | undefined;
  readonly onProgress?: OnProgress | undefined;
}

export interface Merged {
  readonly report: MergeReport;
  /** Where the report could not be written, and why. */
  readonly unwritten: readonly string[];
}

/**
 * [ART-11] Merges sources into a cache: the union of their generations, each whole or not at all. What is here stays as it is; what
 * is here already, by id and digest, is not even read. One that fails does not stop the others, and all are in the report.
 */
export async function mergeInto(
  place: MergePlace,
  sources: readonly ArtifactSource[],
  options: MergeOptions = {},
): Promise<Merged> {
  const merge = new Merge(place, options);
  const listed = await merge.list(sources);
  await merge.look(options.expected ?? []);
  await merge.readManifests();
  await merge.install();
  const nowMs = place.clock.nowMs();
  const report: MergeReport = {
    format: 1,
    id: newGenerationId(nowMs, place.random),
    created: isoTime(nowMs),
    sources: listed,
    entries: merge.entries(options.expected ?? []),
    changes: merge.changes(),
  };
  const alsoIn = options.reportDirs ?? [];
  return { report, unwritten: await writeReport(place.disk, report, { cacheDir: place.cacheDir, alsoIn }) };
}

const GENERATIONS_AT_A_TIME = 3;

/** A generation as one source has it. */
interface Copy {
  readonly source: ArtifactSource;
  readonly ref: SourceRef;
  manifest?: Manifest;
  /** What came of it; absent while nothing has been decided. */
  outcome?: { readonly state: Outcome; readonly reason?: string };
}

/** `new`: it was installed. Which word that is depends on what is current in the end. */
type Outcome = 'new' | Exclude<MergeState, 'installed' | 'kept-current' | 'superseded' | 'never-seen'>;

/** The generations of one recipe folder that are here. */
interface Here {
  readonly before: ReadonlyMap<string, Manifest>;
  readonly now: Map<string, Manifest>;
}

class Merge {
  readonly #place: MergePlace;
  readonly #options: MergeOptions;
  /** By folder and generation; sources that have the same stand in for each other. */
  readonly #copies = new Map<string, Copy[]>();
  readonly #here = new Map<string, Here>();

  constructor(place: MergePlace, options: MergeOptions) {
    this.#place = place;
    this.#options = options;
  }

  async list(sources: readonly ArtifactSource[]): Promise<readonly SourceReport[]> {
    const reports: SourceReport[] = [];
    for (const source of sources) {
      const { name } = source;
      const refs = await this.#attempt(() => source.list(this.#options.signal));
      if ('failure' in refs) reports.push({ name, state: 'failed', generations: 0, reason: refs.failure });
      else if (!refs.value) reports.push({ name, state: 'absent', generations: 0 });
      else {
        reports.push({ name, state: 'read', generations: refs.value.length });
        for (const ref of refs.value) this.#add({ source, ref });
      }
    }
    return reports;
  }

  #add(copy: Copy): void {
    const key = `${copy.ref.folder}/${copy.ref.generation}`;
    this.#copies.set(key, [...(this.#copies.get(key) ?? []), copy]);
  }

  /** Everything is looked at before anything is changed. */
  async readManifests(): Promise<void> {
    for (const copies of this.#copies.values()) {
      for (const copy of copies) {
        const here = await this.#hereOf(copy.ref.folder.split('/'));
        const read = await this.#attempt(() => copy.source.readManifest(copy.ref, this.#options.signal));
        if ('failure' in read) copy.outcome = { state: 'failed', reason: read.failure };
        else this.#judge(copy, read.value, here.before.get(copy.ref.generation));
      }
      // Among copies that say different things, whichever comes first must not decide.
      copies.sort((a, b) => compare(a.manifest?.digest ?? '~', b.manifest?.digest ?? '~'));
    }
  }

  #judge(copy: Copy, bytes: Uint8Array | undefined, here: Manifest | undefined): void {
    if (!bytes) {
      copy.outcome = { state: 'incomplete', reason: 'it has no manifest' };
      return;
    }
    if (here && Buffer.compare(encodeManifest(here), bytes) === 0) {
      copy.manifest = here;
      copy.outcome = { state: 'already-here' };
      return;
    }
    const manifest = decodeManifest(bytes);
    if (!isManifest(manifest))
      copy.outcome = { state: manifest.isNewer ? 'failed' : 'corrupt', reason: manifest.reason };
    else if (!isAt(manifest, copy.ref))
      copy.outcome = { state: 'corrupt', reason: 'its manifest is that of another generation' };
    else {
      copy.manifest = manifest;
      if (here) copy.outcome = conflictWith(here);
    }
  }

  /** Several at a time: while one waits for its last syncs, another is copied. */
  async install(): Promise<void> {
    const onFile = this.#progress();
    const work = async (copies: readonly Copy[]) => {
      for (const copy of copies) await this.#installUnlessThere(copy, onFile);
    };
    for await (const _ of inOrder(this.#copies.values(), { atATime: GENERATIONS_AT_A_TIME, work }));
  }

  async #installUnlessThere(copy: Copy, onFile: (file: ArtifactFile) => void): Promise<void> {
    const { manifest, ref } = copy;
    if (copy.outcome || !manifest) return;
    const known = this.#here.get(ref.folder)?.now.get(ref.generation);
    if (!known) await this.#installOne(copy, manifest, onFile);
    else copy.outcome = known.digest === manifest.digest ? { state: 'already-here' } : conflictWith(known);
  }

  async #installOne(copy: Copy, manifest: Manifest, onFile: (file: ArtifactFile) => void): Promise<void> {
    const { source, ref } = copy;
    const { signal, onWait } = this.#options;
    const installed = await this.#attempt(() =>
      installGeneration(this.#place, { source, ref, manifest, onFile, signal, onWait }),
    );
    if ('failure' in installed) copy.outcome = { state: 'failed', reason: installed.failure };
    else if ('state' in installed.value) copy.outcome = installed.value;
    else {
      const found = installed.value.manifest;
      copy.outcome = found.digest === manifest.digest ? { state: 'new' } : conflictWith(found);
      this.#here.get(ref.folder)?.now.set(found.generation, found);
    }
  }

  /** One entry for each generation: the best that came of its copies; and one for each unit that was expected in vain. */
  entries(expected: readonly Expected[]): readonly MergeEntry[] {
    const entries = [...this.#copies.values()].map((copies) => this.#entryOf(copies));
    for (const one of expected) {
      const isSeen = entries.some(({ recipe, generation }) => isMeant(one, recipe, generation));
      if (!isSeen) entries.push(this.#expectedEntry(one));
    }
    return entries.sort((a, b) => compare(a.unit, b.unit) || compare(a.generation ?? '', b.generation ?? ''));
  }

  #entryOf(copies: readonly Copy[]): MergeEntry {
    const best = copies.toSorted((a, b) => rankOf(a) - rankOf(b))[0] as Copy;
    const { source, ref, outcome } = best;
    const others = copies.filter((copy) => copy !== best && copy.outcome?.reason !== undefined);
    const reasons = others.map((copy) => `in ${copy.source.name}: ${copy.outcome?.reason}`);
    const told = (own: string | undefined) => {
      const all = own === undefined ? reasons : [own, ...reasons];
      return all.length > 0 ? { reason: all.join('; ') } : {};
    };
    const here = this.#here.get(ref.folder)?.before.get(ref.generation);
    // A bad copy of what is whole here harms nothing.
    if (here && outcome && BAD.has(outcome.state)) {
      const bad = `in ${source.name}: ${outcome.reason}`;
      return { ...aboutManifest(here, ref), state: 'already-here', source: null, ...told(bad) };
    }
    const state = outcome?.state === 'new' ? this.#stateOfNew(ref) : (outcome?.state ?? 'failed');
    return { ...aboutManifest(best.manifest, ref), state, source: source.name, ...told(outcome?.reason) };
  }

  #stateOfNew({ folder, generation }: SourceRef): MergeState {
    const now = [...(this.#here.get(folder)?.now.values() ?? [])];
    if (currentOf(now)?.generation === generation) return 'installed';
    return now.some(({ supersedes }) => supersedes.includes(generation)) ? 'superseded' : 'kept-current';
  }

  /** Of a unit that no source has. */
  #expectedEntry(expected: Expected): MergeEntry {
    const here = [...(this.#here.get(recipeFolder(expected).join('/'))?.now.values() ?? [])];
    const found = here.find(({ recipe, generation }) => isMeant(expected, recipe, generation));
    const ref = { folder: recipeFolder(expected).join('/'), generation: '' };
    if (found) return { ...aboutManifest(found, ref), state: 'already-here', source: null };
    const generation = expected.generation ?? null;
    const about = {
      ...aboutManifest(undefined, ref),
      unit: unitText(expected),
      recipe: expected.recipe,
      generation,
    };
    return { ...about, state: 'never-seen', source: null, reason: 'it was expected, and nobody has it' };
  }

  changes(): readonly CurrentChange[] {
    const changes: CurrentChange[] = [];
    for (const { before, now } of this.#here.values()) {
      const [from, to] = [currentOf([...before.values()]), currentOf([...now.values()])];
      if (to && from?.generation !== to.generation)
        changes.push({
          unit: unitText(to),
          recipe: to.recipe,
          from: from?.generation ?? null,
          to: to.generation,
        });
    }
    return changes.sort((a, b) => compare(a.unit, b.unit) || compare(a.recipe, b.recipe));
  }

  /** What is here of a recipe, read once and before anything is changed. */
  async #hereOf(folder: readonly string[]): Promise<Here> {
    const name = folder.join('/');
    const known = this.#here.get(name);
    if (known) return known;
    const { whole } = await readRecipeFolder(this.#place.disk, this.#place.cacheDir, folder);
    const before = new Map(whole.map(({ manifest }) => [manifest.generation as string, manifest]));
    const here = { before, now: new Map(before) };
    this.#here.set(name, here);
    return here;
  }

  /** What is expected is looked for here as well. */
  async look(expected: readonly Expected[]): Promise<void> {
    for (const one of expected) await this.#hereOf(recipeFolder(one));
  }

  #progress(): (file: ArtifactFile) => void {
    const fresh = [...this.#copies.values()].flatMap(([copy]) =>
      copy?.outcome ? [] : (copy?.manifest?.files ?? []),
    );
    let [filesDone, bytes] = [0, 0];
    return ({ size }) => {
      filesDone++;
      bytes += size;
      this.#options.onProgress?.({ filesDone, filesTotal: fresh.length, bytes });
    };
  }

  /** What goes wrong with one is told, and the others go on; but not after an abort. */
  async #attempt<T>(work: () => Promise<T>): Promise<{ readonly value: T } | { readonly failure: string }> {
    this.#options.signal?.throwIfAborted();
    try {
      return { value: await work() };
    } catch (error) {
      this.#options.signal?.throwIfAborted();
      return { failure: messageOf(error) };
    }
  }
}

const RANKS: readonly Outcome[] = ['new', 'already-here', 'conflicting', 'corrupt', 'incomplete', 'failed'];

const BAD: ReadonlySet<Outcome> = new Set(['corrupt', 'incomplete', 'failed']);

function rankOf({ outcome }: Copy): number {
  return outcome ? RANKS.indexOf(outcome.state) : RANKS.length;
}

function conflictWith({ digest }: Manifest): NonNullable<Copy['outcome']> {
  return {
    state: 'conflicting',
    reason: `another generation of this id is here, with the digest ${digest}; it stays`,
  };
}

function isAt(manifest: Manifest, { folder, generation }: SourceRef): boolean {
  return manifest.generation === generation && recipeFolder(manifest).join('/') === folder;
}

function isMeant(expected: Expected, recipe: string, generation: string | null): boolean {
  return (
    expected.recipe === recipe && (expected.generation === undefined || expected.generation === generation)
  );
}

function aboutManifest(
  manifest: Manifest | undefined,
  { folder, generation }: SourceRef,
): Omit<MergeEntry, 'state' | 'source'> {
  return {
    unit: manifest ? unitText(manifest) : folder,
    recipe: manifest?.recipe ?? (folder.split('/').at(-1) as string),
    generation: manifest?.generation ?? generation,
    digest: manifest?.digest ?? null,
    files: manifest?.files.length ?? 0,
    bytes: manifest?.files.reduce((sum, { size }) => sum + size, 0) ?? 0,
    producer: manifest?.producer ?? null,
  };
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
