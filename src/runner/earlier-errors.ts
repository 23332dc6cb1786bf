import type { Disk } from '../disk/index.ts';
import type { JournalReader } from '../journal/index.ts';
import { type EvalError, openLog } from '../log/index.ts';
import { type ReuseFindings, sampleName } from './find-reusable.ts';
import type { PlannedSample } from './plan.ts';

/** The errors of all earlier attempts at a sample, oldest first: attempts are never forgotten. */
export async function earlierErrors(
  disk: Disk,
  where: {
    readonly journal: JournalReader;
    readonly planned: PlannedSample;
    readonly findings: ReuseFindings;
  },
): Promise<readonly EvalError[]> {
  const { journal, planned, findings } = where;
  const logged = findings.errored.get(sampleName(planned));
  const before = logged ? await errorsInLog(disk, logged.logPath, planned) : [];
  const attempts = journal.attemptsAt(planned.id, planned.epoch).filter(({ status }) => status === 'errored');
  const here = attempts.flatMap(({ n }) => journal.result(n)?.fields.error ?? []);
  return [...before, ...here];
}

async function errorsInLog(disk: Disk, path: string, planned: PlannedSample): Promise<readonly EvalError[]> {
  const log = await openLog(disk, path);
  try {
    const fields = await log.sampleFields(planned.id, planned.epoch);
    const error = fields?.error;
    return [...(fields?.error_retries ?? []), ...(error ? [error] : [])];
  } finally {
    await log.close();
  }
}
