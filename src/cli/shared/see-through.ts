import { counted, type JsonObject, systemRandom } from '../../base/index.ts';
import { type JobQueue, type SharedRun, seeWorkers, statusOf } from '../../cluster/index.ts';
import type { StopSignals } from '../../runner/index.ts';
import type { CommandCall } from '../command.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import type { WaitEnd, WaitFlags } from './await-runs.ts';
import { type BroughtHome, bringHomeAll, runJson } from './bring-home-all.ts';
import type { FetchFlags } from './fetch-run.ts';
import {
  exitAfterLaunch,
  type LaunchEnd,
  launchedJson,
  stopLaunchedFor,
  withLaunched,
} from './launch-for.ts';
import type { LaunchFlags } from './launch-options.ts';
import type { OpenedPlace } from './shared-place.ts';

interface Through {
  readonly call: CommandCall<LaunchFlags & FetchFlags & WaitFlags>;
  readonly place: OpenedPlace;
  readonly queue: JobQueue;
  /** Names of the variables that the runs need. */
  readonly keys: readonly string[];
  readonly signals: StopSignals;
  /** Runs of which this command has begun the round: nobody else waits for it. */
  readonly begun: readonly SharedRun[];
  /** Nothing is due: nobody is launched for it. */
  readonly isIdle?: boolean;
}

/**
 * What `submit` and `runs resume` do with runs that are in the queue: launch workers where that is asked for, wait, bring home and say what
 * came of it, in one form.
 */
export async function seeThrough(runs: readonly SharedRun[], through: Through): Promise<ExitCode> {
  const { call, signals } = through;
  const { flags, terminal } = call;
  try {
    const isKept = ({ ends }: BroughtHome) => flags.detach === true || ends.some(leavesWorkers);
    // What somebody cancelled by now needs no workers.
    const served = through.isIdle ? [] : runs.filter(({ isCancelled }) => !isCancelled);
    const { done, launched } = await withLaunched(served, { ...through, isKept }, () =>
      workOn(runs, through),
    );
    const own = [...done.launched, ...launched];
    const all = [...own, ...(await stopEarlier(runs, { ...through, ...done, own }))];
    const exitCode = exitAfterLaunch(done.exitCode, all);
    if (flags.json) terminal.json({ exitCode, runs: [...done.runs], launched: launchedJson(all) });
    return exitCode;
  } catch (error) {
    // Told to stop while workers were started.
    if (error !== signals.drain.reason) throw error;
    if (flags.json) {
      const said = await runsJson(runs, through.place);
      terminal.json({ exitCode: EXIT.interrupted, runs: said, launched: [] });
    }
    return EXIT.interrupted;
  }
}

/** Whoever cannot see the run, or waits no longer, knows nothing against its workers: a laptop that is offline stops no run. */
export function leavesWorkers(end: WaitEnd): boolean {
  return end === 'unknown' || end === 'timed-out' || end === 'no-progress';
}

/** Whoever has launched workers of its own left to the end what others had launched for the same runs. */
async function stopEarlier(
  runs: readonly SharedRun[],
  about: Pick<Through, 'call' | 'place'> & Pick<BroughtHome, 'ends'> & { readonly own: readonly LaunchEnd[] },
): Promise<readonly LaunchEnd[]> {
  const { call, place, ends, own } = about;
  const { flags, terminal } = call;
  const isOver =
    ends.length === runs.length && ends.every((end) => end === 'complete' || end === 'cancelled');
  if (flags.launch === undefined || !isOver) return [];
  const but = own.map(({ record }) => record.label);
  const stopped: LaunchEnd[] = [];
  for (const { run } of runs) stopped.push(...(await stopLaunchedFor(run, { place, terminal, but })));
  return stopped.filter(({ outcome }) => outcome !== 'already');
}

async function workOn(
  runs: readonly SharedRun[],
  { call, place, queue, signals }: Through,
): Promise<BroughtHome> {
  const { flags, terminal } = call;
  if (!flags.detach) return bringHomeAll(runs, { call, place, queue, signals });
  for (const { run, submission } of flags.json ? [] : runs) {
    const { eval: name, targetName } = submission.record.identity;
    terminal.line(`${run}  ${name} · ${targetName}  ${counted(submission.samples, 'sample')}`);
  }
  return { exitCode: EXIT.ok, ends: [], runs: await runsJson(runs, place), launched: [] };
}

/** What is said of runs that are in the queue, by whoever does not wait for them. */
export async function runsJson(runs: readonly SharedRun[], place: OpenedPlace): Promise<JsonObject[]> {
  const seen = await seeWorkers(place, { random: systemRandom });
  return runs.map((shared) => runJson(shared, statusOf(shared, seen).state));
}
