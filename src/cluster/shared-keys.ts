import type { Bucket } from '../bucket/index.ts';

/** Where shared runs live in a bucket: beside the segments of their writers. */
export interface SharedPlace {
  readonly bucket: Bucket;
  /** What all keys begin with; ends with `/` unless empty. */
  readonly prefix: string;
}

/** Apart from runs of one machine, which look for each other's segments: nobody takes a shared run for a lost one. */
export const SHARED_PREFIX = '.holdfast/shared/';

/** One sample of the plan, or one build: `s12`, `b0f3…`. */
export type JobId = string & { readonly __brand: 'JobId' };

export type Job =
  | { readonly kind: 'sample'; readonly position: number }
  | { readonly kind: 'build'; readonly recipe: string };

const RECIPE_DIGITS = 16;
const GROUP_SIZE = 1_000;
const GROUP_OF_BUILDS = 'builds';
const REMOVING = '.removing';

export function sampleJob(position: number): JobId {
  return `s${position}` as JobId;
}

/** Recipes are digests: their beginnings tell them apart. */
export function buildJob(recipe: string): JobId {
  return `b${recipe.slice(0, RECIPE_DIGITS)}` as JobId;
}

/** Undefined for what is no job. */
export function parseJob(text: string): Job | undefined {
  const [, position] = /^s(0|[1-9]\d{0,14})$/.exec(text) ?? [];
  if (position !== undefined) return { kind: 'sample', position: Number(position) };
  const [, recipe] = /^b([0-9a-f]{16})$/.exec(text) ?? [];
  return recipe === undefined ? undefined : { kind: 'build', recipe };
}

export function isJob(text: string): text is JobId {
  return parseJob(text) !== undefined;
}

/** The keys of one shared run (docs/format/shared-run.md). */
export class SharedKeys {
  readonly root: string;

  constructor(prefix: string, run: string) {
    this.root = `${prefix}${run}/shared/`;
  }

  get submission(): string {
    return `${this.root}submission`;
  }

  get rounds(): string {
    return `${this.root}rounds/`;
  }

  round(n: number): string {
    return `${this.rounds}${padded(n)}`;
  }

  /** That the run is being removed, as it was in a round [SHR-26]. */
  removing(round: number): string {
    return `${this.round(round)}${REMOVING}`;
  }

  cancelled(round: number): string {
    return `${this.root}cancelled/${padded(round)}`;
  }

  /** That what is under way of a round that was cancelled before is not to end either. */
  cancelledNow(round: number): string {
    return `${this.cancelled(round)}.now`;
  }

  get fetched(): string {
    return `${this.root}fetched/`;
  }

  get leases(): string {
    return `${this.root}leases/`;
  }

  begun(job: JobId, n: number): string {
    return `${this.#lease(job, n)}.begun`;
  }

  ended(job: JobId, n: number): string {
    return `${this.#lease(job, n)}.ended`;
  }

  /** The folder in which the leases of a job lie among others, and what their names begin with. */
  leasesOf(job: JobId): { readonly folder: string; readonly start: string } {
    const folder = `${this.leases}${groupOf(job)}/`;
    return { folder, start: `${folder}${job}.` };
  }

  #lease(job: JobId, n: number): string {
    return `${this.leasesOf(job).start}${padded(n)}`;
  }
}

/** Runs that may have something due, by id and round: a hint where to look, never more. */
export function activePrefix(prefix: string): string {
  return `${prefix}active/`;
}

export function activeKey(
  prefix: string,
  { run, round }: { readonly run: string; readonly round: number },
): string {
  return `${activePrefix(prefix)}${run}.${padded(round)}`;
}

/** That a round may have something due. */
export interface ActiveHint {
  readonly run: string;
  readonly round: number;
}

export function parseActiveKey(key: string): ActiveHint | undefined {
  const [, run, round] = /\/([^/.]+)\.(\d{4,})$/.exec(key) ?? [];
  return run === undefined ? undefined : { run, round: Number(round) };
}

/** The runs that share a budget lie below this, each an empty object under its own name [SHR-23]. */
export function pursePrefix(prefix: string, purse: string): string {
  return `${pursesPrefix(prefix)}${purse}/`;
}

export function pursesPrefix(prefix: string): string {
  return `${prefix}purses/`;
}

/** That a run was removed: whatever is found of it later was written by somebody who did not know [SHR-26]. */
export function removedKey(prefix: string, run: string): string {
  return `${prefix}removed/${run}`;
}

/** That the log of a round was brought home, by whoever did it first: whole with its artifacts, or not. */
export function fetchedKey(keys: SharedKeys, round: number, isMerged: boolean): string {
  return `${keys.fetched}${padded(round)}${isMerged ? '' : '.partly'}`;
}

/** What tells this place from others. */
export function placeKey(prefix: string): string {
  return `${prefix}place`;
}

/** The signs of life of all workers lie below this, each under its worker's name. */
export function beatPrefix(prefix: string): string {
  return `${prefix}workers/`;
}

export function beatKey(prefix: string, worker: string): string {
  return `${beatPrefix(prefix)}${worker}`;
}

/** What the key of a lease tells; undefined for any other. */
export function parseLeaseKey(
  key: string,
): { readonly job: JobId; readonly n: number; readonly part: 'begun' | 'ended' } | undefined {
  const name = key.slice(key.lastIndexOf('/') + 1);
  const [, job = '', n, part] = /^([sb][0-9a-f]+)\.(\d{4,})\.(begun|ended)$/.exec(name) ?? [];
  if (!isJob(job)) return undefined;
  return { job, n: Number(n), part: part === 'begun' ? 'begun' : 'ended' };
}

export function parseNumberedKey(key: string): number | undefined {
  const [, n] = /\/(\d{4,})$/.exec(key) ?? [];
  return n === undefined ? undefined : Number(n);
}

/** Of which round a run is being removed, by the key that says so; undefined for any other. */
export function parseRemovingKey(key: string): number | undefined {
  return key.endsWith(REMOVING) ? parseNumberedKey(key.slice(0, -REMOVING.length)) : undefined;
}

function groupOf(job: JobId): string {
  const parsed = parseJob(job);
  return parsed?.kind === 'sample' ? padded(Math.floor(parsed.position / GROUP_SIZE)) : GROUP_OF_BUILDS;
}

function padded(n: number): string {
  return String(n).padStart(4, '0');
}
