import { ActionableError } from '../base/index.ts';
import { type CallFailure, failureKind } from './retry.ts';

/** A try of a call that failed, as people are told it at once. */
export interface FailedTry {
  /** The model, or whatever else was called. */
  readonly model: string;
  readonly reason: string;
  /** Which try it was, of how many at most. */
  readonly tries: number;
  /** Undefined when the code that calls decides it. */
  readonly triesMax: number | undefined;
  /** How long until the next one; undefined when this was the last, or nobody here knows. */
  readonly nextMs: number | undefined;
}

/**
 * Watches the live calls of a run.
 *
 * - [CALL-1] A failed try is told at once, while the call still waits for its next try.
 * - [CALL-2] When the first ten calls of a run all fail for good, and alike, `stop` is aborted with an error that says why: the
 *   eleventh would fail, too. One answer, or two kinds of failure, and it never is. Nor is it when somebody else counts.
 */
export interface CallWatch {
  /** Set by whoever shows the run. */
  onFailedTry: ((failed: FailedTry) => void) | undefined;
  readonly stop: AbortSignal;
  answered(model: string): void;
  /** Something that is no model has answered: what is said of its own failures, and of nobody else's. */
  answeredOther(name: string): void;
  /** True when it has answered in this run: then a connection that is refused is an outage, not a wrong address. */
  hasAnswered(model: string): boolean;
  /** A call that failed for good. */
  failed(model: string, failure: CallFailure & { readonly reason: string }): void;
  /**
   * Set by whoever counts the calls of several processes together, and decides for all of them: one process knows only its own. Told what calls
   * came to, answers of one model once.
   */
  onCall: ((call: HeardCall) => void) | undefined;
}

/** What a call came to, in words that go over to another process. */
export type HeardCall =
  | { readonly answered: string; readonly isModel: boolean }
  | { readonly failed: string; readonly failure: string; readonly reason: string };

const CALLS_ALIKE_MAX = 10;

/** Counts calls until something is known of them [CALL-2]: those of one process, or of all that work for one. */
export class AlikeCalls {
  readonly #stop = new AbortController();
  readonly #answered = new Set<string>();
  readonly #others = new Set<string>();
  #kind: string | undefined;
  #alike = 0;

  /** Aborted with the reason when the first all failed alike. */
  get stop(): AbortSignal {
    return this.#stop.signal;
  }

  hasAnswered(model: string): boolean {
    return this.#answered.has(model);
  }

  /** True when it says something that was not known. */
  hear(call: HeardCall): boolean {
    if ('answered' in call) {
      const known = call.isModel ? this.#answered : this.#others;
      const isNew = !known.has(call.answered);
      known.add(call.answered);
      return isNew;
    }
    const { failed, failure, reason } = call;
    const now = `${failed} ${failure}`;
    this.#kind ??= now;
    const isOther = this.#answered.size > 0 || this.#others.has(failed) || now !== this.#kind;
    if (isOther) this.#alike = Number.NaN; // It never reaches the limit then.
    this.#alike++;
    if (this.#alike === CALLS_ALIKE_MAX) this.#stop.abort(allAlike(failed, reason));
    return true;
  }
}

export function createCallWatch(): CallWatch {
  const calls = new AlikeCalls();
  const stop = new AbortController();
  calls.stop.addEventListener('abort', () => {
    if (!watch.onCall) stop.abort(calls.stop.reason);
  });
  const hear = (call: HeardCall) => {
    if (calls.hear(call)) watch.onCall?.(call);
  };
  const watch: CallWatch = {
    onFailedTry: undefined,
    onCall: undefined,
    stop: stop.signal,
    answered: (model) => hear({ answered: model, isModel: true }),
    answeredOther: (name) => hear({ answered: name, isModel: false }),
    hasAnswered: (model) => calls.hasAnswered(model),
    failed: (model, failure) =>
      hear({ failed: model, failure: failureKind(failure), reason: failure.reason }),
  };
  return watch;
}

function allAlike(model: string, reason: string): ActionableError {
  return new ActionableError({
    code: 'E_CALLS_FAIL',
    message: `The first ${CALLS_ALIKE_MAX} calls to ${model} all failed in the same way, so no more are made: ${reason}`,
    hint: 'Check the address, the key and the name of the model; the same command then goes on.',
  });
}
