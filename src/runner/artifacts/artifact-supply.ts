import { dirname, isAbsolute, join } from 'node:path';
import {
  type ArtifactCache,
  type ArtifactSource,
  artifactErrors,
  bucketSource,
  type Damage,
  folderSource,
  type Manifest,
  onlyRecipe,
  type Peeked,
  peekSource,
  pushGenerations,
  type Standing,
  type StoredGeneration,
  sourceAt,
} from '../../artifacts/index.ts';
import { ActionableError, asSentence, definedOf, digestOf, messageOf } from '../../base/index.ts';
import { type Bucket, isBucketUrl } from '../../bucket/index.ts';
import { createFile, type Disk } from '../../disk/index.ts';
import { artifactName } from '../../evals/index.ts';
import type { ArtifactPlan } from './artifact-plans.ts';

export interface SupplyOptions {
  readonly disk: Disk;
  readonly cache: ArtifactCache;
  /** What all machines share. */
  readonly store: Bucket | undefined;
  /** Asked after the store for what it lacks. */
  readonly lenders?: readonly Bucket[] | undefined;
  /** Where the paths of seeds start. */
  readonly baseDir: string;
  readonly signal: AbortSignal;
  readonly onNote: (text: string) => void;
}

/** One that is here, with how it comes to be. */
export interface ReadyGeneration {
  readonly plan: ArtifactPlan;
  readonly generation: StoredGeneration;
}

/** By whom generations came. */
export interface Fetched {
  readonly origin: 'fetched' | 'seeded';
  /** How people name it. */
  readonly from: string;
}

/** Where artifacts come from that are not here, and where those go that are built here. */
export class ArtifactSupply {
  readonly #options: SupplyOptions;
  #sent: Promise<readonly string[]> = Promise.resolve([]);
  /** What the store has of a recipe, as far as it was asked. */
  readonly #listed = new Map<string, ReadonlySet<string>>();
  #isAway = false;

  constructor(options: SupplyOptions) {
    this.#options = options;
  }

  /**
   * Takes the generations of a recipe from the store, or else from the seeds, into the cache: whole ones, and over nothing. A place
   * that cannot be asked is not one that has nothing: then it is refused, and not paid for once more (E_ARTIFACT_STORE_AWAY).
   */
  async fetch(plan: ArtifactPlan, seeds: readonly string[]): Promise<Fetched | undefined> {
    const { store, lenders = [] } = this.#options;
    for (const bucket of store ? [store, ...lenders] : lenders)
      if (await this.#take(this.#storeOf(bucket, plan), plan)) return { origin: 'fetched', from: bucket.url };
    for (const seed of seeds)
      if (await this.#take(await this.#seedOf(seed), plan)) return { origin: 'seeded', from: seed };
    return undefined;
  }

  /** Takes what `newer` finds. True when what was current here is so no more. */
  async renew(plan: ArtifactPlan): Promise<boolean> {
    const { store, cache, onNote } = this.#options;
    const from = (await cache.current(plan.unit))?.manifest;
    const standing = await this.#standing(plan);
    if (!store || !standing || !isElsewhere(standing, from)) return false;
    await this.#unlessAway(store, () => this.#take(this.#storeOf(store, plan), plan));
    const to = (await cache.current(plan.unit))?.manifest;
    // What could not be had now is not here, and was said.
    if (to?.generation === from?.generation) return false;
    // What is damaged there superseded what is here: whoever asks for it is told.
    if (!to) return true;
    onNote(
      `Generation ${to.generation} of ${artifactName(plan.unit)} in ${store.url} takes the place of ${from?.generation}, which was here.`,
    );
    return true;
  }

  /**
   * Which generation is current is decided by all that are here and in the store [ART-7]: the one of the store, when it is not here.
   * When that is damaged there, nothing that it superseded is used in its place. A store that is away hinders nobody who has one: it is said
   * once, and what is here is used.
   */
  async newer(plan: ArtifactPlan): Promise<Manifest | undefined> {
    const from = (await this.#options.cache.current(plan.unit))?.manifest;
    const standing = await this.#standing(plan);
    if (!standing || !isElsewhere(standing, from)) return undefined;
    if (standing.kind === 'damaged') throw artifactErrors.damaged(standing.damage);
    return standing.kind === 'whole' ? standing.generation.manifest : undefined;
  }

  /** What is current of all that are here and in the store; undefined when the store cannot be asked. */
  async #standing(plan: ArtifactPlan): Promise<Standing<{ readonly manifest: Manifest }> | undefined> {
    const { store, cache, signal } = this.#options;
    if (!store || this.#isAway) return undefined;
    const { unit } = plan;
    const here = (await cache.generations(unit)).map(({ manifest }) => manifest);
    const known = new Set<string>(here.map(({ generation }) => generation));
    const peeked = await this.#unlessAway(store, () =>
      peekSource(this.#storeOf(store, plan), unit, { known, signal }),
    );
    if (!peeked) return undefined;
    this.#listed.set(unit.recipe, new Set(peeked.generations));
    return cache.standingWith(unit, peeked);
  }

  /** What `fetch` would take, by manifests alone: nothing is taken. */
  async peek(
    plan: ArtifactPlan,
    seeds: readonly string[],
  ): Promise<Pick<Peeked, 'manifests' | 'damages'> & { readonly from?: string }> {
    const { store, signal } = this.#options;
    const { unit } = plan;
    const damages: Damage[] = [];
    for (const place of [store, ...seeds]) {
      if (place === undefined) continue;
      const source = typeof place === 'string' ? await this.#seedOf(place) : this.#storeOf(place, plan);
      const peeked = await this.#ask(source, unit, () =>
        peekSource(source, unit, { known: new Set(), signal }),
      );
      damages.push(...peeked.damages);
      if (peeked.manifests.length > 0) {
        const from = typeof place === 'string' ? place : place.url;
        return { manifests: peeked.manifests, damages, from };
      }
    }
    return { manifests: [], damages };
  }

  /** Sends generations to the store while the run goes on, with those that they are made of. */
  share(ready: readonly ReadyGeneration[]): void {
    const { store } = this.#options;
    if (!store) return;
    this.#sent = this.#push(ready, store);
    // Whoever waits for it is told; until then nobody is.
    this.#sent.catch(() => undefined);
  }

  /** When everything was sent: sentences about what the store did not take. The next run tries again. */
  settled(): Promise<readonly string[]> {
    return this.#sent;
  }

  async #take(everything: ArtifactSource, { unit }: ArtifactPlan): Promise<boolean> {
    const { cache, signal, onNote } = this.#options;
    const source = onlyRecipe(everything, unit);
    const listed = await this.#ask(source, unit, () => source.list(signal));
    if (!listed || listed.length === 0) return false;
    const { report } = await cache.merge([source], { signal });
    const newer = new Set(
      (await cache.damages()).flatMap(({ generation, isNewer }) => (isNewer ? [generation] : [])),
    );
    for (const { state, generation, reason } of report.entries) {
      if (state === 'failed' && !newer.has(generation ?? '')) throw away(source, unit, reason);
      if (!TAKEN.has(state))
        onNote(
          `Generation ${generation} of ${artifactName(unit)} in ${source.name} is not taken: ${reason ?? state}`,
        );
    }
    return report.entries.some(({ state }) => TAKEN.has(state));
  }

  #storeOf(bucket: Bucket, { unit }: ArtifactPlan): ArtifactSource {
    return bucketSource({ disk: this.#options.disk, bucket, only: [unit] });
  }

  async #unlessAway<T>(store: Bucket, ask: () => Promise<T>): Promise<T | undefined> {
    try {
      return await ask();
    } catch (error) {
      const { signal, onNote } = this.#options;
      signal.throwIfAborted();
      if (!this.#isAway) onNote(awayNote(store, error));
      this.#isAway = true;
      return undefined;
    }
  }

  async #ask<T>(source: ArtifactSource, unit: ArtifactPlan['unit'], ask: () => Promise<T>): Promise<T> {
    try {
      return await ask();
    } catch (error) {
      this.#options.signal.throwIfAborted();
      throw away(source, unit, messageOf(error), error);
    }
  }

  async #seedOf(seed: string): Promise<ArtifactSource> {
    const { disk, baseDir } = this.#options;
    const place = isBucketUrl(seed) || isAbsolute(seed) ? seed : join(baseDir, seed);
    // Where there is nothing yet, whoever lists it says so.
    return (await sourceAt(disk, place)) ?? folderSource(disk, place);
  }

  /** What was sent may be gone from there. Whoever has asked knows. A store that cannot be asked hinders nobody who needs nothing of it. */
  async #isStillThere({ manifest }: StoredGeneration, store: Bucket): Promise<boolean> {
    const { disk, signal } = this.#options;
    const known = this.#listed.get(manifest.recipe);
    if (known || this.#isAway) return known?.has(manifest.generation) ?? true;
    try {
      const listed = await bucketSource({ disk, bucket: store, only: [manifest] }).list(signal);
      return listed?.some(({ generation }) => generation === manifest.generation) ?? false;
    } catch {
      return true; // It was there, and whether it is cannot be told now.
    }
  }

  /** What it was made of, directly and by way of others, as far as that is here: a run that finds it ready looks at none of them. */
  async #inputsOf({ plan, generation }: ReadyGeneration): Promise<readonly StoredGeneration[]> {
    const found: StoredGeneration[] = [];
    for (const [name, input] of plan.inputs) {
      if (input.kind !== 'artifact') continue;
      const used = generation.manifest.inputs.find((one) => one.name === name)?.used;
      const here = await this.#options.cache.generations(input.plan.unit);
      const stored = here.find(({ manifest }) => manifest.digest === used?.digest);
      if (stored) found.push(...(await this.#inputsOf({ plan: input.plan, generation: stored })), stored);
    }
    return found;
  }

  async #push(ready: readonly ReadyGeneration[], store: Bucket): Promise<readonly string[]> {
    const { disk, signal } = this.#options;
    const generations = new Map<string, StoredGeneration>();
    for (const one of ready)
      for (const generation of [...(await this.#inputsOf(one)), one.generation])
        generations.set(generation.manifest.digest, generation);
    const due: StoredGeneration[] = [];
    for (const generation of generations.values()) {
      const wasSent = await disk.stat(this.#mark(generation.manifest.digest, store));
      if (!wasSent || !(await this.#isStillThere(generation, store))) due.push(generation);
    }
    const sentences: string[] = [];
    // Together: what the store has is listed once for all of them.
    for (const entry of due.length > 0 ? await pushGenerations(due, { disk, bucket: store, signal }) : []) {
      if (entry.state === 'pushed' || entry.state === 'already-there')
        await this.#keepMark(entry.digest, store);
      else
        sentences.push(
          `${entry.unit} is not in ${store.url}: ${asSentence(entry.reason ?? entry.state)} The next run sends it again, and so does holdfast artifacts push.`,
        );
    }
    return sentences;
  }

  /** Says that the store has taken a generation: only that spares it from being sent again. */
  #mark(digest: string, store: Bucket): string {
    return join(this.#options.cache.dir, 'shared', digestOf(store.url).slice(0, 16), digest);
  }

  async #keepMark(digest: string, store: Bucket): Promise<void> {
    const { disk } = this.#options;
    const mark = this.#mark(digest, store);
    await disk.makeDir(dirname(mark));
    await createFile(disk, mark, Buffer.from(`${store.url}\n`));
  }
}

/** True when something else is current than what is here: it is elsewhere, or damaged there. */
function isElsewhere(
  standing: Standing<{ readonly manifest: Manifest }>,
  here: Manifest | undefined,
): boolean {
  if (standing.kind === 'whole') return standing.generation.manifest.generation !== here?.generation;
  return standing.kind === 'damaged' && here !== undefined;
}

function awayNote({ url }: Bucket, error: unknown): string {
  const { message } =
    error instanceof ActionableError && error.cause instanceof Error
      ? error.cause
      : { message: messageOf(error) };
  return `The store ${url} cannot be asked (${message}): whether it has newer generations is not known, and what is here is used.`;
}

function away(
  source: ArtifactSource,
  unit: ArtifactPlan['unit'],
  reason: string | undefined,
  cause?: unknown,
): ActionableError {
  return new ActionableError({
    code: 'E_ARTIFACT_STORE_AWAY',
    message: `Whether ${source.name} has ${artifactName(unit)} cannot be told: ${reason ?? 'nobody knows why'}`,
    hint: 'Run again when it can be reached. Or go on without it (--no-store): what it has is then built once more.',
    retryable: cause === undefined || (cause instanceof ActionableError && cause.retryable),
    ...definedOf({ cause }),
  });
}

const TAKEN: ReadonlySet<string> = new Set(['installed', 'kept-current', 'superseded', 'already-here']);
