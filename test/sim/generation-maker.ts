import { dirname, join } from 'node:path';
import { type Manifest, type RecipeParts, recipeOf } from '../../src/artifacts/index.ts';
import { recipeFolder } from '../../src/artifacts/layout.ts';
import { encodeManifest, makeManifest } from '../../src/artifacts/manifest.ts';
import { digestOf } from '../../src/base/index.ts';
import type { Disk } from '../../src/disk/index.ts';
import { COST, PRODUCER, partsOf } from './artifact-fixture.ts';

/** A generation as data: which one it is, and what it holds. */
export interface Made {
  readonly manifest: Manifest;
  readonly files: Readonly<Record<string, string>>;
}

export interface MadeOptions {
  /** A number that is the time and the random tail of its id. */
  readonly number: number;
  readonly supersedes?: readonly number[];
  readonly parts?: RecipeParts;
  readonly files?: Readonly<Record<string, string>>;
}

/** The id of generation `number`: they sort as their numbers do. */
export function idOf(number: number): Manifest['generation'] {
  const text: string = `20260101T${String(number).padStart(9, '0')}-${String(number).padStart(10, 'x')}`;
  return text as Manifest['generation'];
}

/** The same options always give the same generation, byte for byte. */
export function makeGenerationData(options: MadeOptions): Made {
  const { number, supersedes = [], parts = partsOf() } = options;
  const files = options.files ?? { 'a.md': `a of ${number}`, 'b/c.md': `c of ${number}` };
  const manifest = makeManifest({
    ...parts,
    generation: idOf(number),
    supersedes: supersedes.map(idOf),
    created: '2026-01-01T00:00:00.000+00:00',
    producer: PRODUCER,
    cost: COST,
    files: Object.entries(files)
      .map(([path, text]) => ({
        path,
        size: Buffer.byteLength(text),
        sha256: digestOf(text),
        executable: false,
      }))
      .sort((a, b) => (a.path < b.path ? -1 : 1)),
  });
  return { manifest, files };
}

export type Harm = 'whole' | 'no manifest' | 'torn manifest' | 'missing file' | 'changed file';

/** Puts a generation where it belongs below a folder, as a crash or a bad disk may have left it. */
export async function putGeneration(
  disk: Disk,
  dir: string,
  made: Made,
  harm: Harm = 'whole',
): Promise<void> {
  const { manifest, files } = made;
  const place = join(dir, ...recipeFolder(recipeOf(manifest)), manifest.generation);
  for (const [at, [path, text]] of Object.entries(files).entries()) {
    if (harm === 'missing file' && at === 0) continue;
    await put(
      disk,
      join(place, 'files', path),
      harm === 'changed file' && at === 0 ? `${text.slice(1)}!` : text,
    );
  }
  const bytes = encodeManifest(manifest);
  if (harm === 'torn manifest')
    await put(disk, join(place, 'manifest.json'), bytes.subarray(0, bytes.length / 2));
  else if (harm !== 'no manifest') await put(disk, join(place, 'manifest.json'), bytes);
}

async function put(disk: Disk, path: string, content: string | Uint8Array): Promise<void> {
  await disk.makeDir(dirname(path));
  await using file = await disk.open(path, 'create');
  await file.write(Buffer.from(content), 0);
  await file.sync();
  await disk.syncDir(dirname(path));
}
