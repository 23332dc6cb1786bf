import { join } from 'node:path';
import type { Disk } from '../disk/index.ts';
import { type FoundJournal, findJournals, readJournal } from '../journal/index.ts';
import { findSealedLog, releaseJournal } from '../seal/index.ts';
import { type ReuseMode, sampleName } from './find-reusable.ts';
import type { Places } from './places.ts';
import type { Plan } from './plan.ts';

/** What earlier attempts at the same eval left in the state directory. */
export interface LookBack {
  /** The journal that this run goes on with. */
  readonly adopt?: FoundJournal;
  /** Journals of the same eval with another plan: what fits is carried over, then they are sealed. */
  readonly stale: readonly FoundJournal[];
  readonly notes: readonly string[];
}

export interface LookBackOptions {
  readonly disk: Disk;
  readonly places: Places;
  readonly reuse: ReuseMode;
  readonly forceDead?: boolean;
  /** Directories of journals that turned out to be damaged. */
  readonly skip?: ReadonlySet<string>;
}

/**
 * Finds the journals of this eval. Those that are alive, or may be, are never touched: two runs of one eval at once both
 * finish, each as its own run.
 */
export async function lookBack(options: LookBackOptions, plan: Plan): Promise<LookBack> {
  const { disk, places, reuse: mode } = options;
  const { found, unreadable } = await findJournals(disk, places.stateDir);
  const notes = unreadable.map(
    ({ path, reason }) => `A journal could not be read and was left as it is: ${path} (${reason}).`,
  );
  const dead: FoundJournal[] = [];
  for (const journal of found.filter(({ run }) => isSameEval(run.identity, plan))) {
    const isDead =
      journal.liveness === 'dead' || (journal.liveness === 'unknown' && options.forceDead === true);
    if (options.skip?.has(journal.dir)) continue;
    if (!isDead) notes.push(describeLiving(journal));
    else if (await isSealed(disk, places, journal)) await releaseJournal(disk, journal.dir);
    else dead.push(journal);
  }
  if (mode === 'none') {
    if (dead.length > 0)
      notes.push(`${dead.length} unfinished run(s) of this eval were left as they are (--fresh).`);
    return { stale: [], notes };
  }
  const fitting = dead.filter(({ run }) => run.identity.plan === plan.digest);
  const adopt = fitting.at(-1);
  return { ...(adopt ? { adopt } : {}), stale: dead.filter((journal) => journal !== adopt), notes };
}

function isSameEval(identity: FoundJournal['run']['identity'], plan: Plan): boolean {
  return identity.eval === plan.identity.eval && identity.targetName === plan.identity.targetName;
}

function describeLiving(journal: FoundJournal): string {
  return journal.liveness === 'alive'
    ? `Another run of this eval is under way (${journal.run.runId}); this is a run of its own.`
    : `Whether run ${journal.run.runId} of this eval is still alive cannot be told from this machine; it was left alone. If it is dead for certain, run again with --force-dead.`;
}

/** A crash between the log's rename and the end of its journal leaves both: the log is whole, the journal can go. */
async function isSealed(disk: Disk, places: Places, journal: FoundJournal): Promise<boolean> {
  return (await findSealedLog(disk, join(places.logDir, journal.run.logName), journal.run)) !== undefined;
}

/** The attempts of another journal that this plan can go on with: same sample, same content key. */
export function attemptsToCarry(path: string, plan: Plan): readonly number[] {
  const wanted = new Map(plan.samples.map((sample) => [sampleName(sample), sample.key]));
  const reader = readJournal(path);
  try {
    const carried: number[] = [];
    for (const attempt of reader.outline()) {
      if (wanted.get(sampleName(attempt)) === attempt.key) carried.push(attempt.n);
    }
    return carried;
  } finally {
    reader.close();
  }
}
