import type { SampleKey } from '../base/index.ts';
import type { EvalError, LogHeader, LogStatus } from '../log/index.ts';
import type { IncompleteDecision } from './incomplete.ts';
import type { RecoverCounts } from './recover-report.ts';
import type { RunFacts } from './run-facts.ts';

export interface RecoveryOutcome {
  readonly status: LogStatus;
  readonly error?: EvalError;
  /** Why the log is not a success, where that was asked for. */
  readonly notFinalized?: string;
}

/**
 * What the log says of itself: as its run had ended, when that can still be read and nothing is lost; a success, when the
 * run had ended or incomplete samples were to be ended, and every expected one is there; else that it was recovered.
 */
export function decideOutcome(found: {
  readonly facts: RunFacts;
  readonly counts: RecoverCounts;
  readonly decision: IncompleteDecision;
  readonly isWritten: (key: SampleKey) => boolean;
  readonly written: number;
  /** Samples that ended with an error. */
  readonly failed: number;
}): RecoveryOutcome {
  const { counts, decision, facts } = found;
  const ended = endOf(facts.header, counts);
  if (ended) return ended;
  const isWhole = counts.lost + counts.inFlight + found.failed === 0 && !missingSamples(found);
  if (facts.hadEnded && isWhole) return { status: 'success' };
  const error = facts.hadEnded ? DAMAGED : RECOVERED;
  if (!decision.isAsked) return { status: 'error', error };
  const because = decision.because ?? missingSamples(found) ?? lostSamples(counts);
  if (because === undefined) return { status: 'success' };
  return { status: 'error', error, notFinalized: because };
}

/** The end of a run whose header is whole although something else of its log is not. */
function endOf(header: LogHeader | undefined, counts: RecoverCounts): RecoveryOutcome | undefined {
  if (!header || header.status === 'started' || counts.lost + counts.inFlight > 0) return undefined;
  return { status: header.status, ...(header.error && { error: header.error }) };
}

/** A sentence about expected samples that never came to an end; undefined when all did. */
function missingSamples({
  facts,
  isWritten,
  written,
}: {
  readonly facts: RunFacts;
  readonly isWritten: (key: SampleKey) => boolean;
  readonly written: number;
}): string | undefined {
  const { expected, knownIds, start } = facts;
  if (expected === undefined) return 'the run did not say how many samples it has';
  let count = Math.max(0, expected - written);
  if (knownIds.size > 0) {
    count = 0;
    for (const id of knownIds.values())
      for (let epoch = 1; epoch <= (start.eval.config.epochs ?? 1); epoch++)
        if (!isWritten({ id, epoch })) count++;
  }
  return count === 0 ? undefined : `${count} samples were never run`;
}

function lostSamples({ lost }: RecoverCounts): string | undefined {
  return lost === 0 ? undefined : `${lost} samples are lost`;
}

const RECOVERED: EvalError = {
  message: 'Eval recovered from crash',
  traceback: 'Eval process crashed; log recovered from what it left behind.\n',
  traceback_ansi: 'Eval process crashed; log recovered from what it left behind.\n',
};

const DAMAGED: EvalError = {
  message: 'Eval log was damaged, and made anew from what was whole',
  traceback: 'The log of a finished eval was damaged; this one was made from what was whole in it.\n',
  traceback_ansi: 'The log of a finished eval was damaged; this one was made from what was whole in it.\n',
};
