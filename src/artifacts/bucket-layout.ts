import { isGenerationId } from './generation.ts';
import { recipeFolder, UNITS } from './layout.ts';
import type { Manifest } from './manifest.ts';

/** [ART-13] Where what lies in a bucket: content by its digest, manifests as in a cache. */
export const OBJECTS = 'objects';
const MANIFEST_ENDING = '.json';
/** Says that an upload was begun: without a manifest beside it, it did not finish. */
const DUE_ENDING = '.due';

export function objectKey(sha256: string): string {
  return `${OBJECTS}/${sha256.slice(0, 2)}/${sha256}`;
}

export function manifestKey({
  folder,
  generation,
}: {
  readonly folder: string;
  readonly generation: string;
}): string {
  return `${folder}/${generation}${MANIFEST_ENDING}`;
}

export function dueKey({
  folder,
  generation,
}: {
  readonly folder: string;
  readonly generation: string;
}): string {
  return `${folder}/${generation}${DUE_ENDING}`;
}

export function refOf(manifest: Manifest): { readonly folder: string; readonly generation: string } {
  return { folder: recipeFolder(manifest).join('/'), generation: manifest.generation };
}

/** What the key of a manifest, or of one that is due, tells; undefined for any other key. */
export function parseUnitKey(
  key: string,
): { readonly folder: string; readonly generation: string } | undefined {
  const parts = key.split('/');
  const name = parts.pop() ?? '';
  const ending = [MANIFEST_ENDING, DUE_ENDING].find((one) => name.endsWith(one));
  if (ending === undefined || parts.length !== 4 || parts[0] !== UNITS) return undefined;
  const generation = name.slice(0, -ending.length);
  return isGenerationId(generation) ? { folder: parts.join('/'), generation } : undefined;
}
