import { type FoundRun, findRuns } from '../journal/index.ts';
import { findSealedLog } from '../seal/index.ts';
import type { Plan } from './plan.ts';
import type { RunSettings } from './settings.ts';

/** What earlier attempts at the same eval left in the state directory. */
export interface LookBack {
  /** The run to go on with. */
  readonly goOn?: FoundRun;
  /** Runs of the same eval with another plan: they are sealed, and what still holds is taken from their logs. */
  readonly stale: readonly FoundRun[];
  /** Runs whose log is there already: a crash came between the log and the end of its journals. */
  readonly sealed: readonly FoundRun[];
  readonly notes: readonly string[];
  /** What could not be read. */
  readonly damage: readonly string[];
  /** True when a crashed run is in the hands of another process that does not run it: a recovery, or one that is just starting. */
  readonly isBusy: boolean;
}

/**
 * Finds the runs of this eval. Those that are alive, or may be, are never touched: two runs of one eval at once both
 * finish, each as its own run.
 */
export async function lookBack(settings: RunSettings, plan: Plan): Promise<LookBack> {
  const { disk, places, reuse, forceDead } = settings;
  const { found, unreadable } = await findRuns(disk, places.state.path);
  const damage = unreadable
    .filter(({ code }) => code !== 'E_JOURNAL_EMPTY')
    .map(({ path, reason, lost }) => {
      const price = lost ? ` It had acknowledged ${lost.answers} answer(s) for $${lost.usd.toFixed(4)}.` : '';
      return `A journal could not be read and was left as it is: ${path} (${reason}).${price}`;
    });
  const notes: string[] = [];
  const sealed: FoundRun[] = [];
  const dead: FoundRun[] = [];
  const isBusy = found.some((run) => isSameEval(run, plan) && isHeldByNoWriter(run));
  for (const run of found.filter((one) => isSameEval(one, plan))) {
    const isDead = run.liveness === 'dead' || (run.liveness === 'unknown' && forceDead);
    if (!isDead) notes.push(describeLiving(run));
    else if (!(await findSealedLog(places.logs, run.run.logName, run.run))) dead.push(run);
    else sealed.push(run);
  }
  const isOwn = ({ run }: FoundRun) => settings.ownRuns.has(run.runId);
  if (reuse === 'none') {
    const others = dead.filter((run) => !isOwn(run)).length;
    if (others > 0) notes.push(`${others} unfinished run(s) of this eval were left as they are (--fresh).`);
    const own = dead.findLast((run) => isOwn(run) && run.run.identity.plan === plan.digest);
    return { ...(own ? { goOn: own } : {}), stale: [], sealed, notes, damage, isBusy: false };
  }
  const goOn = dead.filter(({ run }) => run.identity.plan === plan.digest).at(-1);
  const stale = dead.filter((run) => run !== goOn);
  return { ...(goOn ? { goOn } : {}), stale, sealed, notes, damage, isBusy };
}

function isSameEval({ run }: FoundRun, { identity }: Plan): boolean {
  return run.identity.eval === identity.eval && run.identity.targetName === identity.targetName;
}

/** The run is locked, and yet nobody writes it. */
function isHeldByNoWriter({ liveness, writers }: FoundRun): boolean {
  return liveness === 'alive' && writers.every((writer) => writer.liveness !== 'alive');
}

function describeLiving({ liveness, run }: FoundRun): string {
  return liveness === 'alive'
    ? `Another run of this eval is under way (${run.runId}); this is a run of its own.`
    : `Whether run ${run.runId} of this eval is still alive cannot be told from this machine; it was left alone. If it is dead for certain, run again with --force-dead.`;
}
