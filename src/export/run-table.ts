import type { Raw } from './column.ts';
import type { RunItem } from './exported-run.ts';
import { column, type FixedColumn } from './own-columns.ts';
import { ownMetadata } from './own-metadata.ts';

/** One row a run. */
export const RUN_COLUMNS: readonly FixedColumn<RunItem>[] = [
  column('run', 'text', ({ row }) => row.run),
  column('revision', 'int', ({ row }) => row.revision),
  column('eval', 'text', ({ header }) => header.eval.task),
  column('target', 'text', ({ header }) => header.eval.model),
  column('experiment', 'text', ({ row }) => row.experiment),
  column('tags', 'text', ({ header }) => header.tags),
  column('status', 'text', ({ row }) => row.status),
  column('samples', 'int', ({ row }) => row.samples.total),
  column('completed', 'int', ({ row }) => row.samples.completed),
  column('errored', 'int', ({ row }) => row.samples.errored),
  column('passed', 'int', ({ row }) => row.samples.passed),
  column('pass_rate', 'number', ({ row }) => row.passRate),
  column('started', 'time', ({ row }) => row.start),
  column('ended', 'time', ({ row }) => row.end),
  column('seconds', 'number', ({ row }) => row.durationMs / 1_000),
  column('input_tokens', 'int', ({ row }) => row.tokens.input),
  column('output_tokens', 'int', ({ row }) => row.tokens.output),
  column('total_tokens', 'int', ({ row }) => row.tokens.total),
  column('cost_usd', 'number', ({ row }) => row.usd),
  column('commit', 'text', ({ row }) => row.code?.commit),
  column('branch', 'text', ({ row }) => row.code?.branch),
  column('is_dirty', 'boolean', ({ row }) => row.code?.isDirty),
  column('user', 'text', ({ row }) => row.by.user || undefined),
  column('host', 'text', ({ row }) => row.by.host || undefined),
  column('error', 'text', ({ header }) => header.error?.message),
  column('log', 'text', ({ row }) => row.log.name),
  column('log_digest', 'text', ({ row }) => row.log.digest),
  column('log_bytes', 'int', ({ row }) => row.log.sizeBytes),
  column('metadata', 'text', ({ header }) => ownMetadata(header.eval.metadata)),
];

/** All metrics of a run, from its log: a list row may be too short for them. The intervals are those of the row. */
export function* metricsOf({ row, header }: RunItem): Iterable<readonly [readonly string[], Raw]> {
  for (const { name, metrics } of header.results?.scores ?? [])
    for (const metric of Object.values(metrics)) {
      const path = ['metric', name, metric.name];
      yield [path, metric.value];
      const listed = row.scores.find((score) => score.name === name && score.metric === metric.name);
      if (listed?.low === undefined || listed.high === undefined) continue;
      yield [[...path, 'low'], listed.low];
      yield [[...path, 'high'], listed.high];
    }
}
