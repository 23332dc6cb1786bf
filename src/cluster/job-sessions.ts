import type { IsolatedRun, OpenRun, RunSession } from './worker.ts';

export interface JobSessionsOptions {
  readonly opened: OpenRun;
  /** The run as it is open now: again, if what ran it is gone. */
  readonly use: () => Promise<OpenRun | undefined>;
  /** What is opened for this job goes with it. */
  readonly used: AsyncDisposableStack;
}

/** What does one job of a run: the process that it shares with others, or one of its own. */
export class JobSessions {
  readonly #options: JobSessionsOptions;
  #own: RunSession | undefined;
  /** What the worker has open of the run, as far as this job knows. */
  kept: OpenRun;
  /** What the job was last given to. */
  last: RunSession | undefined;

  constructor(options: JobSessionsOptions) {
    this.#options = options;
    this.kept = options.opened;
  }

  /** Where each job has a process of its own, this one's; else that of all. */
  async session(): Promise<RunSession> {
    const { opened, use } = this.#options;
    if (isIsolated(opened)) return await this.#takeOwn(opened.alone);
    const now = await use();
    const shared = now && !isIsolated(now) ? now : opened;
    this.kept = shared;
    this.last = shared;
    return shared;
  }

  /** One of its own, also in a run whose jobs share one; undefined where there is none to be had. */
  get apart(): (() => Promise<RunSession>) | undefined {
    const { opened } = this.#options;
    const open = isIsolated(opened) ? opened.alone : opened.apart;
    return open && (() => this.#takeOwn(open));
  }

  /** As long as it lives; what comes after it has another. */
  async #takeOwn(open: () => Promise<RunSession>): Promise<RunSession> {
    if (!this.#own || this.#own.isGone) {
      const own = await open();
      this.#options.used.defer(async () => own.close?.());
      this.#own = own;
    }
    this.last = this.#own;
    return this.#own;
  }
}

export function isIsolated(run: OpenRun): run is IsolatedRun {
  return 'alone' in run;
}
