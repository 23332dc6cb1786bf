import { sampleKeyText } from '../base/index.ts';
import type { AttemptOutline, RunJournals } from '../journal/index.ts';

/**
 * How many samples have answers on record that nothing has come of yet: an attempt that was paid for and did not end, and
 * neither a completed attempt nor a log that lends the very same sample. Such answers can be replayed only as long as the
 * journals are there, so a run is not let go before they were.
 */
export function countWaiting(
  journals: RunJournals,
  isWanted: (attempt: AttemptOutline, name: string) => boolean = () => true,
): number {
  const ended = new Set<string>();
  const waiting = new Set<string>();
  for (const { source, ...attempt } of journals.outline()) {
    const name = sampleKeyText(attempt.id, attempt.epoch);
    if (attempt.status === 'completed') ended.add(name);
    else if (attempt.status === 'errored') waiting.delete(name);
    else if (isWanted(attempt, name) && source.isPaid(attempt.n)) waiting.add(name);
  }
  // What was lent by another definition does not stand for what this one was answered.
  for (const { id, epoch, mode } of journals.reused())
    if (mode === 'same') ended.add(sampleKeyText(id, epoch));
  return [...waiting].filter((name) => !ended.has(name)).length;
}
