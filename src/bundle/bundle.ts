import type { Clock, Digest, Random } from '../base/index.ts';
import type { Bucket } from '../bucket/index.ts';
import type { Disk } from '../disk/index.ts';
import type { ProcessEnv } from '../process/index.ts';
import type { BundleManifest } from './manifest.ts';

/** What a project says of its bundle. */
export interface BundleSettings {
  /** Patterns of files, in the place of what git tracks. */
  readonly files?: readonly string[] | undefined;
  /** Patterns of files that git ignores and the code needs. */
  readonly data?: readonly string[] | undefined;
  /** Programs that the code starts: names, or names with the command that says the version. */
  readonly programs?: readonly string[] | Readonly<Record<string, string>> | undefined;
  /** The image that workers run in, as its registry names it. */
  readonly image?: string | undefined;
  /** Where patterns start: the folder of the file of settings. Default: the folder that the bundle is derived for. */
  readonly from?: string | undefined;
  /** Where logs go: what is there is no code. */
  readonly logDir?: string | undefined;
}

/** This machine, as far as a bundle asks about it. */
export interface BundlePorts {
  readonly disk: Disk;
  readonly clock: Clock;
  readonly random: Random;
  readonly env: ProcessEnv;
  /** Default: that of the Node that runs. */
  readonly nodeMajor?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** `untracked`: git neither tracks nor ignores it. `secret`: there is no git, which would usually ignore it. */
export interface LeftOut {
  readonly path: string;
  readonly reason: 'untracked' | 'secret';
}

/** The code that workers run, with everything that decides what it does. */
export interface Bundle {
  readonly digest: Digest;
  readonly manifest: BundleManifest;
  /** Where it was derived: the top of the work tree, or the folder of the package. */
  readonly root: string;
  /** From the root to the folder that it was derived for, with `/`; empty when they are one. */
  readonly dir: string;
  /** The commit that is checked out; undefined without git, and before the first commit. */
  readonly revision: string | undefined;
  /** True when the commit alone does not give this bundle: something in it differs, or something beside it is untracked. */
  readonly isDirty: boolean;
  /** What differs from the commit, sorted. */
  readonly dirtyFiles: readonly string[];
  /** Files beside the code that are not in the bundle, sorted by path. */
  readonly leftOut: readonly LeftOut[];
  /** Where a file of the bundle lies on this machine: data may lie in another work tree. */
  filesFrom(path: string): string;
}

/** Where bundles lie in a bucket. */
export interface BundlePlace {
  readonly bucket: Bucket;
  /** What all keys begin with; ends with `/` unless empty. */
  readonly prefix: string;
}

export function manifestKey({ prefix }: BundlePlace, digest: string): string {
  return `${prefix}bundles/${digest}`;
}

export function objectsFolder({ prefix }: BundlePlace): string {
  return `${prefix}bundles/objects`;
}

export function objectKey(place: BundlePlace, sha256: string): string {
  return `${objectsFolder(place)}/${sha256.slice(0, 2)}/${sha256}`;
}

/** The Node that runs. */
export function nodeMajorHere(): number {
  return Number(process.versions.node.split('.')[0]);
}
