import { Option } from 'commander';
import { type JsonObject, type SampleKey, toJson } from '../../base/index.ts';
import {
  type EvalSampleSummary,
  type LogHeader,
  type LogReader,
  type RepairedLog,
  repairedLog,
} from '../../log/index.ts';
import { defineCommand } from '../command.ts';
import { EXIT } from '../exit-code.ts';
import { openNamed } from '../logs/named-log.ts';
import { findSample } from '../logs/sample-ref.ts';
import { eventLine, sampleLines } from '../logs/sample-view.ts';
import { parseCount } from '../parse-values.ts';
import { counted, formatBytes, formatCount, formatDuration, formatScore, formatTime } from '../quantities.ts';
import { resultsOptions } from '../results/results-place.ts';
import { type SourcesFlags, sourceOption } from '../results/run-sources.ts';
import { resultLines } from '../run/account-report.ts';
import { type Column, oneLine, renderTable, shorten } from '../table.ts';
import type { Terminal } from '../terminal.ts';

interface ShowFlags extends SourcesFlags {
  readonly sample?: string;
  readonly events?: true;
  readonly limit: number;
}

export const command = defineCommand<ShowFlags>({
  summary: 'Show a log, or one sample of it',
  arguments: [
    [
      '<log>',
      'a .eval or .json log, written by Holdfast or Inspect: a path, its URL in a bucket, or the id of a run that is published or in a --source',
    ],
  ],
  options: [
    new Option('--sample <id>', 'one sample, by its id or id@epoch'),
    new Option('--events', 'with --sample: also what happened, event by event'),
    new Option('--limit <n>', 'how many samples to list').argParser(parseCount).default(50),
    sourceOption(),
    ...resultsOptions(),
  ],
  examples: [
    ['holdfast log show logs/x.eval', 'header, results and samples'],
    ['holdfast log show logs/x.eval --sample 7@2 --events', 'sample 7 of epoch 2, with its events'],
    ['holdfast log show KvkpiQSMQs', 'a published run'],
    ['holdfast log show 71db --source ../repo#agentv/results/v1', 'a run of AgentV'],
  ],
  exits: {
    0: 'shown',
    1: 'the log cannot be read',
    2: 'there is no such log or sample',
    3: 'the log is damaged',
  },
  async run({ args, flags, terminal }) {
    await using named = await openNamed(String(args[0]), flags, terminal);
    const log = repairedLog(named.log);
    if (flags.sample === undefined) await showLog(log, flags, terminal);
    else await showSample(log, await findSample(log, flags.sample), flags, terminal);
    return log.damage.length > 0 ? EXIT.damage : EXIT.ok;
  },
});

async function showLog(log: RepairedLog, flags: ShowFlags, terminal: Terminal): Promise<void> {
  const header = await log.header();
  const shown: EvalSampleSummary[] = [];
  let total = 0;
  for await (const summary of log.summaries()) if (total++ < flags.limit) shown.push(summary);
  if (flags.json) {
    terminal.json({
      path: log.path,
      sizeBytes: log.sizeBytes,
      header: toJson(header),
      samples: toJson(shown),
      total,
      ...(log.damage.length > 0 ? { damage: toJson(log.damage) } : {}),
    });
    return;
  }
  for (const line of headerLines(header, log, terminal)) terminal.line(line);
  for (const { message } of log.damage) terminal.line(terminal.style.bad(`Damaged: ${message}`));
  if (total === 0) return;
  terminal.line();
  terminal.line(samplesTable(shown, terminal));
  if (total > shown.length)
    terminal.line(terminal.style.dim(`${counted(total - shown.length, 'more sample')}; --limit shows more`));
}

async function showSample(
  log: LogReader,
  key: SampleKey,
  flags: ShowFlags,
  terminal: Terminal,
): Promise<void> {
  const fields = await log.sampleFields(key.id, key.epoch);
  if (!fields) return;
  if (flags.json) {
    const events: JsonObject[] = [];
    if (flags.events) for await (const event of log.events(key.id, key.epoch)) events.push(event);
    terminal.json({ ...(toJson(fields) as JsonObject), ...(flags.events ? { events } : {}) });
    return;
  }
  for (const line of sampleLines(fields, terminal)) terminal.line(line);
  if (!flags.events) return;
  terminal.line();
  terminal.line(terminal.style.accent('events'));
  for await (const event of log.events(key.id, key.epoch))
    await terminal.write(`  ${eventLine(event, terminal)}\n`);
}

function headerLines(header: LogHeader, log: LogReader, { style }: Terminal): string[] {
  const { eval: spec, status, results, stats, error } = header;
  const paint = status === 'success' ? style.good : style.warn;
  const took = Date.parse(stats.completed_at) - Date.parse(stats.started_at);
  const usage = Object.entries(stats.model_usage).map(
    ([model, { total_tokens }]) => `${model} ${formatCount(total_tokens)} tokens`,
  );
  const rows: [string, string][] = [
    ['status', paint(status)],
    ['created', formatTime(spec.created)],
    ...(Number.isFinite(took) ? [['took', formatDuration(took)] as [string, string]] : []),
    [
      'samples',
      results ? `${results.completed_samples} of ${results.total_samples} completed` : 'no results',
    ],
    ...usage.map((text): [string, string] => ['usage', text]),
    ...resultLines(results).map((text): [string, string] => ['score', text]),
    ...(error ? [['error', error.message] as [string, string]] : []),
    ['file', `${log.path} (${formatBytes(log.sizeBytes)})`],
  ];
  return [
    `${style.bold(spec.task)} ${style.dim('·')} ${spec.model}`,
    renderTable([{ title: '' }, { title: '' }], rows, { width: 1_000 }),
  ];
}

function samplesTable(summaries: readonly EvalSampleSummary[], { style, columns: width }: Terminal): string {
  const hasEpochs = summaries.some(({ epoch }) => epoch > 1);
  const columns: Column[] = [
    { title: 'sample' },
    ...(hasEpochs ? [{ title: 'epoch', align: 'right' as const }] : []),
    { title: 'score' },
    { title: 'input', shrinks: true },
  ];
  const idMax = Number.isFinite(width) ? 32 : width;
  const rows = summaries.map((summary) => [
    shorten(oneLine(String(summary.id)), idMax),
    ...(hasEpochs ? [String(summary.epoch)] : []),
    verdict(summary, style),
    shorten(oneLine(typeof summary.input === 'string' ? summary.input : JSON.stringify(summary.input)), 200),
  ]);
  return renderTable(columns, rows, { width, title: style.dim });
}

function verdict({ error, limit, scores }: EvalSampleSummary, style: Terminal['style']): string {
  if (error !== undefined) return style.bad('error');
  const values = Object.values(scores ?? {}).map(({ value }) => scoreCell(value));
  return `${values.join(' ') || '–'}${limit === undefined ? '' : style.warn(` ${limit} limit`)}`;
}

function scoreCell(value: unknown): string {
  if (typeof value === 'number') return formatScore(value);
  return shorten(oneLine(typeof value === 'string' ? value : JSON.stringify(value)), 16);
}
