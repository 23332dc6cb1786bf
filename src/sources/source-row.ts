import type { z } from 'zod';
import { isJsonObject, parseJson } from '../base/index.ts';
import { rowContent, runRow } from '../results/index.ts';

/** What is listed of a run. A published one has everything; others as much as can be told without reading all of it. */
const sourceRow = rowContent.extend({
  tokens: rowContent.shape.tokens.optional(),
  revision: runRow.shape.revision.optional(),
  by: runRow.shape.by.optional(),
  log: runRow.shape.log.partial().required({ name: true, sizeBytes: true }).optional(),
});

export type SourceRow = z.infer<typeof sourceRow>;

/** A row as it was remembered; undefined when it is none. */
export function readSourceRow(text: string): SourceRow | undefined {
  const value = parseJson(text);
  const read = isJsonObject(value) ? sourceRow.safeParse(value) : undefined;
  return read?.success ? read.data : undefined;
}
