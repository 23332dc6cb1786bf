import { join, resolve } from 'node:path';
import { errnoOf, UsageError } from '../../base/index.ts';
import { nodeDisk } from '../../disk/index.ts';

/**
 * Where the export goes: a folder that is not there or is empty; with `force` also one that an export is in. Whatever else is in a folder is never
 * taken away.
 */
export async function exportPlace(
  given: string,
  cwd: string,
  { force }: { readonly force: boolean },
): Promise<string> {
  const out = resolve(cwd, given);
  const stat = await statOf(out, given);
  if (!stat) return out;
  if (stat.kind !== 'directory') throw noFolder(given);
  const entries = (await nodeDisk.list(out)) ?? [];
  if (entries.length === 0) return out;
  const isExport = (await nodeDisk.stat(join(out, 'data', 'manifest.js')))?.kind === 'file';
  if (!isExport) throw notEmpty(given);
  if (!force) throw isThere(given);
  return out;
}

/** A part of the path may be a file. */
async function statOf(out: string, given: string) {
  try {
    return await nodeDisk.stat(out);
  } catch (error) {
    if (errnoOf(error) === 'ENOTDIR') throw noFolder(given);
    throw error;
  }
}

function noFolder(given: string): UsageError {
  return new UsageError({
    code: 'E_STUDIO_EXPORT_OUT',
    message: `${given} is no folder, or lies in something that is none.`,
    hint: 'Name a folder that is not there yet with --out.',
  });
}

function notEmpty(given: string): UsageError {
  return new UsageError({
    code: 'E_STUDIO_EXPORT_OUT',
    message: `${given} is not empty, and what is in it is no export.`,
    hint: 'Name a folder that is empty or not there yet with --out.',
  });
}

function isThere(given: string): UsageError {
  return new UsageError({
    code: 'E_STUDIO_EXPORT_OUT',
    message: `There is an export in ${given} already.`,
    hint: 'Replace it with --force, or name another folder with --out.',
  });
}
