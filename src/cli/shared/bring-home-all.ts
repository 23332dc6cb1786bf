import { definedOf, type JsonObject, toJson } from '../../base/index.ts';
import type { JobQueue, RunStatus, SharedRun } from '../../cluster/index.ts';
import type { StopSignals } from '../../runner/index.ts';
import type { CommandCall } from '../command.ts';
import { EXIT, type ExitCode, exitCodeOfShared } from '../exit-code.ts';
import { errorJson, errorText } from '../report-error.ts';
import { exitCodeAfter, publishedJson, sayPublished } from '../results/auto-publish.ts';
import type { Terminal } from '../terminal.ts';
import {
  exitOfWait,
  type WaitEnd,
  type Waited,
  type WaitFlags,
  WorkersSeenLately,
  waitForRun,
} from './await-runs.ts';
import { damageLines } from './damage-lines.ts';
import { type Fetched, type FetchFlags, fetchRun, isDamaged } from './fetch-run.ts';
import { fetchedLines } from './fetched-lines.ts';
import type { LaunchEnd } from './launch-for.ts';
import type { OpenedPlace } from './shared-place.ts';
import { progressLine } from './status-lines.ts';
import { WAIT_EXITS } from './wait-exits.ts';

interface Home {
  readonly call: CommandCall<FetchFlags & WaitFlags & { readonly launch?: string }>;
  readonly place: OpenedPlace;
  readonly queue: JobQueue | undefined;
  /** Whoever waits is told to stop. */
  readonly signals: StopSignals;
}

/** What came of waiting for runs: for the one document of `--json`, and for whoever has launched workers for them. */
export interface BroughtHome {
  readonly exitCode: ExitCode;
  /** Of those of which it is known, or known that nobody knows it. */
  readonly ends: readonly WaitEnd[];
  /** One for each run. */
  readonly runs: readonly JsonObject[];
  /** Workers of earlier launches, which had nothing to do any more. */
  readonly launched: readonly LaunchEnd[];
}

type Outcome =
  | {
      readonly shared: SharedRun;
      readonly exitCode: ExitCode;
      readonly error: unknown;
      readonly end: WaitEnd | undefined;
    }
  | {
      readonly shared: SharedRun;
      readonly exitCode: ExitCode;
      readonly waited: Waited;
      readonly fetched: Fetched | undefined;
    };

/**
 * Waits for all of them and brings home what is complete, and what is there of those that were cancelled; the worst exit code is that of the
 * command. One that fails does not keep the others from being told.
 */
export async function bringHomeAll(runs: readonly SharedRun[], home: Home): Promise<BroughtHome> {
  const { flags, terminal } = home.call;
  const workers = new WorkersSeenLately(home.place);
  const outcomes = await Promise.all(
    runs.map((shared) =>
      bringHome(shared, { ...home, workers }).catch((error: unknown): Outcome => failed(shared, error)),
    ),
  );
  const [exitCode = EXIT.ok] = outcomes.map((one) => one.exitCode).sort((a, b) => b - a);
  for (const outcome of outcomes) {
    if ('error' in outcome) terminal.note(errorOf(outcome, terminal));
    else if (!flags.json) sayOutcome(outcome, terminal);
  }
  const whole = outcomes.flatMap((outcome) => ('error' in outcome ? [] : outcome));
  return {
    ...{ exitCode, ends: outcomes.flatMap((one) => endOf(one) ?? []), runs: outcomes.map(outcomeJson) },
    launched: whole.flatMap(({ fetched }) => fetched?.launched ?? []),
  };
}

async function bringHome(
  shared: SharedRun,
  { call, place, queue, signals, workers }: Home & { readonly workers: WorkersSeenLately },
): Promise<Outcome> {
  const { flags, terminal } = call;
  const waited = await waitForRun(shared, {
    ...{ place, queue, flags, signal: signals.drain, workers, note: terminal.note },
  });
  const isHomeward = waited.end === 'complete' || waited.end === 'cancelled';
  const keepsWorkers = flags.launch !== undefined;
  if (!isHomeward) return { shared, waited, fetched: undefined, exitCode: exitOf(waited, undefined) };
  try {
    const fetched = await fetchRun(shared, { call, place, keepsWorkers, signals });
    const ownCode = signals.drain.aborted ? EXIT.interrupted : exitOf(waited, fetched);
    return { shared, waited, fetched, exitCode: exitCodeAfter(ownCode, fetched.published, flags) };
  } catch (error) {
    if (error !== signals.drain.reason) return failed(shared, error, waited.end);
    const stopped = { ...waited, end: 'interrupted' } as const;
    return { shared, waited: stopped, fetched: undefined, exitCode: EXIT.interrupted };
  }
}

/** Where nobody can tell what the run does, nothing is known against its workers either. */
function failed(shared: SharedRun, error: unknown, end?: WaitEnd): Outcome {
  const exitCode = exitCodeOfShared(error, WAIT_EXITS);
  return { shared, exitCode, error, end: end ?? (exitCode === EXIT.unknown ? 'unknown' : undefined) };
}

function endOf(outcome: Outcome): WaitEnd | undefined {
  return 'error' in outcome ? outcome.end : outcome.waited.end;
}

/** The log knows more of scorers than the ends of leases do. */
function exitOf(waited: Waited, fetched: Fetched | undefined): ExitCode {
  if (fetched && isDamaged(fetched)) return EXIT.damage;
  const exitCode = exitOfWait(waited, fetched?.missed ?? []);
  return exitCode === EXIT.ok && fetched && fetched.scorerTroubles.length > 0 ? EXIT.failed : exitCode;
}

function sayOutcome(
  { waited, fetched }: { readonly waited: Waited; readonly fetched: Fetched | undefined },
  terminal: Terminal,
): void {
  const { run, damaged } = waited.status;
  const lines = fetched
    ? fetchedLines(fetched, terminal)
    : [notHome(waited), ...damageLines(run, damaged, terminal.style)];
  for (const line of lines) terminal.line(line);
  sayPublished(fetched?.published, terminal);
}

function errorOf(
  { shared, error }: { readonly shared: SharedRun; readonly error: unknown },
  terminal: Terminal,
): string {
  return errorText(error, terminal, { isVerbose: false, about: shared.run });
}

function outcomeJson(outcome: Outcome): JsonObject {
  const { shared, exitCode } = outcome;
  if ('error' in outcome) return { ...runJson(shared, 'unknown'), exitCode, error: errorJson(outcome.error) };
  const { waited, fetched } = outcome;
  const { end, status } = waited;
  return {
    ...runJson(shared, status.state),
    ...{ exitCode, end, status: toJson(status) },
    ...(fetched ? fetchedJson(fetched) : {}),
  };
}

/** What every document says of a run that was put into the queue. */
export function runJson(shared: SharedRun, state: RunStatus['state']): JsonObject {
  const { run, round, submission } = shared;
  const { record, samples, work } = submission;
  const { eval: name, targetName: target } = record.identity;
  let due = 0;
  for (const _ of shared.due()) due++;
  return { run, round, eval: name, target, samples, due, bundle: work.bundle, state };
}

export function fetchedJson({
  home,
  missed,
  scorerTroubles,
  results,
  artifacts,
  ...rest
}: Fetched): JsonObject {
  const { results: published } = publishedJson(rest.published);
  return toJson({
    ...{ run: home.run, home, missed, scorerTroubles },
    ...definedOf({ log: home.log, results, artifacts, published }),
  }) as JsonObject;
}

function notHome({ end, status }: Waited): string {
  return `${status.run}: not home (${end}). ${progressLine(status)}`;
}
