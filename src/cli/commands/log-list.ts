import { Option } from 'commander';
import { toJson } from '../../base/index.ts';
import { nodeDisk } from '../../disk/index.ts';
import { placesOf } from '../../runner/index.ts';
import { type CommonFlags, defineCommand } from '../command.ts';
import { EXIT } from '../exit-code.ts';
import { type ListedLog, type ListedRun, listLogs, listUnfinished } from '../logs/list-logs.ts';
import { checkLogDir, readableLogsOf } from '../logs/log-place.ts';
import { counted, formatBytes, formatScore, formatTime } from '../quantities.ts';
import { type Column, renderTable } from '../table.ts';
import type { Terminal } from '../terminal.ts';

interface ListFlags extends CommonFlags {
  readonly logDir: string;
}

export const command = defineCommand<ListFlags>({
  summary: 'List the logs and unfinished runs of a directory',
  arguments: [['[dir]', 'the log directory: a path, or a bucket (default: --log-dir)']],
  options: [new Option('--log-dir <dir>', 'the log directory').default('logs')],
  examples: [
    ['holdfast log list', 'the logs in ./logs'],
    ['holdfast log list results --json', 'the same as one JSON document'],
    ['holdfast log list file:///mnt/bucket', 'the logs of a bucket'],
  ],
  exits: {
    0: 'listed',
    2: 'the directory does not exist',
    3: 'some files could not be read, and are listed as such',
  },
  async run({ args, flags, terminal }) {
    const given = typeof args[0] === 'string' ? args[0] : flags.logDir;
    const { cwd } = terminal;
    await checkLogDir(given, cwd, 'holdfast log list');
    const store = await readableLogsOf(given, cwd);
    const logs = await listLogs(store);
    const { state } = await placesOf(nodeDisk, { logDir: given, workDir: cwd });
    const unfinished = await listUnfinished(nodeDisk, state);
    if (flags.json) terminal.json({ dir: store.place, logs: toJson(logs), unfinished: toJson(unfinished) });
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
  const whole = logs.filter(({ status }) => status !== undefined);
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
  return [...lines, ...damageLines([...logs, ...unfinished], terminal)];
}

function damageLines(listed: readonly (ListedLog | ListedRun)[], { style }: Terminal): string[] {
  const lines: string[] = [];
  const isRead = (one: ListedLog | ListedRun) => 'status' in one && one.status !== undefined;
  const broken = listed.filter(({ problem }) => problem !== undefined);
  const unread = broken.filter((one) => !isRead(one));
  const damaged = broken.filter(isRead);
  if (unread.length > 0)
    lines.push(
      '',
      style.bad(unread.length === 1 ? 'This cannot be read whole:' : 'These cannot be read whole:'),
      ...brokenLines(unread),
    );
  if (damaged.length > 0) {
    lines.push('', style.bad(`${counted(damaged.length, 'log')} damaged:`), ...brokenLines(damaged));
    lines.push('  What is whole can be saved: holdfast recover <log>');
  }
  return lines;
}

function brokenLines(broken: readonly { readonly path: string; readonly problem?: string }[]): string[] {
  return broken.flatMap(({ path, problem }) => [`  ${path}`, `    ${problem}`]);
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
