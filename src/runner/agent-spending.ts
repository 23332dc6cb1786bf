import { isJsonObject } from '../base/index.ts';
import type { RunJournals } from '../journal/index.ts';
import { type EvalSampleSummary, readUsage } from '../log/index.ts';
import type { RunnableTarget } from '../targets/index.ts';

/**
 * What an agent that starts over has cost in all attempts at a run: what it pays for itself is no answer of ours, so it stands
 * with its outputs and results. What one that was killed had spent, nobody knows.
 */
export function spentByAgent(journals: RunJournals, { name, startsOver }: RunnableTarget): number {
  if (!startsOver) return 0;
  let usd = 0;
  for (const { source, n } of journals.outline()) {
    const result = source.summary(n);
    if (result && isOfAnotherRun(result)) continue;
    const usage = result ? result.model_usage : readUsage(source.output(n)?.fields.usage);
    usd += usage?.[name]?.total_cost ?? 0;
  }
  return usd;
}

/** An output that was taken over was paid for before. */
function isOfAnotherRun({ metadata }: Pick<EvalSampleSummary, 'metadata'>): boolean {
  const ours = metadata?.holdfast;
  const made = isJsonObject(ours) ? ours.made : undefined;
  return isJsonObject(made) && made.how === 'scored anew';
}
