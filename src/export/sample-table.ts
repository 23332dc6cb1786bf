import { isJsonObject, type JsonObject } from '../base/index.ts';
import type { ModelUsage } from '../log/index.ts';
import type { SampleItem } from './exported-run.ts';
import { inputText, outputText } from './message-text.ts';
import { column, type FixedColumn } from './own-columns.ts';
import { ownMetadata } from './own-metadata.ts';

/** What every row of a sample or of a score begins with: which sample it is of. */
export const KEY_COLUMNS: readonly FixedColumn<SampleItem>[] = [
  column('run', 'text', ({ row }) => row.run),
  column('eval', 'text', ({ row }) => row.eval),
  column('run_target', 'text', ({ row }) => row.target),
  column('id', 'text', ({ summary }) => String(summary.id)),
  column('epoch', 'int', ({ summary }) => summary.epoch),
];

/** One row a sample and epoch. */
export const SAMPLE_COLUMNS: readonly FixedColumn<SampleItem>[] = [
  ...KEY_COLUMNS,
  column('status', 'text', statusOf),
  column('input', 'text', ({ fields, summary }) => inputText(fields?.input ?? summary.input)),
  column('target', 'text', ({ fields, summary }) => targetText(fields?.target ?? summary.target)),
  column('output', 'text', ({ fields }) => outputText(fields?.output)),
  column('stop_reason', 'text', ({ fields }) => fields?.output.choices[0]?.stop_reason),
  column('error', 'text', ({ fields, summary }) => fields?.error?.message ?? summary.error),
  column('limit', 'text', ({ fields, summary }) => fields?.limit?.type ?? summary.limit),
  column('limit_at', 'number', ({ fields }) => fields?.limit?.limit),
  column('started', 'time', ({ summary }) => summary.started_at),
  column('completed', 'time', ({ summary }) => summary.completed_at),
  column('seconds', 'number', ({ summary }) => summary.total_time),
  column('working_seconds', 'number', ({ summary }) => summary.working_time),
  column('input_tokens', 'int', (item) => total(item, (usage) => usage.input_tokens)),
  column('output_tokens', 'int', (item) => total(item, (usage) => usage.output_tokens)),
  column('total_tokens', 'int', (item) => total(item, (usage) => usage.total_tokens)),
  column('cost_usd', 'number', costOf),
  column('messages', 'int', ({ fields, summary }) => summary.message_count ?? fields?.messages.length),
  column('turns', 'int', ({ summary }) => summary.turn_count),
  column('retries', 'int', ({ summary }) => summary.retries),
  column('made', 'text', (item) => madeOf(item)?.how),
  column('made_from', 'text', (item) => madeOf(item)?.from),
  column('metadata', 'text', ({ fields, summary }) => ownMetadata(fields?.metadata ?? summary.metadata)),
];

function statusOf({ summary }: SampleItem): string {
  if (markOf(summary.metadata)?.interrupted === true) return 'interrupted';
  if (summary.error !== undefined) return 'error';
  return summary.completed ? 'completed' : 'interrupted';
}

function targetText(target: string | readonly string[]): string {
  return typeof target === 'string' ? target : target.join('\n');
}

function total({ summary }: SampleItem, pick: (usage: ModelUsage) => number): number {
  return Object.values(summary.model_usage).reduce((sum, usage) => sum + pick(usage), 0);
}

/** Unknown as soon as the price of anything is. */
function costOf({ summary }: SampleItem): number | undefined {
  let usd = 0;
  for (const { total_cost } of Object.values(summary.model_usage)) {
    if (total_cost === undefined) return undefined;
    usd += total_cost;
  }
  return usd;
}

/** How it came into this log: the list of samples knows, while a sample that was kept says how it was made at first. */
function madeOf({ summary, fields }: SampleItem): JsonObject | undefined {
  const made = (markOf(summary.metadata) ?? markOf(fields?.metadata))?.made;
  return isJsonObject(made) ? made : undefined;
}

function markOf(metadata: JsonObject | undefined): JsonObject | undefined {
  const mark = metadata?.holdfast;
  return isJsonObject(mark) ? mark : undefined;
}
