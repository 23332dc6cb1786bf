import { ActionableError, DamageError, messageOf } from '../base/index.ts';
import { launchErrors } from './launch-errors.ts';
import { LaunchKeys, type LaunchPlace, labelOf, parseLaunchKey, parseServedKey } from './launch-keys.ts';
import type { LaunchPorts } from './launch-ports.ts';
import { decodeLaunch, encodeLaunch, LAUNCH_VERSION, type LaunchRecord, stampOf } from './launch-records.ts';
import { runStep } from './run-step.ts';

/** A launch as it is on record. One whose record cannot be read is known by its number alone, and with the damage [SHR-24]. */
export type Launched = LaunchRecord & { readonly damage?: DamageError };

/** What became of the workers of one launch. */
export interface Stopped {
  readonly record: LaunchRecord;
  /** `stopped`: by this call. `already`: by another. `failed`: not all of them, as far as is known. */
  readonly outcome: 'stopped' | 'already' | 'failed';
  readonly problem?: ActionableError;
}

const STOP_TIMEOUT_MS = 60_000;
/** Whoever called first has come to an end by then, or died over it. */
const TAKE_OVER_MS = 90_000;
const POLL_MS = 500;
/** The second Ctrl-C waits for no bucket. */
const LAST_WORD_MS = 2_000;

/**
 * Stops all workers that were launched for a run, from any machine that has the bucket. Never rejects for what could not be stopped: each
 * outcome tells, and what comes after, such as bringing results home, goes on.
 */
export async function stopWorkers(
  place: LaunchPlace,
  run: string,
  ports: LaunchPorts,
): Promise<readonly Stopped[]> {
  const found = await launchedFor(place, run);
  return Promise.all(found.map((record) => stopLaunched(place, record, ports)));
}

/** What was launched for a run, as it is on record: with it, or with another that its workers are for as well. */
export async function launchedFor(place: LaunchPlace, run: string): Promise<readonly Launched[]> {
  const found: Launched[] = [];
  for await (const { key } of place.bucket.list(new LaunchKeys(place, run).root)) {
    const own = parseLaunchKey(key);
    const named = own?.part === 'record' ? { run, n: own.n } : parseServedKey(key);
    const record = named && (await recordOf(place, named));
    // What another run has on record may be for that one alone: it stops them, or says that it cannot.
    if (record && (record.run === run || !record.damage)) found.push(record);
  }
  return found;
}

/** True when workers that were launched with a run may still be there: what stops them is on record with it. */
export async function hasLaunched(place: LaunchPlace, run: string): Promise<boolean> {
  for (const record of await launchedFor(place, run)) {
    const keys = new LaunchKeys(place, record.run);
    if (record.run === run && !(await place.bucket.stat(keys.gone(record.n)))) return true;
  }
  return false;
}

/** Undefined when it went with its run. */
async function recordOf(
  place: LaunchPlace,
  { run, n }: { readonly run: string; readonly n: number },
): Promise<Launched | undefined> {
  const key = new LaunchKeys(place, run).record(n);
  const bytes = await place.bucket.read(key);
  try {
    return bytes && decodeLaunch(bytes, { key, run, n });
  } catch (error) {
    if (!(error instanceof DamageError && error.code === 'E_SHARED_DAMAGED')) throw error;
    const unknown = {
      name: 'unknown',
      kind: 'command',
      workers: 1,
      stop: [],
      by: 'unknown',
      at: '',
    } as const;
    const about = { format: 'holdfast-launched', version: LAUNCH_VERSION, run, n } as const;
    return { ...about, ...unknown, stop: [], label: labelOf(run, n), damage: error };
  }
}

/**
 * Stops the workers of one launch. Of many who call, from wherever, one runs its commands [SHR-16]; the others wait for what comes of it.
 *
 * ### Ordering
 * The call comes before the commands: workers see it, and end also where no command reaches them. `gone` comes after them. A crash in between
 * leaves a call without an answer, which somebody else takes over after a while; to stop twice is harmless. While the bucket is away the
 * commands are run without a word in it.
 */
export async function stopLaunched(
  place: LaunchPlace,
  record: Launched,
  ports: LaunchPorts,
): Promise<Stopped> {
  let isTold = false;
  try {
    if (record.damage) return await tellUnread(place, { record, problem: record.damage }, ports);
    const call = await callToStop(place, record, ports).catch(unheard);
    isTold = call !== UNHEARD;
    if (call === undefined) return { record, outcome: 'already' };
    return await answerCall(place, { record, call }, ports);
  } catch (error) {
    const problem = ports.abandon?.aborted
      ? launchErrors.abandoned(record, place.bucket.url, isTold || (await wasTold(place, record)))
      : launchErrors.stop(record, messageOf(error));
    return { record, outcome: 'failed', problem };
  }
}

/** Whether a call to stop them lies in the bucket, whoever made it; one that cannot be asked counts as none. */
async function wasTold(place: LaunchPlace, record: LaunchRecord): Promise<boolean> {
  const key = new LaunchKeys(place, record.run).stopped(record.n);
  try {
    return (await place.bucket.stat(key, AbortSignal.timeout(LAST_WORD_MS))) !== undefined;
  } catch {
    return false; // The second Ctrl-C waits for no bucket: what is not known is not said.
  }
}

/** [SHR-24] Its commands are not known, but its workers look for the call themselves [SHR-17]. Nothing says that they are gone. */
async function tellUnread(
  { bucket, prefix }: LaunchPlace,
  { record, problem }: { readonly record: Launched; readonly problem: DamageError },
  ports: LaunchPorts,
): Promise<Stopped> {
  const keys = new LaunchKeys({ bucket, prefix }, record.run);
  if (await bucket.stat(keys.gone(record.n), ports.abandon)) return { record, outcome: 'already' };
  const bytes = encodeLaunch({ format: 'holdfast-launch-stopped', ...stampOf(record, ports) });
  await bucket.create(keys.stopped(record.n), bytes, ports.abandon);
  return { record, outcome: 'failed', problem };
}

/** While the bucket is away nobody can be asked who stops them. To do so twice is harmless; not to do it costs money. */
const UNHEARD = 0;

function unheard(error: unknown): number {
  if (error instanceof ActionableError && error.retryable) return UNHEARD;
  throw error;
}

/** The number of the call that is ours to answer; undefined when all are gone. */
async function callToStop(
  { bucket, prefix }: LaunchPlace,
  record: LaunchRecord,
  ports: LaunchPorts,
): Promise<number | undefined> {
  const keys = new LaunchKeys({ bucket, prefix }, record.run);
  const { clock, abandon } = ports;
  const bytes = encodeLaunch({ format: 'holdfast-launch-stopped', ...stampOf(record, ports) });
  const startedMs = clock.monotonicMs();
  for (let call = 1; ; ) {
    if (await bucket.stat(keys.gone(record.n), abandon)) return undefined;
    const last = await bucket.stat(keys.stopped(record.n, call), abandon);
    if (!last) {
      if (await bucket.create(keys.stopped(record.n, call), bytes, abandon)) return call;
      continue;
    }
    const isOld =
      clock.nowMs() - last.modifiedMs > TAKE_OVER_MS || clock.monotonicMs() - startedMs > TAKE_OVER_MS;
    if (isOld || (await bucket.stat(keys.failed(record.n, call), abandon))) call++;
    else await clock.sleep(POLL_MS, abandon);
  }
}

async function answerCall(
  { bucket, prefix }: LaunchPlace,
  { record, call }: { readonly record: LaunchRecord; readonly call: number },
  ports: LaunchPorts,
): Promise<Stopped> {
  const keys = new LaunchKeys({ bucket, prefix }, record.run);
  const reason = await runStops(record, ports);
  if (call === UNHEARD && reason === undefined) return { record, outcome: 'stopped' };
  if (call === UNHEARD) throw new Error(reason);
  if (reason === undefined) {
    const gone = encodeLaunch({ format: 'holdfast-launch-gone', ...stampOf(record, ports) });
    await bucket.create(keys.gone(record.n), gone);
    return { record, outcome: 'stopped' };
  }
  const failed = { format: 'holdfast-launch-failed', ...stampOf(record, ports), reason } as const;
  const told = bucket.create(keys.failed(record.n, call), encodeLaunch(failed));
  if (!ports.abandon?.aborted) {
    await told;
    return { record, outcome: 'failed', problem: launchErrors.stop(record, reason) };
  }
  // Best effort: without it the next who stops waits until the call is old.
  await Promise.race([told.catch(() => false), ports.clock.sleep(LAST_WORD_MS)]);
  return { record, outcome: 'failed', problem: launchErrors.abandoned(record, bucket.url, call !== UNHEARD) };
}

/** Runs all commands that stop a launch, at once; undefined when all of them did. */
export async function runStops({ stop }: LaunchRecord, ports: LaunchPorts): Promise<string | undefined> {
  const signal = ports.abandon ?? new AbortController().signal;
  const reasons = await Promise.all(
    stop.map(async (step) => {
      const reason = await runStep(step, ports, { signal, timeoutMs: STOP_TIMEOUT_MS }).catch(messageOf);
      return reason === undefined ? [] : [`${step.about}: ${reason}`];
    }),
  );
  const all = reasons.flat();
  return all.length === 0 ? undefined : all.join('; ');
}
