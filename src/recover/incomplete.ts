import type { EvalError } from '../log/index.ts';
import { recoverErrors } from './recover-errors.ts';

/** What becomes of samples that were running: `retry` marks them so that a retry runs them again, `error` ends them. */
export type IncompleteAction = 'retry' | 'error';

export interface IncompleteOptions {
  readonly action: IncompleteAction;
  /** How many may be ended: a count of at least 1, or a part of the samples below 1. Default: any number. */
  readonly max?: number;
}

/** In the very words of Inspect: `inspect eval-retry` knows by them what to run again. */
const CANCELLED: EvalError = {
  message: 'CancelledError()',
  traceback: 'CancelledError: recovered from crashed eval\n',
  traceback_ansi: 'CancelledError: recovered from crashed eval\n',
};

const TERMINATED: EvalError = {
  message: 'terminated by operator during recovery',
  traceback: 'terminated by operator during recovery\n',
  traceback_ansi: 'terminated by operator during recovery\n',
};

export interface IncompleteDecision {
  readonly mark: EvalError;
  /** True when samples were to be ended, so that the log can be a success. */
  readonly isAsked: boolean;
  /** Why samples are not ended although that was asked for. */
  readonly because?: string;
}

export function decideIncomplete(
  options: IncompleteOptions,
  counts: { readonly inFlight: number; readonly expected: number | undefined },
): IncompleteDecision {
  const { action, max } = options;
  if (max !== undefined && !(max >= 0 && (max < 1 || Number.isInteger(max))))
    throw recoverErrors.incompleteMax(max);
  if (action === 'retry') return { mark: CANCELLED, isAsked: false };
  const allowed = allowedOf(max, counts.expected ?? counts.inFlight);
  if (counts.inFlight > allowed) {
    const because = `${counts.inFlight} samples were running, and only ${allowed} may be ended`;
    return { mark: CANCELLED, isAsked: true, because };
  }
  return { mark: TERMINATED, isAsked: true };
}

function allowedOf(max: number | undefined, expected: number): number {
  if (max === undefined) return Number.POSITIVE_INFINITY;
  return max < 1 ? Math.floor(max * expected) : max;
}
