import { join, relative, resolve } from 'node:path';
import { ActionableError, messageOf, toJson } from '../../base/index.ts';
import { type Disk, nodeDisk } from '../../disk/index.ts';
import { isLogName, type LogProblem, type VerifyReport, verifyLog } from '../../log/index.ts';
import { type CommonFlags, defineCommand } from '../command.ts';
import { EXIT, type ExitCode, exitCodeOf } from '../exit-code.ts';
import { counted } from '../quantities.ts';
import { reportError } from '../report-error.ts';
import type { Terminal } from '../terminal.ts';

export const command = defineCommand({
  summary: 'Check that logs are whole',
  description: 'Reads every byte of every log and lists all damage. Changes nothing.',
  arguments: [['<logs...>', 'logs, or directories of logs']],
  options: [],
  examples: [
    ['holdfast log verify logs/x.eval', 'one log'],
    ['holdfast log verify logs', 'every log of a directory'],
  ],
  exits: { 0: 'every log is whole', 1: 'a file is no log, or missing', 3: 'damage was found and is listed' },
  async run({ args, flags, terminal }) {
    const named = (args[0] as readonly string[]).map((path) => resolve(terminal.cwd, path));
    try {
      return await verifyAll(await logsOf(nodeDisk, named), flags, terminal);
    } catch (error) {
      if (exitCodeOf(error) !== EXIT.usage) throw error;
      // To a checker a missing log is a finding, not a slip of the pen.
      return reportError(error, terminal, { ...flags, exitCode: EXIT.failed });
    }
  },
});

async function verifyAll(
  paths: readonly string[],
  flags: CommonFlags,
  terminal: Terminal,
): Promise<ExitCode> {
  const reports: VerifyReport[] = [];
  for (const path of paths) {
    const report = await verify(nodeDisk, path, paths.length > 1);
    reports.push(report);
    if (!flags.json) for (const line of reportLines(report, terminal.cwd)) terminal.line(line);
  }
  const damaged = reports.filter(({ isWhole }) => !isWhole);
  if (flags.json) terminal.json({ isWhole: damaged.length === 0, logs: toJson(reports) });
  else terminal.line(summary(reports.length, damaged.length));
  return damaged.length > 0 ? EXIT.damage : EXIT.ok;
}

async function logsOf(disk: Disk, paths: readonly string[]): Promise<readonly string[]> {
  const found: string[] = [];
  for (const path of paths) {
    if ((await disk.stat(path))?.kind !== 'directory') found.push(path);
    else
      for (const { name, kind } of (await disk.list(path)) ?? [])
        if (kind === 'file' && isLogName(name)) found.push(join(path, name));
  }
  return found;
}

/** Of several files, one that is no log at all does not hinder checking the others. */
async function verify(disk: Disk, path: string, isOneOfMany: boolean): Promise<VerifyReport> {
  try {
    return await verifyLog(disk, path);
  } catch (error) {
    if (!(error instanceof ActionableError) || !isOneOfMany) throw error;
    const problem = { member: path, code: error.code, message: messageOf(error) };
    return { path, isWhole: false, members: 0, samples: 0, problems: [problem], remarks: [] };
  }
}

function reportLines(report: VerifyReport, cwd: string): string[] {
  const { path, isWhole, samples, problems, remarks } = report;
  const name = relative(cwd, path).startsWith('..') ? path : relative(cwd, path);
  const first = isWhole ? `ok       ${name}  ${counted(samples, 'sample')}` : `damaged  ${name}`;
  const lines = problems.map((problem) => `         ${lineOf(problem)} (${problem.code})`);
  return [first, ...lines, ...remarks.map((remark) => `         noted: ${lineOf(remark)}`)];
}

/** Messages of errors name their member, those of other problems do not. */
function lineOf({ member, message }: LogProblem): string {
  return message.includes(member) ? message : `${member}: ${message}`;
}

function summary(total: number, damaged: number): string {
  if (total === 0) return 'There are no logs to check.';
  return damaged === 0
    ? `${counted(total, 'log')} whole.`
    : `${damaged} of ${counted(total, 'log')} damaged.`;
}
