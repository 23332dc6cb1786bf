import type { Bucket } from '../bucket/index.ts';

/** Where a shared run lives in a bucket: what the room of shared runs calls its place. */
export interface LaunchPlace {
  readonly bucket: Bucket;
  /** What all keys begin with; ends with `/` unless empty. */
  readonly prefix: string;
}

/**
 * What the workers of one launch are found by, on every kind of machine: a name for Kubernetes and Slurm, a word in the command line of each
 * worker. Padded, so that none is the beginning of another.
 */
export function labelOf(run: string, n: number): string {
  return `holdfast-${run.toLowerCase()}-${padded(n)}`;
}

export const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

/** The number of the launch that a label ends with. */
export function numberOfLabel(label: string): number | undefined {
  const [, digits] = /-(\d{4,})$/.exec(label) ?? [];
  return digits === undefined ? undefined : Number(digits);
}

/** The keys of what was launched for one run (docs/format/shared-run.md). */
export class LaunchKeys {
  readonly root: string;

  constructor({ prefix }: LaunchPlace, run: string) {
    this.root = `${prefix}${run}/shared/launched/`;
  }

  record(n: number): string {
    return `${this.root}${padded(n)}`;
  }

  /** The first call to stop, and every later one: each is made by one. */
  stopped(n: number, call = 1): string {
    return `${this.record(n)}.stopped${call === 1 ? '' : `.${padded(call)}`}`;
  }

  /** That the stop which the call was about failed. */
  failed(n: number, call: number): string {
    return `${this.record(n)}.failed.${padded(call)}`;
  }

  gone(n: number): string {
    return `${this.record(n)}.gone`;
  }

  /** On a run that the workers of another one work on as well: where their record is. */
  served(run: string, n: number): string {
    return `${this.root}with.${run}.${padded(n)}`;
  }
}

export interface LaunchKey {
  readonly n: number;
  readonly part: 'record' | 'stopped' | 'failed' | 'gone';
  readonly call: number;
}

/** Undefined for what is none. */
export function parseLaunchKey(key: string): LaunchKey | undefined {
  const name = key.slice(key.lastIndexOf('/') + 1);
  const [, n, part = 'record', call = '1'] =
    /^(\d{4,})(?:\.(stopped|failed|gone)(?:\.(\d{4,}))?)?$/.exec(name) ?? [];
  if (n === undefined) return undefined;
  return { n: Number(n), part: part as LaunchKey['part'], call: Number(call) };
}

/** The launch of another run that a key names; undefined for what is none. */
export function parseServedKey(key: string): { readonly run: string; readonly n: number } | undefined {
  const name = key.slice(key.lastIndexOf('/') + 1);
  const [, run, n] = /^with\.(.+)\.(\d{4,})$/.exec(name) ?? [];
  return run === undefined ? undefined : { run, n: Number(n) };
}

function padded(n: number): string {
  return String(n).padStart(4, '0');
}
