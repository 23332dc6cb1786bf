import { DamageError, isJsonObject, NotKeptError, sampleKeyText } from '../base/index.ts';
import { type LogHeader, type LogReader, type LogStore, sampleMemberName } from '../log/index.ts';
import { isMemberWhole } from '../seal/index.ts';
import type { EarlierRuns } from './earlier-runs.ts';
import type { RunOutcome } from './finish-run.ts';
import type { Plan } from './plan.ts';
import type { RunTally } from './run-tally.ts';

/**
 * The same command run again does nothing when one finished log holds exactly this plan, with the same numbers, and every
 * byte of its samples is right.
 */
export async function findDone(about: {
  readonly plan: Plan;
  readonly earlier: EarlierRuns;
  readonly tally: RunTally;
  readonly logs: LogStore;
}): Promise<RunOutcome | undefined> {
  const { plan, earlier, tally, logs } = about;
  const { name: found, log, header } = (await findOfPlan(earlier, plan)) ?? {};
  if (found === undefined || !log || !header) return undefined;
  for (const { id, epoch } of plan.samples)
    if (!(await isMemberWhole(log, sampleMemberName(id, epoch)))) return undefined;
  const name = await tryHome(earlier, found);
  if (name === undefined) return undefined;
  for await (const summary of log.summaries())
    tally.countReused(sampleKeyText(summary.id, summary.epoch), summary, name);
  const held = { log: logs.placeOf(name), isCompleted: () => true };
  const { results } = header;
  return {
    account: tally.account('done', header.eval.run_id, held),
    ...(results ? { results } : {}),
  };
}

/** A published run that turns out to be damaged, or to lack something, is not the end: what is whole in it may still lend. */
async function tryHome(earlier: EarlierRuns, name: string): Promise<string | undefined> {
  try {
    return await earlier.home(name);
  } catch (error) {
    if (error instanceof DamageError || error instanceof NotKeptError) return undefined;
    throw error;
  }
}

async function findOfPlan(
  earlier: EarlierRuns,
  plan: Plan,
): Promise<{ readonly name: string; readonly log: LogReader; readonly header: LogHeader } | undefined> {
  for (const name of await earlier.whole()) {
    const log = await earlier.log(name);
    if (earlier.isTorn(name)) continue;
    const header = await log?.header();
    if (log && header && isOfPlan(header, plan) && (await hasDocuments(log))) return { name, log, header };
  }
  return undefined;
}

/** A log whose own documents are damaged is not the end: another is made of what is whole in it. */
async function hasDocuments(log: LogReader): Promise<boolean> {
  return (await isMemberWhole(log, 'header.json')) && (await isMemberWhole(log, 'summaries.json'));
}

/** Its metrics and reducers are part of it: they are in no sample. */
function isOfPlan({ status, results, eval: spec }: LogHeader, { size, identity }: Plan): boolean {
  const ours = spec.metadata?.holdfast;
  const isSame = isJsonObject(ours) && ours.definition === identity.definition;
  return status === 'success' && results?.total_samples === size && isSame;
}
