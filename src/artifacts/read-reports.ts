import { join } from 'node:path';
import { z } from 'zod';
import { type Digest, isJsonObject, tryParseJson } from '../base/index.ts';
import type { Disk } from '../disk/index.ts';
import { reportsDir } from './layout.ts';
import { MERGE_STATES, type MergeReport } from './merge-report.ts';

/** A report of a merge that is kept here, or why it cannot be read: unreadable is not absent. */
export type KeptReport =
  | { readonly id: string; readonly report: MergeReport }
  | { readonly id: string; readonly reason: string };

/** The ids of all reports of merges into a cache, the latest first: ids begin with the time [ART-12]. */
export async function reportIds(disk: Disk, cacheDir: string): Promise<readonly string[]> {
  const entries = (await disk.list(reportsDir(cacheDir))) ?? [];
  const ids = entries.flatMap(({ name, kind }) => (kind === 'file' ? (NAME.exec(name)?.[1] ?? []) : []));
  return ids.sort().reverse();
}

/** Undefined when there is none of that id. */
export async function readReport(disk: Disk, cacheDir: string, id: string): Promise<KeptReport | undefined> {
  if (!NAME.test(`${id}.json`)) return undefined;
  const bytes = await disk.read(join(reportsDir(cacheDir), `${id}.json`));
  return bytes && { id, ...decodeReport(bytes) };
}

/** A report is a file of its own folder: nothing that is asked for leads elsewhere. */
const NAME = /^([\w-]{1,100})\.json$/;

function decodeReport(bytes: Uint8Array): { readonly report: MergeReport } | { readonly reason: string } {
  const value = tryParseJson(bytes);
  if (!isJsonObject(value)) return { reason: 'it is no JSON object' };
  if (typeof value.format === 'number' && value.format > 1)
    return { reason: `it has format ${value.format}, which a newer version of Holdfast wrote` };
  const parsed = reportSchema.safeParse(value);
  if (parsed.success) return { report: parsed.data };
  const [issue] = parsed.error.issues;
  return { reason: `it is wrong at ${issue?.path.join('.') || 'its top'}: ${issue?.message}` };
}

const text = z.string();
const digest = z.custom<Digest>((value) => typeof value === 'string', 'is no digest');
const count = z.int().min(0);

const reportSchema = z.object({
  format: z.literal(1),
  id: text,
  created: text,
  sources: z.array(
    z.object({
      name: text,
      state: z.enum(['read', 'absent', 'failed']),
      generations: count,
      reason: text.exactOptional(),
    }),
  ),
  entries: z.array(
    z.object({
      unit: text,
      recipe: text.nullable(),
      generation: text.nullable(),
      digest: digest.nullable(),
      state: z.enum(MERGE_STATES),
      source: text.nullable(),
      files: count,
      bytes: count,
      producer: z.object({ version: text, run: text, writer: text }).nullable(),
      reason: text.exactOptional(),
    }),
  ),
  changes: z.array(z.object({ unit: text, recipe: text, from: text.nullable(), to: text })),
});
