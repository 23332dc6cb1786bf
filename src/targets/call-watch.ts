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
 *   eleventh would fail, too. One answer, or two kinds of failure, and it never is.
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
}

const CALLS_ALIKE_MAX = 10;

export function createCallWatch(): CallWatch {
  const stop = new AbortController();
  const answered = new Set<string>();
  const others = new Set<string>();
  let kind: string | undefined;
  let alike = 0;
  return {
    onFailedTry: undefined,
    stop: stop.signal,
    answered: (model) => void answered.add(model),
    answeredOther: (name) => void others.add(name),
    hasAnswered: (model) => answered.has(model),
    failed(model, failure) {
      const now = `${model} ${failureKind(failure)}`;
      kind ??= now;
      if (answered.size > 0 || others.has(model) || now !== kind) alike = Number.NaN; // It never reaches the limit then.
      alike++;
      if (alike === CALLS_ALIKE_MAX) stop.abort(allAlike(model, failure.reason));
    },
  };
}

function allAlike(model: string, reason: string): ActionableError {
  return new ActionableError({
    code: 'E_CALLS_FAIL',
    message: `The first ${CALLS_ALIKE_MAX} calls to ${model} all failed in the same way, so no more are made: ${reason}`,
    hint: 'Check the address, the key and the name of the model; the same command then goes on.',
  });
}
