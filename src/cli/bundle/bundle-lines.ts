import { counted } from '../../base/index.ts';
import type { Bundle, BundleChanges, BundleManifest } from '../../bundle/index.ts';
import { formatBytes } from '../quantities.ts';
import { shortPath } from '../short-path.ts';
import { oneLine } from '../table.ts';
import type { Terminal } from '../terminal.ts';

const NAMES_SHOWN = 10;

/** What is inside a bundle, as people read it. */
export function bundleLines(bundle: Bundle, { style, cwd }: Terminal): string[] {
  const { digest, manifest, root, revision, dirtyFiles, leftOut } = bundle;
  const outside = new Set(leftOut.map(({ path }) => path));
  const at = revision === undefined ? 'no commit' : `commit ${revision.slice(0, 12)}`;
  return [
    `${style.bold('bundle')} ${digest}`,
    line('code', `${sizeOf(manifest.files)}, of ${shortPath(root, cwd) || '.'} (${at})`),
    line('lock', manifest.lock ?? 'none: no packages are installed'),
    line('node', String(manifest.node)),
    ...(manifest.image === null ? [] : [line('image', oneLine(manifest.image))]),
    ...manifest.programs.map(({ name, version }) => line('program', `${name}: ${oneLine(version)}`)),
    ...(manifest.data.length === 0 ? [] : [line('data', sizeOf(manifest.data))]),
    ...nameLines(
      'dirty',
      dirtyFiles.filter((path) => !outside.has(path)),
    ),
    ...nameLines(
      'left out',
      leftOut.map(({ path, reason }) => `${path}: ${WHY[reason]}`),
    ),
  ];
}

/** Why the digest is another one. */
export function changeLines(
  before: { readonly digest: string; readonly changes: BundleChanges },
  { style }: Terminal,
): string[] {
  const { files, data, node, lock, image, programs } = before.changes;
  const values = { node, lock, image, ...programs };
  return [
    style.dim(`since ${before.digest.slice(0, 12)}`),
    ...Object.entries(values).flatMap(([what, change]) =>
      change ? [line(what, `${oneLine(said(change.before))} → ${oneLine(said(change.after))}`)] : [],
    ),
    ...nameLines('changed', [...files.changed, ...data.changed]),
    ...nameLines('added', [...files.added, ...data.added]),
    ...nameLines('removed', [...files.removed, ...data.removed]),
  ];
}

function said(value: string | number | null): string {
  return value === null ? 'none' : String(value);
}

function sizeOf(files: BundleManifest['files'] | BundleManifest['data']): string {
  const bytes = files.reduce((sum, file) => sum + ('size' in file ? file.size : 0), 0);
  return `${counted(files.length, 'file')}, ${formatBytes(bytes)}`;
}

const WHY = { untracked: 'not known to git', secret: 'may hold secrets' };

function nameLines(label: string, names: readonly string[]): string[] {
  const shown = names.slice(0, NAMES_SHOWN).map((name) => line(label, oneLine(name)));
  const more = names.length - shown.length;
  return more > 0 ? [...shown, line(label, `and ${more} more: see --json`)] : shown;
}

function line(label: string, text: string): string {
  return `  ${label.padEnd(9)} ${text}`;
}
