import {
  ActionableError,
  DamageError,
  definedOf,
  type JsonObject,
  messageOf,
  systemClock,
  toJson,
  UsageError,
} from '../../base/index.ts';
import { cancelRound, SharedRun } from '../../cluster/index.ts';
import {
  checkLaunch,
  type LaunchRequest,
  launchedFor,
  type Stopped,
  stopLaunched,
  withWorkers,
} from '../../launch/index.ts';
import { quoteWord } from '../../process/index.ts';
import type { StopSignals } from '../../runner/index.ts';
import type { CommandCall } from '../command.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { portsOfLaunch } from '../launch/ports-of-launch.ts';
import { errorJson } from '../report-error.ts';
import type { Environment, Terminal } from '../terminal.ts';
import type { LaunchFlags } from './launch-options.ts';
import { type OpenedPlace, submitterName } from './shared-place.ts';

interface LaunchAbout {
  readonly call: CommandCall<LaunchFlags>;
  readonly place: OpenedPlace;
  /** Names of the variables that the runs need. */
  readonly keys: readonly string[];
}

/** What became of workers that were launched, as far as whoever says it knows. */
export interface LaunchEnd extends Pick<Stopped, 'record' | 'problem'> {
  readonly outcome: Stopped['outcome'] | 'running';
  /** How many of them could be started, where this command did. */
  readonly started?: number;
}

/** Refuses a launch that cannot be made, before anything is uploaded. */
export async function checkLaunchFor(about: LaunchAbout): Promise<void> {
  const { call } = about;
  const { launch, launchWorkers } = call.flags;
  if (launch !== undefined)
    await checkLaunch(
      await requestOf(about, { wanted: launch, run: 'run' }),
      portsOfLaunch(call.terminal, NEVER),
    );
  else if (launchWorkers !== undefined)
    throw new UsageError({
      code: 'E_USAGE',
      message: '--launch-workers says how many workers to launch, and nothing is launched.',
      hint: 'Name what to launch with --launch.',
    });
}

interface Launching<T> extends LaunchAbout {
  readonly signals: StopSignals;
  /** Those that wait for nothing but these workers: they are cancelled when there are none. */
  readonly begun: readonly SharedRun[];
  /** Whether the workers are needed when the work is done. */
  readonly isKept: (done: T) => boolean;
}

/**
 * With `--launch`: starts workers for runs that are in the queue, lets the work go on with them, and stops them, once, however it ends. Where
 * they are kept, whoever waits, fetches or cancels stops them.
 */
export async function withLaunched<T>(
  [first, ...others]: readonly SharedRun[],
  about: Launching<T>,
  work: () => Promise<T>,
): Promise<{ readonly done: T; readonly launched: readonly LaunchEnd[] }> {
  const { call, signals, isKept, place } = about;
  const { flags, terminal } = call;
  if (flags.launch === undefined || !first) return { done: await work(), launched: [] };
  const request = {
    ...(await requestOf(about, { wanted: flags.launch, run: first.run })),
    others: others.map(({ run }) => run),
  };
  const ports = portsOfLaunch(terminal, signals);
  let isStarted = false;
  try {
    const { done, record, started, stopped } = await withWorkers(
      { ...request, isKept },
      ports,
      (launched) => {
        isStarted = true;
        terminal.note(`launched  ${launched.started} × ${launched.record.kind} (${launched.record.label})`);
        return work();
      },
    );
    const end: LaunchEnd = { ...(stopped ?? { record, outcome: 'running' }), started };
    if (!stopped && !flags.detach) terminal.note(leftRunning(end, place));
    return { done, launched: [end] };
  } catch (error) {
    if (isStarted) throw error;
    throw await withoutWorkers(error, about);
  }
}

/** Nobody may find later that others worked on, and paid for, what was said to have failed. */
async function withoutWorkers(
  error: unknown,
  { call, place, begun, signals }: Launching<never>,
): Promise<unknown> {
  const { terminal, flags } = call;
  const reason = signals.drain.aborted
    ? 'it was stopped before its workers were launched'
    : `its workers could not be launched: ${messageOf(error)}`;
  await cancelRuns(begun, { place, reason, terminal });
  if (!(error instanceof ActionableError) || begun.length === 0) return error;
  const commands = begun.map(({ run }) => `"holdfast runs resume ${run} --launch ${flags.launch}"`);
  return new ActionableError({
    ...{ code: error.code, message: error.message, cause: error },
    hint: `Nobody works on it: it is cancelled. Correct what failed, and go on with ${commands.join(' and ')}.`,
  });
}

/** Cancels runs that were begun in vain, and says so; what cannot be cancelled is named. */
export async function cancelRuns(
  runs: readonly SharedRun[],
  about: { readonly place: OpenedPlace; readonly reason: string; readonly terminal: Terminal },
): Promise<void> {
  const { place, reason, terminal } = about;
  for (const shared of runs) {
    try {
      await shared.refresh();
      // One that was never begun is found by nobody.
      if (shared.round === 0) continue;
      await cancelRound(shared, place, { clock: systemClock, by: submitterName(), reason });
      terminal.note(`cancelled ${shared.run}`);
    } catch (error) {
      terminal.note(
        `${shared.run} is still in the queue: ${messageOf(error)}\n  Cancel it with: holdfast runs cancel ${shared.run}`,
      );
    }
  }
}

function leftRunning({ record }: LaunchEnd, { bucket }: OpenedPlace): string {
  return `The workers ${record.label} go on. Whoever waits for the run, fetches or cancels it stops them, or: holdfast launch stop ${record.run} --bucket ${quoteWord(bucket.url)}\n  They also end by themselves (idleExit, maxRuntime).`;
}

/** Workers that were left running have nothing to do any more: whoever finds that out stops them. */
export async function stopLaunchedFor(
  run: string,
  about: {
    readonly place: OpenedPlace;
    readonly terminal: Terminal;
    /** Labels of those that were seen to already. */
    readonly but?: readonly string[];
  },
): Promise<readonly LaunchEnd[]> {
  const { place, terminal, but = [] } = about;
  const ports = portsOfLaunch(terminal, NEVER);
  const found = (await launchedFor(place, run)).filter(({ label }) => !but.includes(label));
  const ends = found.map(async (record): Promise<LaunchEnd> => {
    const [due] = await stillDue(record.runs ?? [], place);
    if (due === undefined) return stopLaunched(place, record, ports);
    terminal.note(`The workers ${record.label} go on: they are for ${due} as well.`);
    return { record, outcome: 'running' };
  });
  const all = await Promise.all(ends);
  for (const { record, outcome, problem } of all) {
    if (outcome === 'stopped') terminal.note(`stopped   the workers ${record.label}`);
    if (problem) terminal.note(`${problem.message}\n  ${problem.hint}`);
  }
  return all;
}

async function stillDue(runs: readonly string[], place: OpenedPlace): Promise<readonly string[]> {
  const opened = await Promise.all(runs.map((run) => SharedRun.open(place, run).catch(unworkable)));
  return opened.flatMap((shared) =>
    shared && !shared.isComplete && !shared.isCancelled ? [shared.run] : [],
  );
}

/** Nobody can work on a run whose submission cannot be read. */
function unworkable(error: unknown): undefined {
  if (!(error instanceof DamageError)) throw error;
}

/** Workers that could not be stopped cost money: nobody may read that all went well. */
export function exitAfterLaunch(exitCode: ExitCode, launched: readonly LaunchEnd[]): ExitCode {
  if (launched.some(({ problem }) => problem instanceof DamageError)) return EXIT.damage;
  const hasFailed = launched.some(({ outcome }) => outcome === 'failed');
  return hasFailed && exitCode === EXIT.ok ? EXIT.failed : exitCode;
}

export function launchedJson(launched: readonly LaunchEnd[]): JsonObject[] {
  return launched.map(({ record, outcome, problem, started }) => {
    const { label, kind, name, workers, hosts } = record;
    const error = problem && errorJson(problem);
    return toJson(definedOf({ label, kind, name, workers, started, hosts, outcome, error })) as JsonObject;
  });
}

async function requestOf(
  { call, place, keys }: LaunchAbout,
  { wanted, run }: { readonly wanted: string; readonly run: string },
): Promise<LaunchRequest> {
  const { flags, terminal } = call;
  const { value } = (await call.settings()).get('launch');
  const { queue = '' } = flags;
  const isSecret = /:\/\/[^/@]*:[^/@]*@/.test(queue);
  // A queue with a password is told through the environment alone.
  const argv = ['worker', '--bucket', place.url, ...(isSecret ? [] : ['--queue', queue])];
  return {
    ...{ place, run, wanted, argv, keys },
    // The schema of the settings has seen it.
    launches: value as LaunchRequest['launches'],
    secrets: secretsOf(terminal.env, isSecret ? { keys, queue } : { keys }),
    ...definedOf({ workers: flags.launchWorkers }),
  };
}

/** Keys of models, of the bucket, and the queue with its password: what workers need and nobody else may see. */
function secretsOf(
  env: Environment,
  { keys, queue }: { readonly keys: readonly string[]; readonly queue?: string },
): Readonly<Record<string, string>> {
  const names = [...keys, ...BUCKET_KEYS].filter((name) => env[name]);
  const secrets = Object.fromEntries(names.map((name) => [name, env[name] ?? '']));
  return queue === undefined ? secrets : { ...secrets, HOLDFAST_QUEUE: queue };
}

/** Where the bucket is, and how one gets in. */
const BUCKET_KEYS = [
  ...['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN', 'AWS_REGION', 'AWS_DEFAULT_REGION'],
  ...['AWS_ENDPOINT_URL', 'AWS_ENDPOINT_URL_S3', 'HOLDFAST_S3_PATH_STYLE'],
];
const NEVER: StopSignals = { drain: new AbortController().signal, abort: new AbortController().signal };
