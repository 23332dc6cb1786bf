import { basename, relative } from 'node:path';
import { ActionableError, definedOf, toJson } from '../../base/index.ts';
import { isBucketUrl } from '../../bucket/index.ts';
import { nodeDisk } from '../../disk/index.ts';
import type { ResultsStore } from '../../results/index.ts';
import { defineCommand } from '../command.ts';
import { EXIT, type ExitCode, exitCodeOf } from '../exit-code.ts';
import { checkLogDir, directoryOf, openNamedLog, readableLogsOf } from '../logs/log-place.ts';
import { isOfOneLog } from '../results/publish-logs.ts';
import { publishVisibly } from '../results/publish-visibly.ts';
import {
  type BodiesFlags,
  bodiesOptions,
  type ResultsFlags,
  resultsOf,
  resultsOptions,
} from '../results/results-place.ts';
import { upkeepInBackground } from '../results/upkeep-in-background.ts';
import type { Terminal } from '../terminal.ts';

export const command = defineCommand<ResultsFlags & BodiesFlags>({
  summary: 'Publish finished logs: keep them in git',
  description: `Publishes logs, or all finished logs of directories and of the folders in them. What is published already is left as it is, so it can be
said as often as one likes; another log of the same run becomes a new revision of it. A log that cannot be read is named, and the others are published.`,
  arguments: [['<logs...>', 'logs (.eval or .json), or directories of logs']],
  options: [...resultsOptions(), ...bodiesOptions()],
  examples: [
    ['holdfast results publish logs', 'all finished logs of a directory'],
    ['holdfast results publish logs/x.eval', 'one of them'],
  ],
  exits: {
    0: 'published, or there already',
    1: 'git failed',
    2: 'a log is not finished or no log, or there are no results yet (holdfast results init)',
    3: 'a log is damaged; the others were published',
  },
  async run({ args, flags, terminal }) {
    await using results = await resultsOf(flags, terminal);
    const given = typeof args[0] === 'string' ? [args[0]] : (args[0] ?? []);
    const { logs, empty } = await logsOf(given, terminal);
    const published: PublishedLog[] = [];
    const failures: Failure[] = [];
    for (const log of logs) {
      const one = await publishOrTell(log, { results, flags, terminal, isOnly: logs.length === 1 });
      if ('run' in one) published.push(one);
      else failures.push(one);
    }
    for (const place of empty) terminal.note(`There are no logs in ${place}.`);
    if (flags.json)
      terminal.json(
        toJson({ repository: results.dir, runs: published, failures: failures.map(failureJson) }),
      );
    await upkeepInBackground(results, terminal);
    return exitOf(failures);
  },
});

/** A log as it was named, or as it was found in a directory that was. */
interface NamedLog {
  readonly place: string;
  readonly isNamed: boolean;
}

async function logsOf(
  given: readonly string[],
  { cwd }: Terminal,
): Promise<{ readonly logs: readonly NamedLog[]; readonly empty: readonly string[] }> {
  const logs: NamedLog[] = [];
  const empty: string[] = [];
  for (const place of given) {
    if (await isLog(place, cwd)) {
      logs.push({ place, isNamed: true });
      continue;
    }
    await checkLogDir(place, cwd, 'holdfast results publish');
    const store = await readableLogsOf(place, cwd);
    const before = logs.length;
    for await (const { name } of store.list())
      logs.push({ place: `${place.replace(/\/$/, '')}/${name}`, isNamed: false });
    if (logs.length === before) empty.push(place);
  }
  return { logs, empty };
}

/** A file is meant as a log, whatever it is called; what is not there is named as one or as a directory. */
async function isLog(place: string, cwd: string): Promise<boolean> {
  const kind = isBucketUrl(place) ? undefined : (await nodeDisk.stat(directoryOf(place, cwd)))?.kind;
  return kind === undefined ? /\.(eval|json)$/.test(place) : kind === 'file';
}

interface PublishedLog {
  readonly run: string;
  readonly log: string;
}

interface Failure {
  readonly log: string;
  readonly error: ActionableError;
  /** One that is not finished lies in every directory in which something is under way. */
  readonly isLeft: boolean;
}

interface Publishing {
  readonly results: ResultsStore;
  readonly flags: ResultsFlags;
  readonly terminal: Terminal;
  readonly isOnly: boolean;
}

/** What is wrong with one of several logs does not hinder the others. */
async function publishOrTell(log: NamedLog, about: Publishing): Promise<PublishedLog | Failure> {
  const { terminal, isOnly } = about;
  try {
    return await publishOne(log.place, about);
  } catch (error) {
    if (!(error instanceof ActionableError) || !isOfOneLog(error)) throw error;
    if (isOnly && log.isNamed) throw error;
    terminal.note(terminal.noteStyle.warn(`${log.place} is left out: ${error.message}`));
    return { log: log.place, error, isLeft: !log.isNamed && error.code === 'E_RESULT_UNFINISHED' };
  }
}

function failureJson({ log, error }: Failure) {
  return { log, code: error.code, message: error.message };
}

function exitOf(failures: readonly Failure[]): ExitCode {
  const codes = failures.filter(({ isLeft }) => !isLeft).map(({ error }) => exitCodeOf(error));
  return codes.find((code) => code === EXIT.damage) ?? codes[0] ?? EXIT.ok;
}

async function publishOne(place: string, about: Publishing): Promise<PublishedLog> {
  const { results, flags, terminal } = about;
  const log = await openNamedLog(place, terminal.cwd);
  try {
    const { run, outcome, commit, removal } = await publishVisibly(results, log, basename(place));
    const said = {
      published: 'published',
      revised: 'published as a new revision',
      there: 'is there already',
      restored: 'was there, and what was lost of it is there again',
    };
    if (!flags.json)
      terminal.line(
        `${run}  ${said[outcome]}${removal === undefined ? '' : `, and ${removal}`}  ${terminal.style.dim(relative(terminal.cwd, log.path) || log.path)}`,
      );
    return definedOf({ run, outcome, commit, removal, log: log.path });
  } finally {
    await log.close();
  }
}
