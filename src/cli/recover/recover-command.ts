import { definedOf, type JsonObject, systemClock, toJson, UsageError } from '../../base/index.ts';
import { nodeDisk } from '../../disk/index.ts';
import { type RecoverReport, recoverLog } from '../../recover/index.ts';
import type { CommandCall } from '../command.ts';
import type { RecoverFlags } from '../commands/recover.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { logPlaceOf } from '../logs/log-place.ts';
import {
  autoPublish,
  checkRequiredPush,
  exitCodeAfter,
  publishedJson,
  sayPublished,
} from '../results/auto-publish.ts';
import type { Terminal } from '../terminal.ts';
import { isDamaged, recoverLines, stepsAfter } from './recover-account.ts';
import { listCommand } from './recover-list.ts';
import { inspectDataDirs, namedLog, namedOutput, runPlaces } from './recover-places.ts';
import { withProgress } from './recover-progress.ts';

/** `holdfast recover`: one log, or with `--list` what could be one. */
export async function recoverCommand(call: CommandCall<RecoverFlags>): Promise<ExitCode> {
  const { args, flags, terminal } = call;
  const given = typeof args[0] === 'string' ? args[0] : undefined;
  if (flags.list) return listCommand(given, flags, terminal);
  if (given === undefined) throw nothingNamed();
  await checkRequiredPush(call);
  const report = await recoverNamed(given, flags, terminal);
  const published = await autoPublish(await logPlaceOf(report.output, terminal.cwd), call);
  const exitCode = exitCodeAfter(isDamaged(report) ? EXIT.damage : EXIT.ok, published, flags);
  const next = stepsAfter(report, terminal.cwd);
  if (flags.json) {
    const about = { ...(toJson(report) as JsonObject), ...publishedJson(published) };
    terminal.json({ exitCode, ...about, next: next.map((step) => ({ ...step })) });
    return exitCode;
  }
  for (const line of recoverLines(report, {
    terminal,
    isVerbose: flags.verbose ?? false,
    isKept: flags.keep ?? false,
    isWithoutEvents: !flags.events,
  }))
    terminal.line(line);
  sayPublished(published, terminal);
  for (const { what, command } of next) terminal.line(`${what}: ${terminal.style.bold(command)}`);
  return exitCode;
}

/** Recovers what a person named, in the place where it is. */
export async function recoverNamed(
  given: string,
  flags: Partial<RecoverFlags>,
  terminal: Terminal,
): Promise<RecoverReport> {
  const { cwd } = terminal;
  const named = await namedLog(given);
  const places = await runPlaces(flags, { given, cwd });
  return withProgress(terminal, systemClock, (onProgress) =>
    recoverLog({
      disk: nodeDisk,
      clock: systemClock,
      ...named,
      places,
      dataDirs: inspectDataDirs(terminal),
      ...definedOf({
        output: flags.output === undefined ? undefined : namedOutput(flags.output, named, cwd),
        incompleteMax: flags.incompleteMax,
      }),
      overwrite: flags.overwrite ?? false,
      keep: flags.keep ?? false,
      noEvents: flags.events === false,
      incomplete: flags.incomplete ?? 'retry',
      forceDead: flags.forceDead ?? false,
      onProgress,
    }),
  );
}

function nothingNamed(): UsageError {
  return new UsageError({
    code: 'E_USAGE',
    message: 'Nothing is named that could be recovered.',
    hint: 'Name a log or a run; "holdfast recover --list" shows what there is.',
  });
}
