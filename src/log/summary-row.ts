import { isJsonObject, type Json } from '../base/index.ts';
import { Wrong } from './kinds/kind.ts';
import { sampleSummary } from './kinds/sample-kinds.ts';
import type { MemberJson } from './member-json.ts';
import type { EvalSampleSummary } from './schema.ts';

/** True when a row says itself whether its sample ended: those of Inspect before 0.3.59 do not. */
export function saysEnd(row: Json): boolean {
  return isJsonObject(row) && typeof row.completed === 'boolean';
}

/**
 * One row of a log's list of samples [LOG-22]. Where it does not say whether its sample ended, that is told from the rest: what was
 * scored or failed has ended, and in a run that was finished everything that is listed has. Nobody else derives it.
 */
export function summaryIn(list: MemberJson, row: Json, isFinished: boolean): EvalSampleSummary {
  const summary = sampleSummary(row);
  if (summary instanceof Wrong) throw list.wrongShape(`has a row that is not a summary: ${summary.reason}`);
  return saysEnd(row) ? summary : { ...summary, completed: isFinished || hasEnded(summary) };
}

function hasEnded({ error, scores = {}, completed_at }: EvalSampleSummary): boolean {
  return error !== undefined || completed_at !== undefined || Object.keys(scores).length > 0;
}
