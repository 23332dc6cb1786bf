import { basename, dirname, relative, resolve } from 'node:path';
import { DamageError, definedOf, NotKeptError, toJson, UsageError } from '../../base/index.ts';
import { nodeDisk } from '../../disk/index.ts';
import { type ExportedRun, type ExportReport, exportTables } from '../../export/index.ts';
import { directoryLogStore, type LogStore } from '../../log/index.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { counted, formatBytes } from '../quantities.ts';
import { shortPath } from '../short-path.ts';
import type { Terminal } from '../terminal.ts';
import { type ExportFlags, tableFiles } from './export-options.ts';

/** A run that can also be made a log file. */
export interface ExportableRun extends ExportedRun {
  /** Without a name: under its own. */
  rebuild(
    into: LogStore,
    options: { readonly name?: string; readonly replace: boolean },
  ): Promise<{ readonly place: string; readonly sizeBytes: number }>;
}

/** Writes runs as tables, or as logs. */
export function exportRuns(
  runs: readonly ExportableRun[],
  flags: ExportFlags,
  terminal: Terminal,
): Promise<ExitCode> {
  return flags.to === 'eval' ? exportLogs(runs, flags, terminal) : exportAsTables(runs, flags, terminal);
}

async function exportAsTables(
  runs: readonly ExportableRun[],
  flags: ExportFlags,
  terminal: Terminal,
): Promise<ExitCode> {
  if (flags.to === 'eval') return EXIT.ok;
  const report = await exportTables(nodeDisk, {
    runs,
    format: flags.to,
    files: tableFiles(flags, terminal.cwd),
    replace: flags.force ?? false,
    isForSpreadsheet: flags.spreadsheet ?? false,
  });
  if (flags.json) terminal.json({ runs: runs.length, ...(toJson(report) as object) });
  else say(report, runs.length, terminal);
  if (report.formulas > 0 && !flags.spreadsheet)
    terminal.note(
      `Texts that begin as a formula does (= + - @): ${report.formulas}. They stand as they are in the log; for a spreadsheet, write the files with --spreadsheet.`,
    );
  return report.problems.length > 0 ? EXIT.damage : EXIT.ok;
}

function say({ tables, problems }: ExportReport, runs: number, { style, line, cwd }: Terminal): void {
  for (const { path, rows, sizeBytes } of tables)
    line(`${style.accent(relative(cwd, path) || path)}  ${counted(rows, 'row')}, ${formatBytes(sizeBytes)}`);
  for (const { run, id, samples, message } of problems) {
    const what = id === undefined ? (samples === undefined ? ' is left out' : '') : `, sample ${id}`;
    line(style.bad(`${run}${what}: ${message}`));
  }
  line(`${counted(runs, 'run')} exported.`);
}

async function exportLogs(
  runs: readonly ExportableRun[],
  flags: ExportFlags,
  terminal: Terminal,
): Promise<ExitCode> {
  const place = resolve(terminal.cwd, flags.out);
  const isFile = flags.out.endsWith('.eval');
  if (isFile && runs.length !== 1) throw oneFile(flags.out, runs.length);
  const into = directoryLogStore(nodeDisk, isFile ? dirname(place) : place);
  const names = new Set<string>();
  const logs: { run: string; path: string; sizeBytes: number }[] = [];
  const problems: { run: string; message: string }[] = [];
  for (const run of runs) {
    const name = isFile ? basename(place) : nameFor(run, names);
    const options = { replace: flags.force ?? false, ...definedOf({ name }) };
    const made = await orProblem(run, () => run.rebuild(into, options));
    if ('message' in made) {
      if (runs.length === 1) throw made.error;
      problems.push({ run: made.run, message: made.message });
      if (!flags.json) terminal.line(terminal.style.bad(`${made.run} is left out: ${made.message}`));
      continue;
    }
    logs.push({ run: run.row.run, path: made.place, sizeBytes: made.sizeBytes });
    if (!flags.json)
      terminal.line(
        `${terminal.style.accent(shortPath(made.place, terminal.cwd))}  ${formatBytes(made.sizeBytes)}`,
      );
  }
  if (flags.json) terminal.json({ runs: runs.length, logs, problems });
  return problems.length > 0 ? EXIT.damage : EXIT.ok;
}

/** A run that is damaged, or of which not all is kept, hinders no other. */
async function orProblem<T extends object>(
  { row }: ExportableRun,
  work: () => Promise<T>,
): Promise<T | { readonly run: string; readonly message: string; readonly error: Error }> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof DamageError) && !(error instanceof NotKeptError)) throw error;
    return { run: row.run, message: error.message, error };
  }
}

/** Two runs may have had logs of one name: the second is called by its id. Undefined: by the name that it had. */
function nameFor({ row }: ExportableRun, names: Set<string>): string | undefined {
  if (names.has(row.log.name)) return `${row.run}.eval`;
  names.add(row.log.name);
  return undefined;
}

function oneFile(out: string, runs: number): UsageError {
  return new UsageError({
    code: 'E_EXPORT_OUT',
    message: `${out} is one file, and ${counted(runs, 'run')} would go into it.`,
    hint: 'Name a folder with --out, or one run.',
  });
}
