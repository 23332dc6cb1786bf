import { digestOfJson, isRunId, toJson } from '../base/index.ts';
import type { SourceRow, SourceRun } from '../sources/index.ts';

/** A run as one source keeps it. */
export interface KeptRun {
  readonly run: string;
  readonly form: SourceRun['form'];
  readonly place: string;
  readonly name: string;
  readonly row?: SourceRow | undefined;
}

const FINISHED: ReadonlySet<SourceRun['form']> = new Set(['published', 'log', 'agentv']);

/** Changes with anything that can be read of a run. A finished one is what its row says; of one under way nothing can be promised. */
export function versionOf({ run, form, place, name, row }: KeptRun): string | undefined {
  if (!FINISHED.has(form) || row?.status === 'started' || !isRunId(run)) return undefined;
  return digestOfJson(toJson({ run, form, place, name, row: row ?? null })).slice(0, 24);
}
