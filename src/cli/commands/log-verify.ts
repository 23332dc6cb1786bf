import { ActionableError, toJson } from '../../base/index.ts';
import { isBucketUrl } from '../../bucket/index.ts';
import { nodeDisk } from '../../disk/index.ts';
import { isStoredLog, type LogProblem, type VerifyReport, verifyStoredLog } from '../../log/index.ts';
import { quoteWord } from '../../process/index.ts';
import { defineCommand } from '../command.ts';
import { EXIT, type ExitCode, exitCodeOf } from '../exit-code.ts';
import { directoryOf, isFileUrl, readableLogsOf, verifyNamedLog } from '../logs/log-place.ts';
import { findInSources, findPublished } from '../logs/named-log.ts';
import { counted } from '../quantities.ts';
import { resultsOptions } from '../results/results-place.ts';
import { type SourcesFlags, sourceOption } from '../results/run-sources.ts';
import { shortPath } from '../short-path.ts';
import type { Terminal } from '../terminal.ts';

export const command = defineCommand<SourcesFlags>({
  summary: 'Check that logs are whole',
  description: 'Reads every byte of every log and lists all damage. Changes nothing.',
  arguments: [
    [
      '<logs...>',
      'logs, or directories of logs: paths, or URLs of a bucket; or ids of runs that are published or in a --source',
    ],
  ],
  options: [sourceOption(), ...resultsOptions()],
  examples: [
    ['holdfast log verify logs/x.eval', 'one log'],
    ['holdfast log verify logs', 'every log of a directory, and of the folders in it'],
    ['holdfast log verify KvkpiQSMQs', 'a published run, against its digest'],
  ],
  exits: {
    0: 'every log is whole',
    2: 'a file is no log, or there is none; the others are whole',
    3: 'damage was found and is listed',
  },
  async run({ args, flags, terminal }) {
    return verifyAll(await logsOf(args[0] as readonly string[], terminal.cwd), flags, terminal);
  },
});

/** What looking at one log gave. */
interface Looked extends VerifyReport {
  /** There is no log there that could be damaged. */
  readonly isNoLog?: true;
  /** It is kept in git or in a source: there is no file of ours of it. */
  readonly isPublished?: true;
}

async function verifyAll(
  logs: readonly string[],
  flags: SourcesFlags,
  terminal: Terminal,
): Promise<ExitCode> {
  const reports: Looked[] = [];
  for (const log of logs) {
    const report = await verify(log, { flags, terminal, isOneOfMany: logs.length > 1 });
    reports.push(report);
    if (!flags.json) for (const line of reportLines(report, terminal.cwd)) terminal.line(line);
  }
  const missing = reports.filter(({ isNoLog }) => isNoLog).length;
  const damaged = reports.filter(({ isWhole }) => !isWhole).length - missing;
  if (flags.json) terminal.json({ isWhole: damaged + missing === 0, logs: toJson(reports) });
  else terminal.line(summary({ total: reports.length, damaged, missing }));
  if (damaged > 0) return EXIT.damage;
  return missing > 0 ? EXIT.usage : EXIT.ok;
}

/** A directory, or the URL of a bucket that names no log in it, stands for all of its logs. */
async function logsOf(given: readonly string[], cwd: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const one of given) {
    if (!(await isStore(one, cwd))) found.push(one);
    else {
      const store = await readableLogsOf(one, cwd);
      for await (const { name } of store.list()) found.push(store.placeOf(name));
    }
  }
  return found;
}

async function isStore(given: string, cwd: string): Promise<boolean> {
  if (isBucketUrl(given) && !isFileUrl(given)) return !/\.(eval|json)$/.test(given);
  return (await nodeDisk.stat(directoryOf(given, cwd)))?.kind === 'directory';
}

/** Of several files, one that is no log at all does not hinder checking the others. */
async function verify(
  log: string,
  about: { readonly flags: SourcesFlags; readonly terminal: Terminal; readonly isOneOfMany: boolean },
): Promise<Looked> {
  const { flags, terminal, isOneOfMany } = about;
  try {
    await using there = await findInSources(log, flags, terminal);
    if (there && isStoredLog(there.log)) return { ...(await verifyStoredLog(there.log)), isPublished: true };
    await using published = await findPublished(log, flags, terminal);
    return published
      ? { ...(await published.store.check(published.found)), isPublished: true }
      : await verifyNamedLog(log, terminal.cwd);
  } catch (error) {
    if (!(error instanceof ActionableError) || !isOneOfMany) throw error;
    const problem = { member: log, code: error.code, message: error.message };
    const report = { path: log, isWhole: false, members: 0, samples: 0, problems: [problem], remarks: [] };
    return exitCodeOf(error) === EXIT.usage ? { ...report, isNoLog: true } : report;
  }
}

function reportLines(report: Looked, cwd: string): string[] {
  const { path, isWhole, isNoLog, samples, problems, remarks } = report;
  const name = shortPath(path, cwd);
  const bad = isNoLog ? 'no log ' : 'damaged';
  const first = isWhole ? `ok       ${name}  ${counted(samples, 'sample')}` : `${bad}  ${name}`;
  const lines = problems.map((problem) => `         ${lineOf(problem)} (${problem.code})`);
  const saved = report.isPublished
    ? '         Fetching it from a remote that has it, or publishing its log again, brings it back.'
    : `         What is whole can be saved: holdfast recover ${quoteWord(name)}`;
  return [
    first,
    ...lines,
    ...remarks.map((remark) => `         noted: ${lineOf(remark)}`),
    ...(isWhole || isNoLog ? [] : [saved]),
  ];
}

/** Messages of errors name their member, those of other problems do not. */
function lineOf({ member, message }: LogProblem): string {
  return message.includes(member) ? message : `${member}: ${message}`;
}

function summary(counts: {
  readonly total: number;
  readonly damaged: number;
  readonly missing: number;
}): string {
  const { total, damaged, missing } = counts;
  if (total === 0) return 'There are no logs to check.';
  if (damaged + missing === 0) return `${counted(total, 'log')} whole.`;
  const parts = [
    ...(damaged > 0 ? [`${damaged} damaged`] : []),
    ...(missing > 0 ? [`${missing} no log`] : []),
  ];
  return `Of ${counted(total, 'file')}: ${parts.join(', ')}.`;
}
