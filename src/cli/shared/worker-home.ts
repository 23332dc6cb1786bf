import { join } from 'node:path';
import { systemClock } from '../../base/index.ts';
import { collectBundles } from '../../bundle/index.ts';
import {
  activeRuns,
  collectDisk,
  letWriterGo,
  readSubmission,
  type SharedPlace,
} from '../../cluster/index.ts';
import { locksOf, nodeDisk, sweepTemps } from '../../disk/index.ts';
import { journalPath, StateDir, shipDead } from '../../journal/index.ts';

/** Where a worker keeps what it needs on its disk. */
export function homeDirs(dir: string) {
  return {
    bundles: join(dir, 'bundles'),
    runs: join(dir, 'runs'),
    artifacts: join(dir, 'artifacts'),
    outputs: join(dir, 'outputs'),
  };
}

/** Sends what a process that died had written and not sent. */
export function shipLeft(
  dirs: ReturnType<typeof homeDirs>,
  { bucket, prefix }: SharedPlace,
  { run, writer }: { readonly run: string; readonly writer: string },
): Promise<boolean> {
  const path = journalPath(StateDir.of(dirs.runs).runDir(run), writer);
  return shipDead(path, { bucket, prefix, clock: systemClock });
}

/** Removes the journal of a process that did one job, once the bucket has all of it. What stays is looked at every hour. */
export function letGo(
  dirs: ReturnType<typeof homeDirs>,
  place: SharedPlace,
  about: { readonly run: string; readonly writer: string },
): Promise<boolean> {
  const ship = () => shipLeft(dirs, place, about);
  return letWriterGo(about, { disk: nodeDisk, state: StateDir.of(dirs.runs), ship });
}

export interface CollectHomeOptions {
  readonly place: SharedPlace;
  readonly dir: string;
  /** Bundles that nobody used for this long go. */
  readonly keepBundlesMs: number;
  readonly note: (text: string) => void;
  readonly onProblem: (error: unknown) => void;
}

const COLLECT_MS = 3_600_000;

/** Removes what a worker needs no more, now and every hour, until it is disposed of. */
export function collectHomeHourly(options: CollectHomeOptions): AsyncDisposable {
  let collecting = Promise.resolve();
  const collect = () => {
    collecting = collecting.then(() => collectHome(options)).catch(options.onProblem);
  };
  collect();
  const timer = systemClock.every(COLLECT_MS, collect);
  return {
    async [Symbol.asyncDispose]() {
      timer[Symbol.dispose]();
      await collecting;
    },
  };
}

/** One worker of a machine at a time. */
async function collectHome({ place, dir, keepBundlesMs, note }: CollectHomeOptions): Promise<void> {
  await nodeDisk.makeDir(dir);
  using lock = locksOf(nodeDisk).take(join(dir, 'collecting'));
  if (!lock) return;
  const dirs = homeDirs(dir);
  const nowMs = systemClock.nowMs();
  // What isolated samples printed, as it was: it goes with their worker.
  await sweepTemps(nodeDisk, dirs.outputs);
  const active = await activeRuns(place);
  const { journals, work } = await collectDisk({
    ...{ disk: nodeDisk, state: StateDir.of(dirs.runs), active, nowMs },
    // Only into the bucket that it is of: another worker of this machine may have another.
    ship: async (about) =>
      (await readSubmission(place, about.run)) !== undefined && (await shipLeft(dirs, place, about)),
  });
  const wanted = new Set<string>();
  for (const run of active) {
    const submission = await readSubmission(place, run);
    if (submission) wanted.add(submission.work.bundle);
  }
  const bundles = await collectBundles({
    ...{ disk: nodeDisk, dir: dirs.bundles, wanted, nowMs, keepMs: keepBundlesMs },
  });
  if (journals + work + bundles.length > 0)
    note(
      `removed   ${journals} journals, ${work} folders of agents and ${bundles.length} bundles that nobody needs`,
    );
}
