import { sampleKeyText } from '../base/index.ts';
import { type LogStore, sampleMemberName } from '../log/index.ts';
import { isMemberWhole } from '../seal/index.ts';
import type { ReuseFindings } from './find-reusable.ts';
import type { RunOutcome } from './finish-run.ts';
import type { Plan } from './plan.ts';
import type { RunTally } from './run-tally.ts';

/**
 * The same command run again does nothing when one finished log holds exactly this plan, and every byte of its samples
 * is right.
 */
export async function findDone(about: {
  readonly plan: Plan;
  readonly findings: ReuseFindings;
  readonly tally: RunTally;
  readonly logs: LogStore;
}): Promise<RunOutcome | undefined> {
  const { plan, findings, tally, logs } = about;
  if (findings.reusable.size !== plan.size) return undefined;
  const names = new Set([...findings.reusable.values()].map(({ log }) => log));
  const [name] = names;
  const log = names.size === 1 && name !== undefined ? await logs.open(name) : undefined;
  if (!log || name === undefined) return undefined;
  try {
    // A log whose own documents are damaged is not the end: another is made of what is whole in it.
    for (const document of ['header.json', 'summaries.json'])
      if (!(await isMemberWhole(log, document))) return undefined;
    const header = await log.header();
    if (header.status !== 'success' || header.results?.total_samples !== plan.size) return undefined;
    for (const { id, epoch } of plan.samples)
      if (!(await isMemberWhole(log, sampleMemberName(id, epoch)))) return undefined;
    for await (const summary of log.summaries())
      tally.countReused(sampleKeyText(summary.id, summary.epoch), summary, name);
    const found = { log: logs.placeOf(name), isCompleted: () => true };
    const { results } = header;
    return { account: tally.account('done', header.eval.run_id, found), results };
  } finally {
    await log.close();
  }
}
