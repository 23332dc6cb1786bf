import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import process from 'node:process';
import {
  ActionableError,
  definedOf,
  messageOf,
  shortId,
  systemClock,
  systemRandom,
  UsageError,
} from '../../base/index.ts';
import { seenBucket } from '../../bucket/index.ts';
import { installBundle } from '../../bundle/index.ts';
import {
  isolatedRun,
  type JobOutcome,
  KnownRuns,
  type OpenRun,
  openLimiter,
  type QueuedJob,
  readSubmission,
  SessionLimits,
  SessionProcess,
  type SessionProcessOptions,
  SignsOfLife,
  Worker,
} from '../../cluster/index.ts';
import { nodeDisk, tempPathFor } from '../../disk/index.ts';
import { watchForStop } from '../../launch/index.ts';
import { AlikeCalls, type Redactor } from '../../targets/index.ts';
import type { CommandCall } from '../command.ts';
import type { WorkerFlags } from '../commands/worker.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { formatDuration } from '../quantities.ts';
import { listenForStop, type StopControl } from '../run/stop-control.ts';
import { oneLine } from '../table.ts';
import type { Environment } from '../terminal.ts';
import { userDataDirs } from '../user-data-dirs.ts';
import { type OpenedPlace, openShared, openSharedQueue, unusable } from './shared-place.ts';
import { envOfRun, workerEnv } from './worker-env.ts';
import { collectHomeHourly, homeDirs, letGo, shipLeft } from './worker-home.ts';
import { secretsOf, workerRedactor } from './worker-secrets.ts';

const WEEK_MS = 7 * 86_400_000;
/** How many times a problem that lasts is said. */
const SAID_AGAIN_MS = 60_000;

/** `holdfast worker`: serves the queue until it is told to go. */
export async function workerCommand(call: CommandCall<WorkerFlags>): Promise<ExitCode> {
  const { terminal } = call;
  const env = await workerEnv(call.flags.keysFile, terminal);
  // What speaks to the bucket looks for its keys in the environment of the process.
  Object.assign(process.env, env);
  const told = definedOf({ queue: env.HOLDFAST_QUEUE, bucket: env.HOLDFAST_BUCKET });
  const flags = { ...told, ...definedOf(call.flags) };
  const place = await openShared(flags, terminal);
  const redactor = workerRedactor(env);
  const note = (text: string) => terminal.note(redactor.redact(text));
  const say = quietRepeats(note);
  const onProblem = (error: unknown) => say(`problem   ${oneLine(problemText(error))}`);
  const queue = await openSharedQueue(flags, place, { onProblem });
  const ports = { clock: systemClock, random: systemRandom, onProblem };
  const limiter = await openLimiter(flags.queue ?? '', ports);
  try {
    const stop = listenForStop({
      onDrain: (signal) => terminal.note(`Stopping (${signal}): what is under way goes back to the queue.`),
      onAbort: () => terminal.note('Stopping now.'),
      note: terminal.note,
      exitCode: EXIT.ok,
    });
    try {
      using _limit = limitRuntime(stop, flags.maxRuntime);
      using _launch = heedLaunch(flags, { place, stop, onProblem });
      const worker = await serve(call, { place, env, queue, limiter, stop, onProblem, redactor, note });
      if (call.flags.json) terminal.json({ exitCode: EXIT.ok, worker });
    } finally {
      stop.dispose();
    }
  } finally {
    limiter.close();
    await queue.close();
  }
  return EXIT.ok;
}

interface Serving {
  readonly place: OpenedPlace;
  readonly env: Environment;
  readonly queue: Awaited<ReturnType<typeof openSharedQueue>>;
  readonly limiter: Awaited<ReturnType<typeof openLimiter>>;
  readonly stop: StopControl;
  readonly onProblem: (error: unknown) => void;
  readonly redactor: Redactor;
  readonly note: (text: string) => void;
}

/** Resolves with the name of the worker when it has ended. */
async function serve(
  { flags, terminal }: CommandCall<WorkerFlags>,
  { place, env, queue, limiter, stop, onProblem, redactor, note }: Serving,
): Promise<string> {
  const { slots = 1, idleExit, hangMax, keepBundles: keepBundlesMs = WEEK_MS } = flags;
  const name = workerName();
  const dir = resolve(terminal.cwd, flags.dir ?? join(userDataDirs(terminal)[0] ?? '', 'holdfast/worker'));
  const { drain: signal } = stop.signals;
  const runs = new KnownRuns(place);
  const home = { place, env, dir, note, redactor, limiter, by: name, onProblem, signal, hangMax, runs };
  await using _collected = collectHomeHourly({ place, dir, keepBundlesMs, note, onProblem });
  const worker = new Worker({
    ...{ worker: name, place, queue, clock: systemClock, slots, signal, runs },
    idleExitMs: idleExit,
    signs: new SignsOfLife(place, {
      ...{ worker: name, clock: systemClock, slots, host: hostname(), onProblem },
    }),
    openSession: sessionsIn(home),
    onOutcome: (job, outcome) => note(outcomeLine(job, outcome)),
    ...{ onProblem, redact: redactor.redact },
  });
  terminal.note(`worker    ${name}: ${slots} slots, ${place.bucket.url}`);
  await worker.serve().catch((error: unknown) => {
    throw isDenied(error) ? unusable(error) : error;
  });
  terminal.note('worker    ended');
  return name;
}

/** A bucket that does not take the first sign of life cannot be used: nothing was done. */
function isDenied(error: unknown): boolean {
  return error instanceof ActionableError && error.code === 'E_BUCKET_DENIED';
}

/** For people and for keys: where it runs, and which of those there it is. */
function workerName(): string {
  const host = hostname()
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, '-')
    .slice(0, 40);
  return `${host}-${process.pid}-${shortId(systemRandom).slice(0, 6)}`;
}

interface WorkerHome extends Pick<Serving, 'place' | 'env' | 'limiter' | 'onProblem' | 'redactor' | 'note'> {
  readonly by: string;
  readonly signal: AbortSignal;
  readonly runs: KnownRuns;
  readonly calls: Map<string, AlikeCalls>;
  readonly dir: string;
  readonly hangMax: number | undefined;
}

function sessionsIn(home: Omit<WorkerHome, 'calls'>): (run: string) => Promise<OpenRun | undefined> {
  const calls = new Map<string, AlikeCalls>();
  return (run) => openSession(run, { ...home, calls });
}

/** The code of a run comes from its bundle, and runs in a process of its own; or in one for each job, when that is asked for. */
async function openSession(run: string, home: WorkerHome): Promise<OpenRun | undefined> {
  const { place, env, dir, note, redactor, limiter, by, onProblem, signal, hangMax, runs } = home;
  const submission = await readSubmission(place, run);
  if (!submission) return undefined;
  const { work } = submission;
  const dirs = homeDirs(dir);
  for (const secret of secretsOf(env, work.keys)) redactor.add(secret);
  const childEnv = envOfRun(env, { run, keys: work.keys });
  const onLine = (line: string) => note(`${run}  ${line}`);
  const { root } = await installBundle({
    ...{ disk: nodeDisk, clock: systemClock, random: systemRandom, env: childEnv, place },
    ...{ digest: work.bundle, dir: dirs.bundles, onLine, signal },
  });
  const calls = callsOf(run, home);
  const open = async ({ outputs, apart }: Pick<SessionProcessOptions, 'outputs' | 'apart'>) => {
    const session = await SessionProcess.open({
      argv: [...process.execArgv, process.argv[1] ?? '', 'worker', '--session'],
      ...{
        cwd: join(root, work.dir),
        env: childEnv,
        place,
        clock: systemClock,
        signal,
        onLine,
        outputs,
        apart,
      },
      ...{ redact: redactor.redact, answersWithinMs: hangMax, calls },
      shipLeft: (writer) => shipLeft(dirs, place, { run, writer }),
      letGo: outputs ? (writer) => letGo(dirs, place, { run, writer }) : undefined,
      limits: new SessionLimits({ place, clock: systemClock, submission, runs, limiter, by, onProblem }),
      begin: {
        ...{ submission, bucket: place.url, prefix: place.prefix },
        seen: seenBucket(place.url, { disk: nodeDisk }),
        stateDir: dirs.runs,
        artifactsDir: dirs.artifacts,
      },
    });
    note(`opened    ${run}: ${work.eval}, writer ${session.writer}`);
    return session;
  };
  const openOne = () => open({ outputs: { disk: nodeDisk, dir: tempPathFor(join(dirs.outputs, run)) } });
  return await (work.isIsolated ? isolatedRun(openOne) : open({ apart: openOne }));
}

/** Those of all processes that this worker has for a run, side by side or one after the other [SHR-22]; anew once they gave it up. */
function callsOf(run: string, { calls }: WorkerHome): AlikeCalls {
  const known = calls.get(run);
  if (known && !known.stop.aborted) return known;
  const fresh = new AlikeCalls();
  calls.set(run, fresh);
  return fresh;
}

/** One that was launched ends with its launch, also where no command reaches it. */
function heedLaunch(
  { label, launchedFor: run }: WorkerFlags,
  { place, stop, onProblem }: Pick<Serving, 'place' | 'stop' | 'onProblem'>,
): Disposable | undefined {
  if (label === undefined || run === undefined) return undefined;
  const onStop = () => stop.drain('its launch was stopped');
  return watchForStop(place, { run, label, clock: systemClock, onStop, onProblem });
}

function limitRuntime(stop: StopControl, maxMs: number | undefined): Disposable | undefined {
  if (maxMs === undefined) return undefined;
  return systemClock.after(maxMs, () => stop.drain(`it ran for ${formatDuration(maxMs)}`));
}

function outcomeLine({ run, job }: QueuedJob, outcome: JobOutcome): string {
  const about = `${run} ${job}`;
  if (outcome.kind === 'held') return `held      ${about} by ${outcome.by.worker}`;
  if (outcome.kind === 'cancelled') return `over      ${about}: the run was cancelled`;
  if (outcome.kind === 'damaged')
    return `damaged   ${about}: ${outcome.damaged.map(({ problem }) => oneLine(problem)).join(' ')}`;
  const { status, reason } = outcome.end;
  const why = reason === undefined ? '' : `: ${oneLine(reason)}`;
  return `${status.padEnd(10)}${about}${why}`;
}

function problemText(error: unknown): string {
  if (!(error instanceof ActionableError)) return messageOf(error);
  const isKnown = error instanceof UsageError || !error.retryable;
  return isKnown ? `${error.message} ${error.hint}` : error.message;
}

/** What lasts is said once a minute, and not with every try. */
function quietRepeats(note: (text: string) => void): (text: string) => void {
  const said = new Map<string, number>();
  return (text) => {
    const nowMs = systemClock.monotonicMs();
    if (nowMs - (said.get(text) ?? Number.NEGATIVE_INFINITY) < SAID_AGAIN_MS) return;
    said.set(text, nowMs);
    note(text);
  };
}
