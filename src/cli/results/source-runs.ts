import { ActionableError } from '../../base/index.ts';
import type { LogReader } from '../../log/index.ts';
import { findInAll, type SourceRun } from '../../sources/index.ts';
import type { Terminal } from '../terminal.ts';
import { openNamedSources, type SourcesFlags } from './run-sources.ts';

/** A run of a source that was named with `--source`, opened as a log. */
export interface SourceLog extends AsyncDisposable {
  readonly run: SourceRun;
  readonly log: LogReader;
}

/** What `find` says where a source has no such run: it may be elsewhere. */
const NOT_THERE: ReadonlySet<string> = new Set(['E_RUN_ID', 'E_RUN_UNKNOWN']);

/** The run of the named sources that a word stands for; undefined when none was named, or none of them has it. Whoever opens it closes it. */
export async function openFromSources(
  given: string,
  flags: SourcesFlags,
  terminal: Terminal,
): Promise<SourceLog | undefined> {
  if ((flags.source ?? []).length === 0) return undefined;
  const opened = await openNamedSources(flags, terminal);
  try {
    const { shown: run } = await findInAll(opened.sources, given);
    const log = await logOf(run);
    const close = async () => {
      await log.close();
      await opened[Symbol.asyncDispose]();
    };
    return { run, log, [Symbol.asyncDispose]: close };
  } catch (error) {
    await opened[Symbol.asyncDispose]();
    if (error instanceof ActionableError && NOT_THERE.has(error.code)) return undefined;
    throw error;
  }
}

/** Reads a run of a source as a log; of one that has only journals there is none yet. */
export async function logOf({ openLog, run, place }: SourceRun): Promise<LogReader> {
  if (openLog) return openLog();
  throw new ActionableError({
    code: 'E_RUN_NO_LOG',
    message: `Run ${run} is under way or was interrupted: ${place} has only its journals.`,
    hint: 'Run the same command again to finish it, or make a log of it with "holdfast recover".',
  });
}
