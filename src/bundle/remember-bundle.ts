import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import { exactJson, toJson, tryParseJson } from '../base/index.ts';
import { createFile, type Disk, replaceFile } from '../disk/index.ts';
import type { Bundle } from './bundle.ts';
import { type BundleManifest, decodeManifest, encodeManifest } from './manifest.ts';

/** The bundle that was last derived or sent from here, as far as is remembered. */
export interface RememberedBundle {
  readonly digest: string;
  readonly revision: string | undefined;
  readonly manifest: BundleManifest;
}

const schema = z.object({ digest: z.string(), revision: z.string().nullable(), manifest: z.string() });

/** Keeps what the digest is of, so that the next one can be told what changed. Nothing but such a comparison reads it. */
export async function rememberBundle(disk: Disk, path: string, bundle: Bundle): Promise<void> {
  const { digest, revision = null, manifest } = bundle;
  const text = Buffer.from(encodeManifest(manifest)).toString('utf8');
  await disk.makeDir(dirname(path));
  await hideFromGit(disk, path);
  await replaceFile(disk, path, Buffer.from(exactJson(toJson({ digest, revision, manifest: text }))));
}

/** It lies in a repository and is no part of it. Whoever wants it otherwise changes the file: it is made once. */
async function hideFromGit(disk: Disk, path: string): Promise<void> {
  const hidden = join(dirname(path), '.gitignore');
  const text = `/${basename(path)}\n/.gitignore\n`;
  if (!(await disk.stat(hidden))) await createFile(disk, hidden, Buffer.from(text));
}

/** Undefined when there is none, or none that can be read: then nobody can tell what changed, and nothing else is lost. */
export async function recallBundle(disk: Disk, path: string): Promise<RememberedBundle | undefined> {
  const bytes = await disk.read(path);
  const { data } = schema.safeParse(bytes && tryParseJson(bytes));
  if (!data) return undefined;
  try {
    const manifest = decodeManifest(Buffer.from(data.manifest), data.digest, path);
    return { digest: data.digest, revision: data.revision ?? undefined, manifest };
  } catch {
    // Another version wrote it, or somebody changed it: it is no more than a memory.
    return undefined;
  }
}
