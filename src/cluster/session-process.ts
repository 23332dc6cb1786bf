import { type Clock, messageOf, type SampleKey } from '../base/index.ts';
import type { Disk } from '../disk/index.ts';
import { type NodeChild, type NodeChildOptions, startNodeChild } from '../process/index.ts';
import { type AlikeCalls, createRedaction, type HeardCall, type Redaction } from '../targets/index.ts';
import { KeptPasses } from './asked-limiter.ts';
import { shipRest } from './evidence-rest.ts';
import type { Redact } from './evidence-text.ts';
import { LastWords } from './last-words.ts';
import { LeaseBook } from './lease-book.ts';
import type { SessionLimits } from './session-limits.ts';
import type { FromSession, SessionBegin, ToSession } from './session-messages.ts';
import { SessionOutputs } from './session-outputs.ts';
import type { SharedPlace } from './shared-keys.ts';
import type { LeaseBegun } from './shared-records.ts';
import { errorOf, type ToldError } from './told-error.ts';
import { type JobResult, returnedBy, type WorkAbout, WorkLost } from './work-on-job.ts';
import type { RunSession } from './worker.ts';

export interface SessionProcessOptions {
  /** How it is started: what comes after `node`. */
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly place: SharedPlace;
  readonly clock: Clock;
  /** Aborted when the worker must go: what is not open yet is given up. */
  readonly signal?: AbortSignal | undefined;
  readonly begin: SessionBegin;
  /** Sends to the bucket what a writer left in its journal when its process died. */
  readonly shipLeft?: ((writer: string) => Promise<unknown>) | undefined;
  /** Removes the journal of its writer, if the bucket has all of it: of a process that does one job, when it is gone. */
  readonly letGo?: ((writer: string) => Promise<unknown>) | undefined;
  /** Each line that the code of the run prints, and each note of the runner. */
  readonly onLine: (line: string) => void;
  /** It is ended when it does not answer for this long. */
  readonly answersWithinMs?: number | undefined;
  /** Takes out of a text the keys that this worker has. */
  readonly redact?: Redact | undefined;
  /** A folder for what it prints, when it does one job alone: it is not told line by line then [EVI-9]. */
  readonly outputs?: { readonly disk: Disk; readonly dir: string } | undefined;
  /** Counts the calls of this process with those of others that this worker started for the run [SHR-22]. */
  readonly calls?: AlikeCalls | undefined;
  /** Opens another beside it, which does one job. */
  readonly apart?: RunSession['apart'];
  /** What its calls may use, over all workers; without any they are not held up. */
  readonly limits?: SessionLimits | undefined;
}

/** What was told to stop and does not is ended from outside: a slot is given back within seconds. */
const STOP_MS = 8_000;
/** How long loading an eval and its rows may take. */
const OPEN_MS = 600_000;
/** How long what a dead process left may take to be sent. */
const SHIP_LEFT_MS = 10_000;
/** How long it may take to put its journal to bed. */
const END_MS = 20_000;

/**
 * The process in which a worker runs the code of one run. The worker itself never loads code of users: what kills this process, or
 * keeps it busy for minutes, keeps the worker neither from its signs of life nor from its queue.
 */
export class SessionProcess implements RunSession {
  readonly book: LeaseBook;
  readonly lostMax: number;
  readonly failOnError: RunSession['failOnError'];
  readonly apart: RunSession['apart'];
  writer = '';
  failure: Error | undefined;
  readonly #child: NodeChild;
  readonly #ended: Promise<void>;
  readonly #clock: Clock;
  readonly #options: SessionProcessOptions;
  readonly #lastWords = new LastWords();
  readonly #opened = Promise.withResolvers<void>();
  readonly #waiting = new Map<number, PromiseWithResolvers<JobResult>>();
  readonly #samples = new Map<number, SampleKey>();
  readonly #stopped = new Set<number>();
  readonly #passes: KeptPasses;
  #outputs: SessionOutputs | undefined;
  #redaction: Pick<Redaction, 'text'> | undefined;
  #ids = 0;
  #end: string | undefined;

  private constructor(options: SessionProcessOptions, outputs?: NodeChildOptions['outputs']) {
    const { argv, cwd, env, place, clock, begin } = options;
    this.#options = options;
    this.#clock = clock;
    this.book = new LeaseBook(place, { run: begin.submission.run, clock });
    this.lostMax = begin.submission.lostMax;
    this.failOnError = begin.submission.failOnError;
    this.apart = options.apart;
    this.#passes = new KeptPasses(
      async (model, signal) => (await options.limits?.enter(model, signal)) ?? { leave: () => undefined },
      (id) => this.#say({ kind: 'entered', id }),
    );
    this.#child = startNodeChild({
      ...{ argv, cwd, env, outputs, answersWithinMs: options.answersWithinMs },
      onMessage: (message) => this.#hear(message as FromSession),
      onLine: (line) => {
        this.#lastWords.hear(line);
        options.onLine(this.#redact(line));
      },
    });
    this.#ended = this.#child.ended.then(async (end) => {
      // Before its jobs are lost: whoever has them next replays what it finds in the bucket.
      if (end.exitCode !== 0) await this.#shipLeft();
      for (const line of (await this.#outputs?.lastLines()) ?? []) this.#lastWords.hear(line);
      this.#isOver(this.#redact(this.#lastWords.of(this.#child.pid, end)));
    });
    this.#say({ kind: 'begin', ...begin, outputsDir: options.outputs?.dir });
  }

  /** Rejects when it cannot run this run: another program, rows that differ, a key that is missing. */
  static async open(options: SessionProcessOptions): Promise<SessionProcess> {
    const session = await SessionProcess.#start(options);
    const { clock, signal } = options;
    // Code that hangs while it is loaded holds slots that nobody else gets.
    const giveUp = () => session.#child.kill('SIGKILL');
    using _late = clock.after(OPEN_MS, giveUp);
    signal?.addEventListener('abort', giveUp, { once: true });
    if (signal?.aborted) giveUp();
    try {
      await session.#opened.promise;
      signal?.removeEventListener('abort', giveUp);
      return session;
    } catch (error) {
      await session.close();
      throw error;
    }
  }

  static async #start(options: SessionProcessOptions): Promise<SessionProcess> {
    if (!options.outputs) return new SessionProcess(options);
    const { disk, dir } = options.outputs;
    const { started, outputs } = await SessionOutputs.open(
      disk,
      dir,
      (fds) => new SessionProcess(options, fds),
    );
    started.#outputs = outputs;
    return started;
  }

  /** By what all processes of the worker heard together. */
  get gaveUp(): unknown {
    const { stop } = this.#options.calls ?? {};
    return stop?.aborted ? stop.reason : undefined;
  }

  get isGone(): boolean {
    return this.#end !== undefined || this.failure !== undefined;
  }

  readonly work = async (lease: LeaseBegun, { earlier, signal: wanted }: WorkAbout): Promise<JobResult> => {
    const { calls, limits } = this.#options;
    await limits?.begin(lease.round, wanted);
    if (calls?.stop.aborted) return returnedBy(messageOf(calls.stop.reason));
    // What is under way when nothing answers here is given back, in whichever process it is.
    const signal = calls ? AbortSignal.any([wanted, calls.stop]) : wanted;
    if (this.failure) return returnedBy(this.failure.message);
    if (this.#end !== undefined) throw new Error(this.#end);
    const id = ++this.#ids;
    const waiting = Promise.withResolvers<JobResult>();
    this.#waiting.set(id, waiting);
    const stop = () => this.#stop(id, messageOf(signal.reason));
    signal.addEventListener('abort', stop);
    try {
      this.#say({ kind: 'work', id, lease, earlier });
      if (signal.aborted) stop();
      return await waiting.promise;
    } catch (error) {
      if (this.#end === undefined || !this.#options.outputs) throw error;
      throw new WorkLost(this.#end, await this.#shipRest(lease, id));
    } finally {
      signal.removeEventListener('abort', stop);
      this.#waiting.delete(id);
      this.#stopped.delete(id);
      this.#samples.delete(id);
    }
  };

  /** Resolves when it is gone. */
  async close(): Promise<void> {
    this.#say({ kind: 'end' });
    using _kill = this.#clock.after(END_MS, () => this.#child.kill('SIGKILL'));
    await this.#ended;
    await this.#outputs?.remove();
    await this.#within(SHIP_LEFT_MS, this.#options.letGo);
  }

  /** What its process had paid for and not sent. A bucket that is away is not waited for: the journal keeps it. */
  #shipLeft(): Promise<void> {
    return this.#within(SHIP_LEFT_MS, this.#options.shipLeft);
  }

  async #within(ms: number, see: ((writer: string) => Promise<unknown>) | undefined): Promise<void> {
    const { clock, onLine } = this.#options;
    if (!see || this.writer === '') return;
    const seen = see(this.writer).catch((error: unknown) => onLine(this.#redact(messageOf(error))));
    const over = new AbortController();
    const late = clock.sleep(ms, over.signal).catch(() => undefined);
    await Promise.race([seen, late]);
    over.abort(new Error('It is not waited for any more'));
  }

  async #shipRest(lease: LeaseBegun, id: number): Promise<JobResult['evidence']> {
    const { place, clock, outputs } = this.#options;
    const about = { redact: (text: string) => this.#redact(text), sample: this.#samples.get(id) };
    return outputs && (await shipRest(lease, { ...outputs, ...about, place, clock }));
  }

  /** What goes from its process to people or into the bucket through this one is redacted as all else [EVI-5]. */
  #redact(text: string): string {
    const known = this.#options.redact?.(text) ?? text;
    return this.#redaction?.text(known) ?? known;
  }

  #errorOf({ message, hint, ...about }: ToldError): Error {
    return errorOf({
      ...about,
      message: this.#redact(message),
      hint: hint === undefined ? '' : this.#redact(hint),
    });
  }

  /** Its reason becomes that of a round, or of a worker that refuses the run. */
  #redactedCall(call: HeardCall): HeardCall {
    return 'reason' in call ? { ...call, reason: this.#redact(call.reason) } : call;
  }

  #redacted(result: JobResult): JobResult {
    return result.reason === undefined ? result : { ...result, reason: this.#redact(result.reason) };
  }

  /** Code that does not listen is not waited for when all that is here was told to stop; innocents are not killed with it. */
  #stop(id: number, reason: string): void {
    this.#stopped.add(id);
    this.#say({ kind: 'abort', id, reason });
    const look = this.#clock.every(STOP_MS, () => {
      const isWaiting = this.#waiting.has(id);
      if (!isWaiting) look[Symbol.dispose]();
      const isHopeless = [...this.#waiting.keys()].every((one) => this.#stopped.has(one));
      if (isWaiting && isHopeless) this.#child.kill('SIGKILL');
    });
  }

  #hear(said: FromSession): void {
    if (said.kind === 'redact') this.#redaction = createRedaction(said.patterns);
    if (said.kind === 'opened') {
      this.writer = said.writer;
      this.#options.limits?.opened(said.writer, (told) => this.#say({ kind: 'budget', ...told }));
      this.#opened.resolve();
    }
    if (said.kind === 'refused') this.#opened.reject(this.#errorOf(said.error));
    if (said.kind === 'sample') this.#samples.set(said.id, said.sample);
    if (said.kind === 'worked') this.#waiting.get(said.id)?.resolve(this.#redacted(said.result));
    if (said.kind === 'broken') this.failure ??= this.#errorOf(said.error);
    if (said.kind === 'failed') this.#waiting.get(said.id)?.reject(this.#errorOf(said.error));
    if (said.kind === 'spent') this.#options.limits?.spend(said.usd);
    if (said.kind === 'enter' || said.kind === 'leave') this.#passes.hear(said);
    if (said.kind === 'called') this.#options.calls?.hear(this.#redactedCall(said.call));
    if (said.kind === 'note') this.#options.onLine(this.#redact(said.text));
  }

  #isOver(how: string): void {
    this.#end = how;
    this.#passes.leaveAll();
    this.#options.limits?.close();
    this.#opened.reject(new Error(how));
    // Nobody may be waiting for it any more.
    this.#opened.promise.catch(() => undefined);
    for (const { resolve, reject } of this.#waiting.values())
      if (this.failure) resolve(returnedBy(this.failure.message));
      else reject(new Error(how));
  }

  #say(said: ToSession): void {
    this.#child.send(said);
  }
}
