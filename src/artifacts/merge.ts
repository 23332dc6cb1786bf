import { join } from 'node:path';
import { InvariantError, inOrder, isoTime, messageOf, type Random } from '../base/index.ts';
import { writingTo } from './artifact-errors.ts';
import type { ArtifactSource, SourceRef } from './artifact-source.ts';
import { type Damage, readDamages, rememberElsewhere } from './damage.ts';
import { damageElsewhere, NO_MANIFEST, NOT_ITS_OWN } from './damage-elsewhere.ts';
import { newGenerationId } from './generation.ts';
import { installGeneration } from './install.ts';
import { recipeFolder } from './layout.ts';
import { type ArtifactFile, decodeManifest, encodeManifest, isManifest, type Manifest } from './manifest.ts';
import {
  type Copy,
  changesOf,
  compare,
  type Expected,
  entriesOf,
  folderOf,
  type Here,
  type MergeFindings,
} from './merge-entries.ts';
import { type MergeReport, type SourceReport, writeReport } from './merge-report.ts';
import type { LockOptions, LockPlace } from './recipe-lock.ts';
import type { OnProgress } from './seal-folder.ts';
import { listRecipeFolders, readRecipeFolder } from './stored-generation.ts';

export interface MergePlace extends LockPlace {
  readonly random: Random;
}

export interface MergeOptions extends LockOptions {
  readonly expected?: readonly Expected[] | undefined;
  /** Folders that get a copy of the report. */
  readonly reportDirs?: readonly string[] | undefined;
  readonly onProgress?: OnProgress | undefined;
  /**
   * Ends the merge before the next unit: what is under way is finished, what was not reached is `failed` and says so, and the report is
   * written. Whoever aborts by `signal` as well gives up what is under way; `signal` alone leaves no report.
   */
  readonly stop?: AbortSignal | undefined;
}

export interface Merged {
  readonly report: MergeReport;
  /** It was told to stop, and something was not reached. */
  readonly isInterrupted: boolean;
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
  await merge.rememberDamages(sources);
  await merge.install();
  const nowMs = place.clock.nowMs();
  const report: MergeReport = {
    format: 1,
    id: newGenerationId(nowMs, place.random),
    created: isoTime(nowMs),
    sources: listed,
    entries: entriesOf(merge.findings, options.expected ?? []),
    changes: changesOf(merge.findings),
  };
  const alsoIn = options.reportDirs ?? [];
  const unwritten = await writeReport(place.disk, report, { cacheDir: place.cacheDir, alsoIn });
  return { report, isInterrupted: merge.isInterrupted, unwritten };
}

const RECIPES_AT_A_TIME = 3;

class Merge {
  readonly #place: MergePlace;
  readonly #options: MergeOptions;
  readonly #copies = new Map<string, Copy[]>();
  readonly #here = new Map<string, Here>();
  readonly #unread = new Map<string, string>();
  readonly #elsewhere: Damage[] = [];
  #setAside: readonly Damage[] | undefined;
  #folders: Awaited<ReturnType<typeof listRecipeFolders>> | undefined;
  isInterrupted = false;

  constructor(place: MergePlace, options: MergeOptions) {
    this.#place = place;
    this.#options = options;
  }

  get findings(): MergeFindings {
    return { copies: this.#copies, here: this.#here, unread: this.#unread, elsewhere: this.#elsewhere };
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
        const read = await this.#attempt(async () => ({
          here: await this.#hereOf(copy.ref.folder.split('/')),
          bytes: await copy.source.readManifest(copy.ref, this.#options.signal),
        }));
        if ('failure' in read) copy.outcome = { state: 'failed', reason: read.failure };
        else this.#judge(copy, read.value.bytes, read.value.here.before.get(copy.ref.generation));
      }
      // Among copies that say different things, whichever comes first must not decide.
      copies.sort((a, b) => compare(a.manifest?.digest ?? '~', b.manifest?.digest ?? '~'));
    }
  }

  #judge(copy: Copy, bytes: Uint8Array | undefined, here: Manifest | undefined): void {
    if (!bytes) {
      copy.outcome = { state: 'incomplete', reason: NO_MANIFEST };
      return;
    }
    if (here && Buffer.compare(encodeManifest(here), bytes) === 0) {
      copy.manifest = here;
      copy.outcome = { state: 'already-here' };
      return;
    }
    const manifest = decodeManifest(bytes);
    if (!isManifest(manifest)) copy.outcome = { state: manifest.isNewer ? 'failed' : 'corrupt', ...manifest };
    else if (!isAt(manifest, copy.ref)) copy.outcome = { state: 'corrupt', reason: NOT_ITS_OWN };
    else {
      copy.manifest = manifest;
      if (here) copy.outcome = conflictWith(here);
    }
  }

  /**
   * Several recipes at a time: while one waits for its last syncs, another is copied.
   *
   * ### Ordering
   * Of one recipe the latest first, and what is damaged is remembered before the next: whatever dies or fails in between leaves no generation
   * as the current one that a later one supersedes.
   */
  async install(): Promise<void> {
    const onFile = this.#progress();
    const recipes = Map.groupBy(this.#copies.values(), ([copy]) => copy?.ref.folder);
    const work = async (ofRecipe: readonly (readonly Copy[])[]) => {
      const failed: (readonly Copy[])[] = [];
      for (const copies of ofRecipe.toSorted(latestFirst)) {
        const later = failed.find((one) => mayBeSuperseded(copies, one));
        for (const copy of copies)
          if (later) copy.outcome ??= notWithout(later);
          else await this.#installUnlessThere(copy, onFile);
        await this.#rememberCopies(copies);
        if (copies.every(({ outcome }) => outcome?.state === 'failed' && !outcome.isNewer))
          failed.push(copies);
      }
    };
    for await (const _ of inOrder(recipes.values(), { atATime: RECIPES_AT_A_TIME, work }));
  }

  /** [ART-9] What sources remember as damaged is remembered here as well, unless a copy of it may be whole. */
  async rememberDamages(sources: readonly ArtifactSource[]): Promise<void> {
    const copies = [...this.#copies.values()].flat().filter(({ manifest }) => manifest);
    const whole = new Set(copies.map(({ ref }) => ref.generation));
    for (const source of sources) {
      const damages = await this.#attempt(() => source.damages(this.#options.signal));
      // A source that cannot be read has been told of.
      if ('failure' in damages) continue;
      for (const damage of damages.value) {
        if (whole.has(damage.generation) || (await this.#isHere(damage))) continue;
        await this.#remember(damage);
      }
    }
  }

  async #isHere({ recipe, generation }: Damage): Promise<boolean> {
    const { disk, cacheDir } = this.#place;
    this.#folders ??= await listRecipeFolders(disk, cacheDir);
    for (const folder of this.#folders)
      if (folder.at(-1) === recipe && (await this.#hereOf(folder)).now.has(generation)) return true;
    return false;
  }

  /** Of copies none of which is whole. An upload that did not finish is none yet, and what could not be read now may be whole. */
  async #rememberCopies(copies: readonly Copy[]): Promise<void> {
    const [first] = copies;
    if (!first || this.#here.get(first.ref.folder)?.now.has(first.ref.generation)) return;
    const isDamaged = ({ source, manifest, outcome }: Copy) =>
      outcome?.isNewer ||
      outcome?.state === 'corrupt' ||
      (outcome?.state === 'incomplete' && (manifest !== undefined || !source.isNamedFirst));
    const damaged = copies.find(isDamaged);
    if (!damaged) return;
    const { manifest } = copies.find((copy) => copy.manifest) ?? {};
    const { reason = '', isNewer } = damaged.outcome ?? {};
    await this.#remember(damageElsewhere(damaged, { reason, isNewer, manifest }));
  }

  async #remember(damage: Damage): Promise<void> {
    const { cacheDir } = this.#place;
    this.#elsewhere.push(await writingTo(cacheDir, () => rememberElsewhere(this.#place, damage)));
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
    const { signal, stop, onWait } = this.#options;
    const installed = await this.#attempt(() =>
      writingTo(this.#place.cacheDir, () =>
        installGeneration(this.#place, { source, ref, manifest, onFile, signal, stop, onWait }),
      ),
    );
    if ('failure' in installed) copy.outcome = { state: 'failed', reason: installed.failure };
    else if ('state' in installed.value) copy.outcome = installed.value;
    else {
      const found = installed.value.manifest;
      copy.outcome = found.digest === manifest.digest ? { state: 'new' } : conflictWith(found);
      this.#here.get(ref.folder)?.now.set(found.generation, found);
    }
  }

  /** What is here of a recipe, read once and before anything is changed. */
  async #hereOf(folder: readonly string[]): Promise<Here> {
    const name = folder.join('/');
    const known = this.#here.get(name);
    if (known) return known;
    const { disk, cacheDir } = this.#place;
    this.#setAside ??= await readDamages(disk, cacheDir);
    const { whole, broken } = await readRecipeFolder(disk, cacheDir, folder);
    const before = new Map(whole.map(({ manifest }) => [manifest.generation as string, manifest]));
    const here = { before, now: new Map(before), broken, setAside: this.#setAside };
    this.#here.set(name, here);
    return here;
  }

  /** What is expected is looked for here as well. */
  async look(expected: readonly Expected[]): Promise<void> {
    for (const one of expected) {
      const looked = await this.#attempt(() => this.#lookFor(one));
      if ('failure' in looked) this.#unread.set(folderOf(one), looked.failure);
    }
  }

  async #lookFor(expected: Expected): Promise<void> {
    const { disk, cacheDir } = this.#place;
    const folder = folderOf(expected).split('/');
    if (expected.recipe !== undefined) await this.#hereOf(folder);
    // Without a recipe any of the unit is meant.
    else
      for (const { name, kind } of (await disk.list(join(cacheDir, ...folder))) ?? [])
        if (kind === 'directory') await this.#hereOf([...folder, name]);
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

  /** What goes wrong with one is told, and the others go on; but not after an abort, unless a report is wanted nevertheless. */
  async #attempt<T>(work: () => Promise<T>): Promise<{ readonly value: T } | { readonly failure: string }> {
    const { signal, stop } = this.#options;
    if (stop?.aborted) return this.#interrupted('not reached: the merge was stopped before');
    signal?.throwIfAborted();
    try {
      return { value: await work() };
    } catch (error) {
      if (stop?.aborted && (error === stop.reason || signal?.aborted))
        return this.#interrupted('the merge was stopped before it was here');
      signal?.throwIfAborted();
      if (error instanceof InvariantError) throw error;
      return { failure: messageOf(error) };
    }
  }

  #interrupted(failure: string): { readonly failure: string } {
    this.isInterrupted = true;
    return { failure };
  }
}

/** True when the later one, which could not be had, supersedes this one, or may. */
function mayBeSuperseded([copy]: readonly Copy[], later: readonly Copy[]): boolean {
  const { manifest } = later.find((one) => one.manifest) ?? {};
  return !manifest || manifest.supersedes.some((id) => id === copy?.ref.generation);
}

function notWithout([later]: readonly Copy[]): NonNullable<Copy['outcome']> {
  const reason = `it is not taken without ${later?.ref.generation}, which may supersede it and could not be`;
  return { state: 'failed', reason };
}

function latestFirst([a]: readonly Copy[], [b]: readonly Copy[]): number {
  return compare(b?.ref.generation ?? '', a?.ref.generation ?? '');
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
