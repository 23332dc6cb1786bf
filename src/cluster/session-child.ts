import { ActionableError, messageOf, type SampleKey } from '../base/index.ts';
import type { ParentLink } from '../process/index.ts';
import type { CallLimiter, HeardCall } from '../targets/index.ts';
import { AskedLimiter } from './asked-limiter.ts';
import type { BudgetTold } from './session-limits.ts';
import type { FromSession, SessionBegin, ToSession } from './session-messages.ts';
import type { JobId } from './shared-keys.ts';
import { toldError } from './told-error.ts';
import { returnedBy } from './work-on-job.ts';
import type { RunSession } from './worker.ts';

/** A run, as the process that has its code opened it. */
export interface OpenedRun extends Pick<RunSession, 'writer' | 'work'> {
  /** Undefined for a build. */
  sampleOf(job: JobId): SampleKey | undefined;
  /** Why its journal takes nothing more: then nothing can be done here any more. Undefined as long as it does. */
  failure(): unknown;
  tellBudget(told: BudgetTold): void;
  close(): Promise<void>;
}

export interface SessionTold {
  readonly onSpent: (usd: number | undefined) => void;
  readonly onNote: (text: string) => void;
  /** What the eval wants redacted; said before anything is done with it that may fail. */
  readonly onRedact: (patterns: readonly RegExp[]) => void;
  readonly onCall: (call: HeardCall) => void;
  /** Kept by the worker, over all workers. */
  readonly limiter: CallLimiter;
}

/**
 * Does jobs of one run for the worker that started this process, until that one says that nothing more will come, or is gone. Whatever
 * the code of the eval does to this process, the worker lives, and says so of the jobs that were here.
 */
export async function serveSession(
  link: ParentLink,
  open: (begin: SessionBegin, told: SessionTold) => Promise<OpenedRun>,
): Promise<void> {
  const over = Promise.withResolvers<void>();
  const session = new Session(link, open, () => over.resolve());
  link.gone.addEventListener('abort', () => over.resolve(), { once: true });
  link.onMessage((message) => {
    const said = message as ToSession;
    if (said.kind === 'end') over.resolve();
    else session.hear(said);
  });
  await over.promise;
  await session.close();
}

class Session {
  readonly #link: ParentLink;
  readonly #openRun: (begin: SessionBegin, told: SessionTold) => Promise<OpenedRun>;
  readonly #onFailed: () => void;
  readonly #running = new Map<number, AbortController>();
  readonly #work = new Set<Promise<void>>();
  readonly #limiter = new AskedLimiter((said) => this.#say(said));
  #opened: Promise<OpenedRun> | undefined;
  #run: OpenedRun | undefined;

  constructor(
    link: ParentLink,
    openRun: (begin: SessionBegin, told: SessionTold) => Promise<OpenedRun>,
    onFailed: () => void,
  ) {
    this.#link = link;
    this.#openRun = openRun;
    this.#onFailed = onFailed;
  }

  hear(said: Exclude<ToSession, { kind: 'end' }>): void {
    if (said.kind === 'begin') this.#keep(this.#begin(said));
    if (said.kind === 'work') this.#keep(this.#do(said));
    if (said.kind === 'abort') this.#running.get(said.id)?.abort(new Error(said.reason));
    if (said.kind === 'entered') this.#limiter.entered(said.id);
    // At once: whoever is let in by the next message looks at it.
    if (said.kind === 'budget') this.#run?.tellBudget(said);
  }

  /** What runs is stopped; what it paid for is in the journal. */
  async close(): Promise<void> {
    for (const stop of this.#running.values()) stop.abort(new Error('The worker goes'));
    await Promise.all(this.#work);
    const [opened] = await Promise.allSettled([this.#opened]);
    if (opened.status === 'fulfilled') await opened.value?.close();
  }

  async #begin(begin: SessionBegin): Promise<void> {
    this.#opened = this.#openRun(begin, {
      onSpent: (usd) => this.#say({ kind: 'spent', usd }),
      onNote: (text) => this.#say({ kind: 'note', text }),
      onRedact: (patterns) => this.#say({ kind: 'redact', patterns }),
      onCall: (call) => this.#say({ kind: 'called', call }),
      limiter: this.#limiter,
    });
    try {
      this.#run = await this.#opened;
      this.#say({ kind: 'opened', writer: this.#run.writer });
    } catch (error) {
      this.#say({ kind: 'refused', error: toldError(error) });
    }
  }

  async #do({ id, lease, earlier }: Extract<ToSession, { kind: 'work' }>): Promise<void> {
    const stop = new AbortController();
    this.#running.set(id, stop);
    try {
      const opened = await this.#opened;
      if (!opened) throw new Error('the session was not begun');
      const sample = opened.sampleOf(lease.job);
      if (sample) this.#say({ kind: 'sample', id, sample });
      const result = await opened.work(lease, { earlier, signal: stop.signal });
      this.#say({ kind: 'worked', id, result });
    } catch (error) {
      const failure = this.#run?.failure() ?? (isDiskFull(error) ? error : undefined);
      if (failure === undefined) this.#say({ kind: 'failed', id, error: toldError(error) });
      else this.#break(id, failure);
    } finally {
      this.#running.delete(id);
    }
  }

  /** A process whose journal failed would fail every job at once, and be the quickest of all workers. So it ends, and its jobs go to others. */
  #break(id: number, failure: unknown): void {
    this.#say({ kind: 'broken', error: toldError(failure) });
    this.#say({ kind: 'worked', id, result: returnedBy(messageOf(failure)) });
    this.#onFailed();
  }

  #keep(work: Promise<void>): void {
    this.#work.add(work);
    void work.finally(() => this.#work.delete(work));
  }

  #say(said: FromSession): void {
    this.#link.send(said);
  }
}

/** Of builds as well, which have journals of their own. */
function isDiskFull(error: unknown): boolean {
  return error instanceof ActionableError && error.code === 'E_DISK_FULL';
}
