import { resolve } from 'node:path';
import { Option } from 'commander';
import { toJson, UsageError } from '../../base/index.ts';
import { nodeDisk } from '../../disk/index.ts';
import { type CommonFlags, defineCommand } from '../command.ts';
import { EXIT } from '../exit-code.ts';
import { type ListedLog, type ListedRun, listLogs, listUnfinished } from '../logs/list-logs.ts';
import { formatBytes, formatScore, formatTime } from '../quantities.ts';
import { type Column, renderTable } from '../table.ts';
import type { Terminal } from '../terminal.ts';

interface ListFlags extends CommonFlags {
  readonly logDir: string;
}

export const command = defineCommand<ListFlags>({
  summary: 'List the logs and unfinished runs of a directory',
  arguments: [['[dir]', 'the log directory (default: --log-dir)']],
  options: [new Option('--log-dir <dir>', 'the log directory').env('HOLDFAST_LOG_DIR').default('logs')],
  examples: [
    ['holdfast log list', 'the logs in ./logs'],
    ['holdfast log list results --json', 'the same as one JSON document'],
  ],
  exits: {
    0: 'listed',
    2: 'the directory does not exist',
    3: 'some files could not be read, and are listed as such',
  },
  async run({ args, flags, terminal }) {
    const given = typeof args[0] === 'string' ? args[0] : flags.logDir;
    const dir = resolve(terminal.cwd, given);
    if ((await nodeDisk.stat(dir))?.kind !== 'directory') throw noDirectory(given);
    const logs = await listLogs(nodeDisk, dir);
    const unfinished = await listUnfinished(nodeDisk, dir);
    if (flags.json) terminal.json({ dir, logs: toJson(logs), unfinished: toJson(unfinished) });
    else for (const text of report(logs, unfinished, terminal)) terminal.line(text);
    const isBroken = [...logs, ...unfinished].some(({ problem }) => problem !== undefined);
    return isBroken ? EXIT.damage : EXIT.ok;
  },
});

const LOG_COLUMNS: readonly Column[] = [
  { title: 'time' },
  { title: 'eval', shrinks: true },
  { title: 'target' },
  { title: 'status' },
  { title: 'samples', align: 'right' },
  { title: 'score', align: 'right' },
  { title: 'size', align: 'right' },
];

function report(logs: readonly ListedLog[], unfinished: readonly ListedRun[], terminal: Terminal): string[] {
  const { style, columns: width } = terminal;
  const title = style.dim;
  const whole = logs.filter(({ problem }) => problem === undefined);
  const lines: string[] = [];
  if (whole.length === 0 && unfinished.length === 0) lines.push('There are no logs here yet.');
  if (whole.length > 0)
    lines.push(
      renderTable(
        LOG_COLUMNS,
        whole.map((log) => logRow(log, terminal)),
        { width, title },
      ),
    );
  if (unfinished.length > 0) {
    if (lines.length > 0) lines.push('');
    lines.push(`${style.bold('unfinished')}  ${style.dim('run the same command again to go on')}`);
    lines.push(
      renderTable(
        LOG_COLUMNS.slice(0, 5),
        unfinished.map((run) => runRow(run, terminal)),
        { width },
      ),
    );
  }
  const broken = [...logs, ...unfinished].filter(({ problem }) => problem !== undefined);
  if (broken.length > 0) {
    lines.push(
      '',
      style.bad(broken.length === 1 ? 'This cannot be read whole:' : 'These cannot be read whole:'),
    );
    for (const { path, problem } of broken) lines.push(`  ${path}`, `    ${problem}`);
  }
  return lines;
}

function logRow(log: ListedLog, { style }: Terminal): string[] {
  const { created = '', eval: name = '', target = '', status = '', metric } = log;
  const paint = status === 'success' ? style.good : style.warn;
  return [
    formatTime(created),
    name,
    target,
    paint(status),
    log.samples === undefined ? '' : `${log.completed}/${log.samples}`,
    metric ? `${metric.name} ${formatScore(metric.value)}` : '',
    formatBytes(log.sizeBytes),
  ];
}

function runRow(run: ListedRun, { style }: Terminal): string[] {
  const { created = '', eval: name = run.path, target = '', liveness } = run;
  const paint = liveness === 'alive' ? style.good : style.warn;
  const samples = run.samples === undefined ? '' : `${run.completed}/${run.samples}`;
  return [formatTime(created), name, target, paint(liveness), samples];
}

function noDirectory(dir: string): UsageError {
  return new UsageError({
    code: 'E_LOG_DIR_NONE',
    message: `There is no directory ${dir}.`,
    hint: 'Name the log directory: holdfast log list <dir>.',
  });
}
