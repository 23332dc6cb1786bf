import type { BundleFile, BundleManifest, DataFile } from './manifest.ts';

/** Paths that one bundle has and another has not, or has otherwise. */
export interface FileChanges {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
}

/** What was, and what is; null for what is not there. */
export interface ValueChange<T> {
  readonly before: T | null;
  readonly after: T | null;
}

/** Why the digests of two bundles differ. What is the same is not named. */
export interface BundleChanges {
  readonly files: FileChanges;
  readonly data: FileChanges;
  readonly node?: ValueChange<number>;
  readonly lock?: ValueChange<string>;
  readonly image?: ValueChange<string>;
  /** By name: the versions, and the commands that say them where those differ. */
  readonly programs: Readonly<Record<string, ValueChange<string>>>;
}

export function changesOf(before: BundleManifest, after: BundleManifest): BundleChanges {
  return {
    files: filesChanged(before.files, after.files),
    data: filesChanged(before.data, after.data),
    ...valueChanged('node', before.node, after.node),
    ...valueChanged('lock', before.lock, after.lock),
    ...valueChanged('image', before.image, after.image),
    programs: programsChanged(before, after),
  };
}

function valueChanged<Key extends string, T>(key: Key, before: T | null, after: T | null) {
  return (before === after ? {} : { [key]: { before, after } }) as { readonly [K in Key]?: ValueChange<T> };
}

function filesChanged(
  before: readonly (BundleFile | DataFile)[],
  after: readonly (BundleFile | DataFile)[],
): FileChanges {
  const [old, now] = [contentByPath(before), contentByPath(after)];
  return {
    added: [...now.keys()].filter((path) => !old.has(path)),
    removed: [...old.keys()].filter((path) => !now.has(path)),
    changed: [...now.keys()].filter((path) => old.has(path) && old.get(path) !== now.get(path)),
  };
}

function contentByPath(files: readonly (BundleFile | DataFile)[]): ReadonlyMap<string, string> {
  return new Map(files.map((file) => [file.path, JSON.stringify(file)]));
}

function programsChanged(before: BundleManifest, after: BundleManifest): BundleChanges['programs'] {
  const [old, now] = [versionByName(before), versionByName(after)];
  const changed = [...new Set([...old.keys(), ...now.keys()])].filter(
    (name) => old.get(name) !== now.get(name),
  );
  return Object.fromEntries(
    changed.sort().map((name) => [name, { before: old.get(name) ?? null, after: now.get(name) ?? null }]),
  );
}

/** With the command where it is not the usual one: another command may give another text. */
function versionByName({ programs }: BundleManifest): ReadonlyMap<string, string> {
  return new Map(
    programs.map(({ name, command, version }) => {
      const said = command.join(' ');
      return [name, said === `${name} --version` ? version : `${version} (${said})`];
    }),
  );
}
