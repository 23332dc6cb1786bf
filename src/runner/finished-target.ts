import { type JsonObject, toJson } from '../base/index.ts';
import type { Disk } from '../disk/index.ts';
import type { JournalReader, RunJournals, TargetOutput } from '../journal/index.ts';
import { type ModelUsage, readMessages, readModelOutput, readUsage } from '../log/index.ts';
import type { SampleMeter, TargetResult } from '../targets/index.ts';
import type { PlannedSample } from './plan.ts';

/** A target that cannot be replayed, but whose output was durable when its process died. */
export interface FinishedTarget {
  /** The attempt, and the journal that holds it. */
  readonly source: JournalReader;
  readonly n: number;
  readonly uuid: string;
  readonly startedAt: string;
  readonly result: TargetResult;
  readonly usage: Readonly<Record<string, ModelUsage>>;
  readonly workspace?: string;
}

/** What is kept of it: enough to score the sample without starting the agent again. */
export function finishedOutput(
  result: TargetResult,
  more: { readonly usage: Readonly<Record<string, ModelUsage>>; readonly workspace: string | undefined },
): TargetOutput {
  const { output, messages, modelOutput } = result;
  return { output: toJson(output), fields: toJson({ messages, modelOutput, ...more }) as JsonObject };
}

/**
 * The latest interrupted attempt at a sample whose target had ended. Undefined when there is none, or when its workspace
 * is gone: scorers may want to look into it, so then the agent starts over.
 */
export async function findFinishedTarget(
  disk: Disk,
  journals: RunJournals,
  planned: PlannedSample,
): Promise<FinishedTarget | undefined> {
  const last = journals.attemptsAt(planned.id, planned.epoch).at(-1);
  if (!last || last.status !== undefined || last.key !== planned.key) return undefined;
  const kept = last.source.output(last.n);
  if (!kept) return undefined;
  const { messages, modelOutput, usage, workspace } = kept.fields;
  if (typeof workspace === 'string' && !(await disk.stat(workspace))) return undefined;
  return {
    source: last.source,
    n: last.n,
    uuid: last.uuid,
    startedAt: last.startedAt,
    // What was paid for is the output: that its conversation cannot be shown is no reason to buy it again.
    result: {
      output: kept.output,
      messages: readMessages(messages),
      modelOutput: readModelOutput(modelOutput) ?? { choices: [] },
    },
    usage: readUsage(usage) ?? {},
    ...(typeof workspace === 'string' ? { workspace } : {}),
  };
}

/** Its usage counts for the sample, as saved money: it was bought by the attempt before. */
export function countAgain(finished: FinishedTarget, meter: SampleMeter): void {
  for (const [model, usage] of Object.entries(finished.usage)) {
    meter.countReported({ model, usage, costUsd: usage.total_cost, isReplayed: true });
  }
}
