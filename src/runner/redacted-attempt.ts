import type { Redaction } from '../targets/index.ts';
import type { AttemptSink } from './sample-journal.ts';

/**
 * An attempt that lets nothing through to the journal that the eval wants redacted [RED-1]. The values of answers are
 * redacted already where they come in, since the target must see what is kept.
 */
export function redactedAttempt(attempt: AttemptSink, redaction: Redaction): AttemptSink {
  if (!redaction.isOn) return attempt;
  return {
    n: attempt.n,
    event: (event) => attempt.event(redaction.value(event)),
    // It may have been bought before the eval wanted anything redacted.
    replayed: (answer) => attempt.replayed({ ...answer, value: redaction.value(answer.value) }),
    answer: (answer, events) => attempt.answer(answer, redaction.value(events)),
    output: (output) => attempt.output(redaction.value(output)),
    finish: (status, fields) => attempt.finish(status, redaction.value(fields)),
  };
}
