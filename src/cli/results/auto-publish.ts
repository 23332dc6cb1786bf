import {
  ActionableError,
  counted,
  definedOf,
  type JsonObject,
  messageOf,
  toJson,
  UsageError,
} from '../../base/index.ts';
import type { PushOutcome } from '../../results/index.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { errorJson } from '../report-error.ts';
import type { Terminal } from '../terminal.ts';
import { type FoundResults, findResults, type PublishCall } from './find-results.ts';
import type { Progress, PublishedRun, Sealed } from './publish-logs.ts';
import type { PublishFlags } from './publish-options.ts';

/** What became of them. */
export interface PublishReport {
  readonly repository?: string;
  readonly branch: string;
  readonly runs: readonly PublishedRun[];
  /** Logs that are still not published. */
  readonly waiting: number;
  readonly error?: ActionableError;
  readonly push?: PushOutcome;
  /** What does it later. */
  readonly later: string;
}

/**
 * Publishes what is finished, where results have been begun; undefined where they have not, or where nobody wants it. It never
 * fails: the logs are whole, and whatever is not published now is found by the next run, from the logs themselves.
 */
export async function autoPublish(sealed: Sealed, call: PublishCall): Promise<PublishReport | undefined> {
  if (call.flags.publish === false) return undefined;
  const later = `holdfast results publish ${'name' in sealed ? sealed.logs.placeOf(sealed.name) : sealed.logs.place}`;
  const progress: Progress = { runs: [], waiting: 0 };
  let found: FoundResults | undefined;
  try {
    found = await findResults(call);
    if (!found) return undefined;
    const { publishLogs, pushResults } = await import('./publish-logs.ts');
    await using results = await found.open();
    const branch = results.ref.replace(/^refs\/heads\//, '');
    const error = await publishLogs(sealed, { results, progress, terminal: call.terminal });
    const wantsPush = found.push === 'auto' || call.flags.requirePush === true;
    const push = wantsPush && progress.waiting === 0 ? await pushResults(results) : undefined;
    return definedOf({ repository: results.dir, branch, later, ...progress, error, push });
  } catch (error) {
    return { branch: found?.branch ?? '', later, ...progress, error: explained(error) };
  }
}

/** Whatever fails here, the run has not. */
function explained(error: unknown): ActionableError {
  if (error instanceof ActionableError) return error;
  return new ActionableError({
    code: 'E_PUBLISH',
    message: `Publishing failed in a way that is not known: ${messageOf(error)}.`,
    hint: 'The logs are whole. Try it by hand, and please report what it says.',
    cause: error,
  });
}

/** Before anything is paid for: what is required at the end must be possible. */
export async function checkRequiredPush(call: PublishCall): Promise<void> {
  const { publish, requirePush } = call.flags;
  if (!requirePush) return;
  if (publish === false)
    throw new UsageError({
      code: 'E_USAGE',
      message: 'What is not published cannot be pushed: --require-push and --no-publish are given.',
      hint: 'Leave one of them out.',
    });
  const found = await findResults(call);
  await using results = await found?.open();
  if (results && (await results.isThere()) && (await results.remote()) === undefined)
    throw new UsageError({
      code: 'E_REMOTE_UNKNOWN',
      message: 'The repository of the results has no remote that is meant, so --require-push cannot be met.',
      hint: 'Add one with "git remote add", or name it as results.remote in holdfast.config.',
    });
  if (!(await results?.isThere()))
    throw new UsageError({
      code: 'E_RESULTS_NOT_BEGUN',
      message: 'No results have been begun here, so --require-push cannot be met.',
      hint: 'Begin with "holdfast results init".',
    });
}

/** One line for what was published, and one for what was not. */
export function sayPublished(report: PublishReport | undefined, { line, note, style }: Terminal): void {
  if (!report) return;
  const { branch, error, push, waiting, later } = report;
  // Another run may have been faster with some of them.
  const runs = report.runs.filter(({ outcome }) => outcome !== 'there');
  const commit = runs.at(-1)?.commit;
  const pushed = push?.outcome === 'pushed' ? ', pushed' : '';
  if (commit !== undefined)
    line(
      `published ${counted(runs.length, 'run')} in ${style.accent(branch)}, commit ${commit.slice(0, 12)}${pushed}`,
    );
  if (error)
    note(
      `Not published${waiting > 1 ? ` (${counted(waiting, 'log')})` : ''}: ${error.message} ${error.hint} Later: ${later}`,
    );
  const why = push && push.outcome !== 'pushed' && push.outcome !== 'current' ? push : undefined;
  if (why)
    note(
      `Not pushed (${why.outcome}): ${why.error?.message ?? 'there is no remote.'} Later: holdfast results sync`,
    );
}

export function publishedJson(report: PublishReport | undefined): JsonObject {
  if (!report) return {};
  const { error, push, ...rest } = report;
  const told = { push: push && pushJson(push), error: error && errorJson(error) };
  return { results: { ...(toJson(rest) as JsonObject), ...definedOf(told) } };
}

function pushJson({ error, ...rest }: PushOutcome): JsonObject {
  return { ...(toJson(rest) as JsonObject), ...definedOf({ error: error && errorJson(error) }) };
}

/** Publishing changes no exit code, unless the remote has to have the run. */
export function exitCodeAfter(
  exitCode: ExitCode,
  report: PublishReport | undefined,
  { requirePush }: PublishFlags,
): ExitCode {
  const isHeld = report?.push?.outcome === 'pushed' || report?.push?.outcome === 'current';
  return requirePush && !isHeld && exitCode === EXIT.ok ? EXIT.interrupted : exitCode;
}
