import { assert, definedOf } from '../base/index.ts';
import type { LaunchConfig } from '../config/index.ts';
import { chooseLaunch } from './choose-launch.ts';
import { launchErrors } from './launch-errors.ts';
import { LaunchKeys, type LaunchPlace, parseLaunchKey } from './launch-keys.ts';
import type { LaunchPorts } from './launch-ports.ts';
import { encodeLaunch, type LaunchRecord, type Step, stampOf } from './launch-records.ts';
import { type LaunchAsked, type LaunchPlan, readTemplate } from './plan-launch.ts';
import { planWithoutSecrets, withoutSecrets } from './refuse-secrets.ts';
import { runStep } from './run-step.ts';
import { runStops, type Stopped, stopLaunched } from './stop-workers.ts';

export interface LaunchRequest extends Omit<LaunchAsked, 'launch'> {
  readonly place: LaunchPlace;
  /** `launch` of the settings. */
  readonly launches: Readonly<Record<string, LaunchConfig>> | undefined;
  /** What `--launch` names. */
  readonly wanted: string;
  /** Names of the variables that the runs need. */
  readonly keys?: readonly string[] | undefined;
  /** Other runs that the workers are for: who ends the last of them stops the workers. */
  readonly others?: readonly string[] | undefined;
}

/** Workers that were started; they run until they are stopped, whatever becomes of this process. */
export interface Launched {
  readonly record: LaunchRecord;
  /** Of these the start succeeded; the problems of others were told. */
  readonly started: number;
  /** Stops them, once, however often it is called. */
  stop(): Promise<Stopped>;
}

const START_TIMEOUT_MS = 120_000;

/** Refuses what cannot be launched, before anything is uploaded or started. */
export async function checkLaunch(
  request: LaunchRequest,
  ports: Pick<LaunchPorts, 'disk' | 'cwd'>,
): Promise<void> {
  const asked = askedOf(request);
  refuseWithoutKeys(asked, request.keys ?? []);
  planWithoutSecrets(asked, 1, await readTemplate(asked.launch, ports));
}

/** Workers that have their keys from here would refuse the run, one after the other. */
function refuseWithoutKeys(
  { launch: { name, config }, secrets = {} }: LaunchAsked,
  keys: readonly string[],
): void {
  const isFromHere = config.kind === 'command' || (config.kind === 'ssh' && config.copyEnv === true);
  const missing = keys.filter((key) => secrets[key] === undefined);
  if (isFromHere && missing.length > 0) throw launchErrors.keys(name, missing);
}

/**
 * Starts workers for a run.
 *
 * ### Ordering
 * What is started is on record before it is started [SHR-14], with all that is needed to stop it: a crash at any moment leaves nothing that
 * nobody can find. When nothing could be started, or it is given up, what may run is stopped again before this rejects.
 */
export async function startWorkers(request: LaunchRequest, ports: LaunchPorts): Promise<Launched> {
  const { place } = request;
  const asked = askedOf(request);
  const template = await readTemplate(asked.launch, ports);
  const { others = [] } = request;
  const { plan, record } = await putOnRecord(place, { asked, template, others }, ports);
  let stopping: Promise<Stopped> | undefined;
  const stop = () => {
    stopping ??= stopLaunched(place, record, ports);
    return stopping;
  };
  try {
    const started = await runStarts(plan.start, { secrets: request.secrets, record }, ports);
    await refuseOvertaken(place, record, ports);
    return { record, started, stop };
  } catch (error) {
    const { problem } = await stop();
    if (problem) ports.onProblem?.(problem);
    throw error;
  }
}

/** What was done with workers, and what became of them then. */
export interface Worked<T> {
  readonly done: T;
  readonly record: LaunchRecord;
  readonly started: number;
  /** Undefined when they were left running. */
  readonly stopped?: Stopped;
}

/**
 * Starts workers, does something with them, and stops them, whatever happens. Where `isKept` says so of what was done they are left running, as by
 * `submit --detach`; not when it fails.
 */
export async function withWorkers<T>(
  request: LaunchRequest & { readonly isKept?: (done: T) => boolean },
  ports: LaunchPorts,
  work: (launched: Launched) => Promise<T>,
): Promise<Worked<T>> {
  const launched = await startWorkers(request, ports);
  const { record, started } = launched;
  const end = async () => {
    const stopped = await launched.stop();
    if (stopped.problem) ports.onProblem?.(stopped.problem);
    return stopped;
  };
  let done: T;
  try {
    done = await work(launched);
  } catch (error) {
    await end();
    throw error;
  }
  const worked = { done, record, started };
  return request.isKept?.(done) ? worked : { ...worked, stopped: await end() };
}

function askedOf({ run, argv, workers, secrets, launches, wanted }: LaunchRequest): LaunchAsked {
  return { run, argv, workers, secrets, launch: chooseLaunch(launches, wanted) };
}

interface ToRecord {
  readonly asked: LaunchAsked;
  readonly template: string;
  readonly others: readonly string[];
}

/** Takes the next free number. Of two who launch for one run at once each gets its own. */
async function putOnRecord(
  place: LaunchPlace,
  { asked, template, others }: ToRecord,
  ports: LaunchPorts,
): Promise<{ readonly plan: LaunchPlan; readonly record: LaunchRecord }> {
  const runs = others.length === 0 ? undefined : [asked.run, ...others];
  const keys = new LaunchKeys(place, asked.run);
  for (let n = (await lastNumber(place, keys)) + 1; ; n++) {
    const plan = planWithoutSecrets(asked, n, template);
    const stamp = stampOf({ run: asked.run, n }, ports);
    const about = definedOf({ ...plan.about, runs });
    const record: LaunchRecord = { format: 'holdfast-launched', ...stamp, ...about };
    if (!(await place.bucket.create(keys.record(n), encodeLaunch(record), ports.signal))) continue;
    for (const other of others) {
      const key = new LaunchKeys(place, other).served(asked.run, n);
      await place.bucket.create(key, new Uint8Array(), ports.signal);
    }
    return { plan, record };
  }
}

async function lastNumber({ bucket }: LaunchPlace, { root }: LaunchKeys): Promise<number> {
  let last = 0;
  for await (const { key } of bucket.list(root)) last = Math.max(last, parseLaunchKey(key)?.n ?? 0);
  return last;
}

/** All at once; one that fails does not keep the others, unless none is left. */
async function runStarts(
  steps: readonly Step[],
  { secrets, record }: { readonly secrets: LaunchAsked['secrets']; readonly record: LaunchRecord },
  ports: LaunchPorts,
): Promise<number> {
  const signal = ports.signal ?? new AbortController().signal;
  const ends = await Promise.allSettled(
    steps.map(async (step) => {
      const reason = await runStep(step, ports, { signal, timeoutMs: START_TIMEOUT_MS });
      return reason && launchErrors.start(step.about, withoutSecrets(reason, secrets));
    }),
  );
  signal.throwIfAborted();
  const problems = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : (end.value ?? [])));
  const [first, ...others] = problems;
  assert(steps.length > 0, `nothing starts ${record.label}`);
  if (problems.length === steps.length) throw first;
  for (const problem of [first, ...others]) if (problem) ports.onProblem?.(problem);
  return record.kind === 'ssh' ? steps.length - problems.length : record.workers;
}

/** Somebody may have stopped them, from elsewhere, before there was anything to stop. */
async function refuseOvertaken(place: LaunchPlace, record: LaunchRecord, ports: LaunchPorts): Promise<void> {
  const key = new LaunchKeys(place, record.run).stopped(record.n);
  if (!(await place.bucket.stat(key, ports.signal))) return;
  const reason = await runStops(record, ports);
  if (reason !== undefined) ports.onProblem?.(launchErrors.stop(record, reason));
  throw launchErrors.overtaken(record);
}
