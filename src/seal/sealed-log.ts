import { isJsonObject, type SampleKey, sampleKeyText } from '../base/index.ts';
import type { RunRecord } from '../journal/index.ts';
import { answerKey, type LogHeader, type LogReader, type LogStore, repairedLog } from '../log/index.ts';
import { RECOVERY_KEY } from './account-key.ts';
import { sampleOfChosen } from './choice-list.ts';
import type { SealPlan } from './plan-seal.ts';

/** The header of the log that an earlier seal of this run left in its place, if there is one; also when it is damaged. */
export async function findSealedLog(
  logs: LogStore,
  name: string,
  run: Pick<RunRecord, 'runId'>,
): Promise<LogHeader | undefined> {
  const log = await logs.open(name);
  if (!log) return undefined;
  try {
    const header = await repairedLog(log).header();
    const isOurs = header.eval.run_id === run.runId && header.status !== 'started';
    return isOurs ? header : undefined;
  } finally {
    await log.close();
  }
}

/**
 * How many samples of a plan are not in a log: somebody else may have sealed the run before all of it was known. What
 * is missing there must not be let go [SEAL-5]. A log whose own documents are damaged holds nothing for certain, and one
 * that was recovered without its transcripts holds nothing whole.
 */
export async function countNotIn(logs: LogStore, name: string, plan: SealPlan): Promise<number> {
  const log = await logs.open(name);
  if (!log) return plan.choices.length;
  try {
    const damage = await repairedLog(log).checkDocuments();
    if (damage.length > 0 || !hasTranscripts(await log.header())) return plan.choices.length;
    const held = new Map<string, boolean>();
    for await (const { id, epoch, completed, error } of log.summaries())
      held.set(sampleKeyText(id, epoch), completed && error === undefined);
    let absent = 0;
    for (const chosen of plan.choices) {
      const sample = sampleOfChosen(chosen);
      const isCompleted = chosen.from === 'log' || chosen.attempt.status === 'completed';
      const there = held.get(sampleKeyText(sample.id, sample.epoch));
      const isThere = there === undefined ? false : there || !isCompleted;
      if (!isThere || !(await holdsAnswers(log, sample, plan))) absent++;
    }
    return absent;
  } finally {
    await log.close();
  }
}

/** A log of an older version, or one that was made before all answers were known, lacks some. */
async function holdsAnswers(log: LogReader, sample: SampleKey, { journals }: SealPlan): Promise<boolean> {
  const left = new Set(journals.answersAt(sample.id, sample.epoch).map(answerKey));
  if (left.size === 0) return true;
  for await (const answer of log.answers(sample)) left.delete(answerKey(answer));
  return left.size === 0;
}

function hasTranscripts({ metadata }: LogHeader): boolean {
  const recovery = metadata[RECOVERY_KEY];
  return !isJsonObject(recovery) || recovery.events !== false;
}
