import { ActionableError, type Digest } from '../base/index.ts';
import { failureText } from './failure-text.ts';
import type { Models } from './models.ts';
import { type CallFailure, readFailure } from './retry.ts';
import type { SampleScope } from './sample-scope.ts';

/** A request of a target's or a scorer's own code. */
export interface OwnRequest {
  /** What is called: a model, `http/<host>` or `record/<name>`. */
  readonly name: string;
  readonly digest: Digest;
}

/**
 * Tells of failed calls that code makes by its own means, and which of them failed for good: at once where no further try
 * helps, else when the code has ended and the request was never answered, since whether to try again is the code's business.
 */
export class OwnFailures {
  readonly #models: Models;
  readonly #scope: SampleScope;
  readonly #open = new Map<Digest, Unanswered>();

  constructor({ models, scope }: { readonly models: Models; readonly scope: SampleScope }) {
    this.#models = models;
    this.#scope = scope;
  }

  failed({ name, digest }: OwnRequest, error: unknown): void {
    const { meter, clock } = this.#scope;
    meter.countFailedCall();
    const tries = 1 + (this.#open.get(digest)?.tries ?? 0);
    const wasCounted = this.#open.get(digest)?.isCounted ?? false;
    const failure = { ...readFailure(error, clock.nowMs()), reason: this.#reasonOf(error) };
    const request = { name, failure, tries, isCounted: true };
    const isStopped = meter.signal.aborted || error instanceof ActionableError;
    this.#open.set(digest, { ...request, isCounted: wasCounted || isStopped });
    if (isStopped) return;
    this.#models.calls.onFailedTry?.({
      model: name,
      reason: failure.reason,
      tries,
      triesMax: undefined,
      nextMs: undefined,
    });
    const isForGood = !failure.isRetryable && !isAbort(error);
    if (!isForGood || wasCounted) return;
    this.#open.set(digest, request);
    this.#models.calls.failed(name, failure);
  }

  answered({ name, digest }: OwnRequest, { isModel }: { readonly isModel: boolean }): void {
    if (isModel) this.#models.calls.answered(name);
    else this.#models.calls.answeredOther(name);
    this.#scope.meter.forgiveFailedCalls(this.#open.get(digest)?.tries ?? 0);
    this.#open.delete(digest);
  }

  /** The code has ended: nobody tries again what was not answered. */
  end(): void {
    const left = [...this.#open.values()].filter(({ isCounted }) => !isCounted);
    this.#open.clear();
    if (this.#scope.meter.signal.aborted) return;
    for (const { name, failure } of left) this.#models.calls.failed(name, failure);
  }

  #reasonOf(error: unknown): string {
    const { status } = readFailure(error, this.#scope.clock.nowMs());
    return this.#models.redact(`${status === undefined ? '' : `HTTP ${status}: `}${failureText(error)}`);
  }
}

interface Unanswered {
  readonly name: string;
  readonly failure: CallFailure & { readonly reason: string };
  readonly tries: number;
  /** True when it was told to have failed for good. */
  readonly isCounted: boolean;
}

function isAbort(error: unknown): boolean {
  return error instanceof Error && (error.name === 'AbortError' || error.name === 'TimeoutError');
}
