import { isoTime } from '../base/index.ts';
import type { CommandRun, ScorerContext } from '../evals/index.ts';
import { exitCodeOf, readProcessText, runProcess } from '../process/index.ts';
import { environment } from './command-target.ts';
import { finishEvent, startEvent } from './log-event.ts';
import type { Models } from './models.ts';
import type { SampleScope } from './sample-scope.ts';
import type { Workspace } from './workspace.ts';

export type Exec = ScorerContext['exec'];

export interface CreateExecOptions {
  readonly models: Models;
  readonly scope: SampleScope;
  readonly workspace: Workspace;
  /** Names of variables that the commands may see besides PATH, HOME, LANG and TMPDIR. */
  readonly env?: readonly string[];
}

/** What a scorer gets to see of each stream; the whole is in the files beside the workspace. */
export const EXEC_BYTES_MAX = 2 ** 20;
const EVENT_BYTES_MAX = 16 * 2 ** 10;
const TIMEOUT_MS = 5 * 60_000;

/** `exec` for scorers: a command in the sample's workspace, or in an empty folder when it has none. */
export function createExec({ models, scope, workspace, env = [] }: CreateExecOptions): Exec {
  return async (argv, { stdin, timeoutMs = TIMEOUT_MS } = {}): Promise<CommandRun> => {
    const { disk } = workspace;
    const cwd = await workspace.open();
    const { stdin: stdinFile, ...outputs } = await workspace.outputFiles('exec');
    const start = startEvent(scope);
    if (stdin !== undefined) {
      await using file = await disk.open(stdinFile, 'create');
      await file.write(Buffer.from(stdin), 0);
    }
    const end = await runProcess({
      argv,
      cwd,
      env: {
        ...environment(models.env, ['PATH', 'HOME', 'LANG', 'TMPDIR', ...env]),
        ...scope.artifacts.env,
      },
      files: stdin === undefined ? outputs : { ...outputs, stdin: stdinFile },
      disk,
      clock: scope.clock,
      random: scope.random,
      signal: scope.meter.signal,
      timeoutMs,
    });
    const stdout = await readProcessText(disk, outputs.stdout, EXEC_BYTES_MAX);
    const stderr = await readProcessText(disk, outputs.stderr, EXEC_BYTES_MAX);
    scope.recorder.emit(
      finishEvent(scope, start, {
        event: 'sandbox',
        action: 'exec',
        cmd: models.redact(argv.join(' ')),
        options: { cwd: 'workspace', timeout: timeoutMs / 1_000 },
        result: exitCodeOf(end),
        output: models.redact(stdout.text.slice(0, EVENT_BYTES_MAX)),
        completed: isoTime(scope.clock.nowMs()),
      }),
    );
    if (end.aborted) throw scope.meter.signal.reason;
    return {
      exitCode: end.exitCode,
      signal: end.signal,
      stdout: stdout.text,
      stderr: stderr.text,
      timedOut: end.timedOut,
    };
  };
}
