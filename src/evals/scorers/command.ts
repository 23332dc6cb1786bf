import { ActionableError, toJson } from '../../base/index.ts';
import type { CommandRun, ScoreResult, Scorer, ScorerContext } from '../eval.ts';
import { amount, oneOf, texts } from '../plain-checks.ts';
import { fillTemplate, valuesAt } from '../template.ts';
import { numbersIn } from './numeric.ts';
import { shortened } from './sample-text.ts';
import { ACCURACY, buildScorer, type CommonOptions, MEAN } from './scorer-options.ts';

export interface CommandOptions extends CommonOptions {
  /** Program and arguments; `{{output}}`, `{{input}}`, `{{target}}`, `{{id}}` and `{{metadata.x}}` are filled in. */
  readonly command: readonly string[];
  /** `exitCode` (default): 0 is correct. `number`: the last number on stdout is the score. */
  readonly result?: 'exitCode' | 'number';
  /** What the command reads on stdin. Default: the output. */
  readonly stdin?: 'output' | 'none';
  readonly timeoutMs?: number;
}

/** Runs a command in the sample's workspace. One that cannot be run or is stopped leaves the sample unscored. */
export function command(options: CommandOptions): Scorer {
  const { result = 'exitCode', stdin = 'output', timeoutMs } = options;
  return buildScorer({
    name: 'command',
    options,
    shape: {
      command: texts.refine((list) => list.length > 0, { error: 'must name a program' }),
      result: oneOf('exitCode', 'number').optional(),
      stdin: oneOf('output', 'none').optional(),
      timeoutMs: amount.optional(),
    },
    metrics: result === 'number' ? MEAN : ACCURACY,
    async score(context) {
      const argv = options.command.map((argument) => fillTemplate(argument, valuesAt(valuesOf(context))));
      const run = await context.exec(argv, {
        ...(stdin === 'output' && { stdin: context.text }),
        ...(timeoutMs !== undefined && { timeoutMs }),
      });
      const exitCode = finishedExitCode(options.command, run);
      return result === 'number' ? numberResult(options.command, run) : exitCodeResult(exitCode, run);
    },
  });
}

/** A quality failure is an exit code the command chose; everything else is an error of the run. */
const CANNOT_RUN = [126, 127];

function finishedExitCode(argv: readonly string[], run: CommandRun): number {
  if (run.exitCode !== null && !run.timedOut && !CANNOT_RUN.includes(run.exitCode)) return run.exitCode;
  const end = run.timedOut
    ? 'was stopped at its time limit'
    : run.exitCode === null
      ? `was ended by ${run.signal ?? 'a signal'}`
      : `could not be run (exit code ${run.exitCode})`;
  throw commandFailed(argv, end, run.stderr);
}

function exitCodeResult(exitCode: number, run: CommandRun): ScoreResult {
  const explanation = run.stdout.trim() || run.stderr.trim();
  const verdict = { value: exitCode === 0 ? 'C' : 'I', metadata: { exitCode } };
  return explanation === '' ? verdict : { ...verdict, explanation: tail(explanation) };
}

function numberResult(argv: readonly string[], run: CommandRun): ScoreResult {
  const value = numbersIn(run.stdout).at(-1);
  if (value === undefined) throw commandFailed(argv, 'printed no number on stdout', run.stderr);
  return { value, explanation: tail(run.stdout.trim()), metadata: { exitCode: run.exitCode } };
}

function commandFailed(argv: readonly string[], end: string, stderr: string): ActionableError {
  const said = stderr.trim() === '' ? '' : ` It said: ${shortened(tail(stderr.trim()))}`;
  return new ActionableError({
    code: 'E_SCORER_COMMAND',
    message: `The scoring command "${argv[0]}" ${end}.${said}`,
    hint: 'Run the command by hand in the sample’s workspace; "holdfast score" scores the log again.',
  });
}

function valuesOf(context: ScorerContext) {
  return {
    id: context.sample.id,
    input: toJson(context.input),
    output: context.text,
    target: toJson(context.target ?? ''),
    metadata: toJson(context.sample.metadata ?? {}),
  };
}

const TAIL_CHARS = 2_000;

/** The end of what a command said, where the verdict usually is. */
function tail(text: string): string {
  return text.length <= TAIL_CHARS ? text : `…${text.slice(-TAIL_CHARS)}`;
}
