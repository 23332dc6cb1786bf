import {
  ActionableError,
  type Clock,
  counted,
  DamageError,
  definedOf,
  messageOf,
  UsageError,
} from '../base/index.ts';
import type { Company } from './company.ts';
import type { DamagedObject } from './damage.ts';
import type { Redact } from './evidence-text.ts';
import type { EndAbout, EndWords, LeaseBook } from './lease-book.ts';
import type { Lease } from './lease-standing.ts';
import { patiently } from './patiently.ts';
import type { JobId } from './shared-keys.ts';
import type { LeaseBegun, LeaseEnded } from './shared-records.ts';
import type { SignsOfLife } from './signs-of-life.ts';

export interface JobPorts {
  readonly book: LeaseBook;
  readonly signs: SignsOfLife;
  readonly clock: Clock;
  /** Which process this is. */
  readonly worker: string;
  readonly round: number;
  /** How many workers a job may lose in a round before it is set aside. */
  readonly lostMax: number;
  /** A job that may lose no other worker is done alone, so that whatever lost those before takes nobody else, and nobody else takes it. */
  readonly company: Company;
  /**
   * What does jobs of this run here. Asked for right before the lease is begun: what killed the process of another job while this one
   * waited for its place is not held against this one.
   */
  readonly session: () => Promise<JobSession>;
  /** The same in a process of its own, beside others: for a job that lost a worker before. Without it, or when it fails, such a job is done alone. */
  readonly apart?: (() => Promise<JobSession>) | undefined;
  /** True when this round was cancelled: nothing of it is taken. */
  readonly isCancelled: () => Promise<boolean>;
  /** True when what is under way of it is to be returned; else as soon as it was cancelled [SHR-18]. */
  readonly isUnwanted?: (() => Promise<boolean>) | undefined;
  /** Aborted when this worker must go: what it holds is returned. */
  readonly signal: AbortSignal;
  readonly onProblem?: ((error: unknown) => void) | undefined;
  /** Told before the lease ends that the job cannot be done: by nobody, or not by this worker [SHR-25]. */
  readonly onUnable?: ((error: UsageError) => Promise<void>) | undefined;
  /** Takes out of reasons what must be kept nowhere. */
  readonly redact?: Redact | undefined;
}

export interface JobSession {
  /** Whose journal it writes. */
  readonly writer: string;
  /** Does the job. It resolves when everything that its end promises is in the bucket [SHR-4]. */
  readonly work: (lease: LeaseBegun, about: WorkAbout) => Promise<JobResult>;
}

export interface WorkAbout {
  /** What others tried before: their answers are replayed. */
  readonly earlier: readonly Lease[];
  /** Aborted when the lease is lost or the work is not wanted any more. */
  readonly signal: AbortSignal;
}

export type JobResult = Pick<EndWords, EndAbout> & {
  readonly status: 'completed' | 'errored' | 'returned' | 'lost';
};

/** What a job ends with that could not be done here through no fault of its own: it is due, and nothing is held against it. */
export function returnedBy(reason: string): JobResult {
  return { status: 'returned', reason };
}

/** Nothing came of the work but what is known of its evidence. */
export class WorkLost extends Error {
  readonly evidence: EndWords['evidence'];

  constructor(message: string, evidence: EndWords['evidence']) {
    super(message);
    this.evidence = evidence;
  }
}

export type JobOutcome =
  /** `end` is the word that counts; `isOwn` is false when somebody had declared this worker lost. */
  | { readonly kind: 'ended'; readonly end: LeaseEnded; readonly isOwn: boolean }
  | { readonly kind: 'over'; readonly end: LeaseEnded }
  /** A worker that is alive has it: there is nothing to do here. */
  | { readonly kind: 'held'; readonly by: LeaseBegun }
  /** Nobody can tell what became of it: nothing more is done for it in this round [SHR-24]. */
  | { readonly kind: 'damaged'; readonly damaged: readonly DamagedObject[] }
  /** Or the run is gone. */
  | { readonly kind: 'cancelled' };

/** How often a worker looks whether it still has its lease, and whether its work is still wanted. */
const WATCH_MS = 3_000;
/** With every so many looks it is asked whether there is such a run at all. */
const GONE_LOOKS = 10;

class RunGone extends Error {
  constructor() {
    super('The run was removed');
  }
}

/**
 * Does a job that the engine handed to this worker: takes its lease, works, and ends the lease.
 *
 * ### Ordering
 * The lease is begun before anything is done for the job [SHR-3], and ended after everything that its end promises is stored
 * [SHR-4]. The caller tells the engine afterwards.
 */
export async function workOnJob(job: JobId, ports: JobPorts): Promise<JobOutcome> {
  const { book, signal } = ports;
  const ask = <T>(request: () => Promise<T>) => patiently(request, ports);
  let { apart } = ports;
  for (let manner: number = BESIDE; ; ) {
    // Before the lease, not after it: whoever waits with a lease in hand is lost with those that it waits for.
    using _place = await (manner === ALONE ? ports.company.alone() : ports.company.join());
    signal.throwIfAborted();
    if (await ask(ports.isCancelled)) return { kind: 'cancelled' };
    const session = await sessionFor(manner, { ...ports, apart });
    if (!session) {
      apart = undefined;
      manner = ALONE;
      continue;
    }
    const taker = { round: ports.round, worker: ports.worker, writer: session.writer };
    const needed = (earlier: readonly Lease[]) => mannerAfter(earlier, { ...ports, apart });
    const askedMs = ports.clock.monotonicMs();
    const taken = await ask(() => book.take(job, taker, (earlier) => manner >= needed(earlier)));
    if (taken.kind === 'over' || taken.kind === 'damaged') return taken;
    if (taken.kind === 'declined') manner = needed(taken.earlier);
    else if (taken.kind === 'taken') return await holdIfThere({ ...taken, askedMs }, session, ports);
    else if (!(await ask(() => endForHolder(taken.by, ports)))) return taken;
  }
}

/**
 * Undefined when no process of its own is to be had. Another of this run may not start beside the first, which has its port, or the memory: the
 * job would be due for ever if it needed one.
 */
async function sessionFor(
  manner: number,
  { session, apart, signal, onProblem }: JobPorts,
): Promise<JobSession | undefined> {
  if (manner === BESIDE || !apart) return await session();
  try {
    return await apart();
  } catch (error) {
    signal.throwIfAborted();
    onProblem?.(error);
    return undefined;
  }
}

/** False when whoever has it lives, and will end it. */
async function endForHolder(by: LeaseBegun, { book, signs, worker }: JobPorts): Promise<boolean> {
  // Handed out to the one who has it, nothing of it is under way: its end could not be stored, and nobody else will say so while this worker lives.
  const isOwn = by.worker === worker;
  if (!isOwn && !(await signs.isSilent(by, book.keys.begun(by.job, by.n)))) return false;
  const words = isOwn
    ? returnedBy('what it ended with could not be stored')
    : ({ status: 'lost', reason: `worker ${by.worker} gave no sign of life any more` } as const);
  await book.end(by, { ...words, by: worker });
  return true;
}

/** Who must go asks as well: a lease that was begun is ended, too. Whoever had no answer for long may have lost it meanwhile. */
async function holdIfThere(
  held: Held & { readonly askedMs: number },
  session: JobSession,
  ports: JobPorts,
): Promise<JobOutcome> {
  const { book, clock, onProblem } = ports;
  const { lease, askedMs } = held;
  const always = <T>(request: () => Promise<T>) => patiently(request, { clock, onProblem });
  if (!(await always(() => book.isRunThere()))) {
    await always(() => book.withdraw(lease));
    return { kind: 'cancelled' };
  }
  const isLate = clock.monotonicMs() - askedMs >= WATCH_MS;
  const end = isLate ? await always(() => book.readEnd(lease.job, lease.n)) : undefined;
  if (end instanceof DamageError) return damagedEnd(lease, book, end);
  return end ? { kind: 'ended', end, isOwn: false } : await holdLease(held, session, ports);
}

/** How a job is done, each more careful than the one before: with others in one process, in its own beside them, or with nobody beside it. */
const BESIDE = 0;
const APART = 1;
const ALONE = 2;

/**
 * A job that lost a worker may have killed it, or was there when another did, or a machine was switched off. In a process of its own it
 * takes nobody with it, unless it takes the machine: so it is alone when one more loss would set it aside. Sooner would be dear: whoever is to be alone waits
 * until all others are done, and keeps them from coming.
 */
function mannerAfter(
  earlier: readonly Lease[],
  { round, lostMax, apart }: Pick<JobPorts, 'round' | 'lostMax' | 'apart'>,
): number {
  const lost = lostIn(earlier, round).length;
  // Nothing is done any more for what is set aside.
  if (lost >= lostMax || !earlier.some(({ ended }) => ended?.status === 'lost')) return BESIDE;
  return apart && lost < lostMax - 1 ? APART : ALONE;
}

interface Held {
  readonly lease: LeaseBegun;
  readonly earlier: readonly Lease[];
}

async function holdLease(held: Held, session: JobSession, ports: JobPorts): Promise<JobOutcome> {
  const { lease, earlier } = held;
  const { signs, worker } = ports;
  const lost = lostIn(earlier, lease.round);
  if (lost.length >= ports.lostMax)
    return endLease(lease, { status: 'aside', by: worker, reason: asideReason(lost) }, ports);
  signs.begin(lease);
  try {
    const result = await workWatched(held, session, ports);
    return result === 'gone'
      ? { kind: 'cancelled' }
      : await endLease(lease, { ...result, by: worker }, ports);
  } finally {
    signs.finish(lease);
  }
}

/** Everything that the end promises is stored by now: it is asked for until the bucket takes it, also when this worker must go. */
async function endLease(lease: LeaseBegun, words: EndWords, ports: JobPorts): Promise<JobOutcome> {
  const { clock, onProblem, redact = (text) => text } = ports;
  const reason = words.reason === undefined ? undefined : redact(words.reason);
  const told = { ...words, ...definedOf({ reason }) };
  const end = await patiently(() => ports.book.end(lease, told), { clock, onProblem });
  if (end instanceof DamageError) return damagedEnd(lease, ports.book, end);
  return { kind: 'ended', end, isOwn: end.by === ports.worker && end.status === words.status };
}

/** It was ended before, and how cannot be read. */
function damagedEnd({ job, n }: LeaseBegun, { keys }: LeaseBook, { message }: DamageError): JobOutcome {
  return { kind: 'damaged', damaged: [{ key: keys.ended(job, n), job, problem: message }] };
}

/**
 * Work that throws counts as a lost worker: the next one may have more luck, and a job that never has it is set aside. But a bucket that is
 * away is no fault of any job, and neither is a mistake of the user, or a key that this machine lacks. `gone` is the run, and there is nothing to
 * be said of it any more.
 */
async function workWatched(
  { lease, earlier }: Held,
  session: JobSession,
  ports: JobPorts,
): Promise<JobResult | 'gone'> {
  using watch = watchLease(lease, ports);
  try {
    return await session.work(lease, { earlier, signal: AbortSignal.any([ports.signal, watch.signal]) });
  } catch (error) {
    if (watch.signal.reason instanceof RunGone) return 'gone';
    const reason = messageOf(error);
    const { evidence } = error instanceof WorkLost ? error : {};
    if (ports.signal.aborted || watch.signal.aborted)
      return { status: 'returned', reason, ...definedOf({ evidence }) };
    ports.onProblem?.(error);
    if (error instanceof ActionableError && error.retryable) return returnedBy(reason);
    if (error instanceof UsageError) {
      await tellUnable(error, ports);
      return returnedBy(reason);
    }
    return {
      status: 'lost',
      reason: `worker ${ports.worker} failed: ${reason}`,
      ...definedOf({ evidence }),
    };
  }
}

/** What cannot be told keeps the lease from its end no more than anything else. */
async function tellUnable(error: UsageError, { onUnable, onProblem }: JobPorts): Promise<void> {
  try {
    await onUnable?.(error);
  } catch (problem) {
    onProblem?.(problem);
  }
}

/** A worker that was frozen finds out soon after it wakes up, and buys nothing more. */
function watchLease(lease: LeaseBegun, ports: JobPorts): Disposable & { readonly signal: AbortSignal } {
  const { book, clock } = ports;
  const stop = new AbortController();
  let looks = 0;
  const look = async () => {
    const end = await book.readEnd(lease.job, lease.n);
    if (end instanceof DamageError) stop.abort(new Error(`The lease was ended: ${end.message}`));
    else if (end) stop.abort(new Error(`The lease was ended by ${end.by}: ${end.reason ?? end.status}`));
    else if (await (ports.isUnwanted ?? ports.isCancelled)()) stop.abort(new Error('The run was cancelled'));
    // With its run the end of the lease went as well, by which a worker that was frozen would find out.
    else if (++looks % GONE_LOOKS === 0 && !(await book.isRunThere())) stop.abort(new RunGone());
  };
  const timer = clock.every(WATCH_MS, () => {
    look().catch((error: unknown) => ports.onProblem?.(error));
  });
  return { signal: stop.signal, [Symbol.dispose]: () => timer[Symbol.dispose]() };
}

function lostIn(leases: readonly Lease[], round: number): readonly LeaseEnded[] {
  return leases.flatMap(({ ended }) => (ended?.status === 'lost' && ended.round === round ? ended : []));
}

function asideReason(lost: readonly LeaseEnded[]): string {
  return `${counted(lost.length, 'worker')} did not come back from it: ${lost.map(({ reason }) => reason).join('; ')}`;
}
