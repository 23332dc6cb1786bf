import { type Clock, type ErrorCode, UsageError } from '../base/index.ts';
import type { Redact } from './evidence-text.ts';
import type { QueuedJob } from './job-queue.ts';
import { patiently } from './patiently.ts';
import { writeCancelled } from './rounds.ts';
import type { SharedPlace } from './shared-keys.ts';
import type { SignsOfLife } from './signs-of-life.ts';

/** What one machine lacks, and another may have: a key, a program, a package of its own, the address of a model, the way to a bucket. And what became of the run. */
const OF_THE_WORKER: ReadonlySet<string> = new Set<ErrorCode>([
  'E_WORKER_KEY',
  'E_MODEL_KEY',
  'E_MODEL_BASE_URL',
  'E_TARGET_ENV',
  'E_PROVIDER_MISSING',
  'E_PROVIDER_VERSION',
  'E_BUCKET_CLIENT',
  'E_BUCKET_NONE',
  'E_BUCKET_UNSUPPORTED',
  'E_ARTIFACT_STORE',
  'E_LOG_DIR',
  'E_SHARED_REMOVED',
  'E_SHARED_UNKNOWN',
  'E_COMMAND_NOT_FOUND',
  'E_COMMAND_NOT_EXECUTABLE',
  'E_COMMAND_INTERPRETER',
]);

/** [SHR-25] True for what a run of one machine would end with exit code 2 for, and no other worker could get around. */
export function isMistake(error: unknown): error is UsageError {
  return error instanceof UsageError && !OF_THE_WORKER.has(error.code);
}

export interface MistakesOptions {
  readonly place: SharedPlace;
  readonly clock: Clock;
  readonly signs: SignsOfLife;
  /** Who says so. */
  readonly by: string;
  readonly signal: AbortSignal;
  readonly redact: Redact;
  readonly onProblem?: ((error: unknown) => void) | undefined;
}

type OfRound = Pick<QueuedJob, 'run' | 'round'>;

/** Cancels rounds that a mistake of the user makes impossible: to hand their jobs to one worker after the other would only set them aside. */
export class Mistakes {
  readonly #options: MistakesOptions;

  constructor(options: MistakesOptions) {
    this.#options = options;
  }

  /** Met while a job was done: the code and the rows are what was submitted, so everybody would meet it. */
  async cancel({ run, round }: OfRound, { message, code, hint }: UsageError): Promise<void> {
    const { place, clock, by, signal, redact, onProblem } = this.#options;
    const words = { reason: redact(message), hint: redact(hint), code, because: 'mistake' } as const;
    const cancel = () => writeCancelled(place, { run, round, clock, by, letsFinish: true, ...words });
    await patiently(cancel, { clock, signal, onProblem });
  }

  /**
   * Met while the run was opened, which whoever submitted it could do: the machine may be to blame, so it counts when no worker that is
   * there can work on the run. False when one may.
   */
  async cancelIfAll(queued: OfRound, error: UsageError): Promise<boolean> {
    if (!(await this.#options.signs.isRefusedByAll(queued))) return false;
    await this.cancel(queued, error);
    return true;
  }
}
