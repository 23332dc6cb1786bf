import { counted, formatUsd, namedOnce } from '../base/index.ts';
import { type FoundRun, findRuns, isNameless, lookAtRun, type UnreadableRun } from '../journal/index.ts';
import { findSealedLog } from '../seal/index.ts';
import { holdsStill } from './later-modules.ts';
import { isOfEval } from './of-eval.ts';
import type { Plan } from './plan.ts';
import type { RunSettings, RunTask } from './settings.ts';

/** What earlier attempts at the same eval left in the state directory. */
export interface LookBack {
  /** The run to go on with. */
  readonly goOn?: FoundRun;
  /** Runs of the same eval with another plan, or by other code: they are sealed, and what still holds is taken from their logs. */
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
export async function lookBack(
  settings: RunSettings,
  plan: Plan,
  task: Pick<RunTask, 'code' | 'eval'>,
): Promise<LookBack> {
  const { disk, places, reuse } = settings;
  const { found, unreadable } = await findRuns(disk, places.state.path);
  const damage = unreadable.filter(({ code }) => code !== 'E_JOURNAL_EMPTY').map(describeUnreadable);
  const notes: string[] = [];
  const sealed: FoundRun[] = [];
  const dead: FoundRun[] = [];
  const nameless = await namelessOf(settings, plan, found);
  damage.push(...nameless.damage);
  const ours = found.filter((run) => isOfEval(run.run, plan.identity) || nameless.ours.has(run));
  const isBusy = ours.some(isHeldByNoWriter);
  for (const run of ours) {
    if (!isTakenForDead(run, settings)) notes.push(describeLiving(run));
    else if (!(await findSealedLog(places.logs, run.run.logName, run.run))) dead.push(run);
    else sealed.push(run);
  }
  const isFresh = reuse === 'none';
  const ofPlan = dead.findLast((run) => run.run.identity.plan === plan.digest && mayGoOnWith(run, settings));
  // What does not hold any more is taken for nothing but its answers, as it is when the plan has changed.
  const goOn = ofPlan && (await holdsStill(ofPlan, settings, task)) ? ofPlan : undefined;
  const about = { ...(goOn ? { goOn } : {}), sealed, notes, damage };
  if (isFresh) {
    const others = dead.filter((run) => run !== ofPlan).length;
    if (others > 0) notes.push(`${counted(others, 'unfinished run')} of this eval left as found (--fresh).`);
    return { ...about, stale: ofPlan && !goOn ? [ofPlan] : [], isBusy: false };
  }
  return { ...about, stale: dead.filter((run) => run !== goOn), isBusy };
}

export function isTakenForDead(
  { liveness }: FoundRun,
  { forceDead }: Pick<RunSettings, 'forceDead'>,
): boolean {
  return liveness === 'dead' || (liveness === 'unknown' && forceDead);
}

/** With `--fresh` only what is this command's own. */
export function mayGoOnWith(run: FoundRun, settings: Pick<RunSettings, 'reuse' | 'ownRuns'>): boolean {
  return settings.reuse !== 'none' || isOwnFresh(run, settings);
}

/**
 * What this very command began with `--fresh`, or the same command that was killed: what it bought is bought. One that was
 * stopped by its user said how to go on; whoever asks for `--fresh` again then wants it anew.
 */
function isOwnFresh({ run, isFreshAndKilled }: FoundRun, { ownRuns }: Pick<RunSettings, 'ownRuns'>): boolean {
  return ownRuns.has(run.runId) || isFreshAndKilled;
}

/**
 * Runs whose records are all gone: which eval they are of is told by their attempts. One that holds a sample of this plan,
 * with the same content key, is of this eval; what is not of it is none of its business.
 */
async function namelessOf(
  { disk }: RunSettings,
  plan: Plan,
  found: readonly FoundRun[],
): Promise<{ readonly ours: ReadonlySet<FoundRun>; readonly damage: readonly string[] }> {
  const ours = new Set<FoundRun>();
  const damage: string[] = [];
  const nameless = found.filter(({ run }) => isNameless(run));
  const wanted = new Set(nameless.length === 0 ? [] : plan.samples.map(({ key }) => key));
  for (const run of nameless) {
    const journals = await lookAtRun({ disk, runDir: run.dir });
    if (!journals) continue;
    try {
      if (![...journals.outline()].some(({ key }) => wanted.has(key))) continue;
      ours.add(run);
      damage.push(...journals.damage.sentences);
    } finally {
      journals.close();
    }
  }
  return { ours, damage };
}

/** Of which eval it is cannot be told any more, so every run here says it. */
function describeUnreadable({ dir, path, reason, code, lost }: UnreadableRun): string {
  // What a damaged journal had cost is part of the reason.
  const isTold = lost === undefined || code === 'E_JOURNAL_DAMAGED';
  const price = isTold
    ? ''
    : ` It had acknowledged ${counted(lost.answers, 'answer')} for ${formatUsd(lost.usd)}.`;
  return `A journal could not be read and was left as it is: ${namedOnce(path, reason)}${price} If its eval does not matter any more, delete ${dir}.`;
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
