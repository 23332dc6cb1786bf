import { assert } from '../base/index.ts';
import { type Bucket, bucketErrors } from '../bucket/index.ts';
import type { RunRecord } from '../journal/index.ts';
import { releaseRun } from '../seal/index.ts';
import { artifactsForOthers } from './artifacts/artifacts-for-others.ts';
import { type DueBuild, dueBuilds } from './artifacts/due-builds.ts';
import type { EarlierRuns } from './earlier-runs.ts';
import { beginRun, type OpenRun } from './open-run.ts';
import type { SegmentPlace } from './places.ts';
import { earlierRunsOf, type PreparedEval, prepareEval } from './prepare-eval.ts';
import { startOf, startShipper } from './run-eval.ts';
import { RunTally } from './run-tally.ts';
import type { RunSettings, RunTask } from './settings.ts';
import { takeStock } from './take-stock.ts';

/** A run that was begun here, for others to run. */
export interface HandedOver {
  readonly run: RunRecord;
  /** Positions in the plan of samples that logs of earlier runs hold: nobody has to run them. */
  readonly lent: readonly number[];
  /** The logs that hold them. */
  readonly lenders: readonly string[];
  /** What has to be built before samples that read it can run, each after what it is made of. */
  readonly builds: readonly DueBuild[];
  /** Sentences about what was found. */
  readonly notes: readonly string[];
  readonly damage: readonly string[];
}

/**
 * Begins a run and hands it over: what earlier logs lend is written down by a writer of its own, whose segments are in the
 * bucket before anybody else works on the run. Here nothing of it stays, and nothing is built: artifacts that are there go to
 * `store`, and the others are builds that are due. In the identity of the run `none of <recipe>` stands for what they will give.
 */
export async function handOver(
  task: RunTask,
  settings: RunSettings,
  place: SegmentPlace,
  { store }: { readonly store: Bucket },
): Promise<HandedOver> {
  const shipped = { ...settings, places: { ...settings.places, segments: place } };
  const prepared = await prepareEval(task, shipped, {
    artifactsOf: ({ dataset }) => artifactsForOthers({ task, settings: shipped, dataset, store }),
  });
  try {
    const tally = new RunTally({
      target: prepared.target.name,
      plan: prepared.plan,
      observer: task.observer,
    });
    await using earlier = await earlierRunsOf(prepared, {
      onDamage: (sentence) => tally.noteDamage(sentence),
      onNote: (sentence) => tally.note(sentence),
    });
    return await beginAndShip(prepared, { earlier, tally });
  } finally {
    await prepared.dataset.close();
  }
}

interface Begun {
  readonly earlier: EarlierRuns;
  readonly tally: RunTally;
}

async function beginAndShip(prepared: PreparedEval, { earlier, tally }: Begun): Promise<HandedOver> {
  const { settings, plan, artifacts } = prepared;
  await settings.disk.makeDir(settings.places.state.path);
  const opened = await beginRun({ settings, plan, startOf: startOf(prepared) });
  try {
    const stock = await takeStock(opened, { plan, earlier, tally });
    const toDo = new Set(stock.toDo.map(({ position }) => position));
    const builds = artifacts ? dueBuilds(artifacts, stock.toDo) : [];
    const lent = plan.samples.flatMap(({ position }) => (toDo.has(position) ? [] : position));
    const lenders = new Set(Array.from(opened.journals.reused(), ({ log }) => log));
    await shipAll(opened, { settings, tally });
    opened.journals.close();
    opened.writer.close();
    await releaseRun(settings.disk, settings.places.state, opened.run.runId);
    const { notes, damage = [] } = tally.account('interrupted', opened.run.runId, {
      isCompleted: () => true,
    });
    return { run: opened.run, lent, lenders: [...lenders], builds, notes, damage };
  } finally {
    opened.close();
    await opened.clear();
  }
}

/** Nothing is handed over that the bucket does not have. */
async function shipAll(
  opened: OpenRun,
  about: { readonly settings: RunSettings; readonly tally: RunTally },
): Promise<void> {
  const shipper = startShipper({ ...about, opened });
  assert(shipper, 'a run that is handed over has a bucket for its segments');
  await opened.writer.end('interrupted');
  if (await shipper.ship()) return;
  throw bucketErrors.away(
    about.settings.places.segments?.bucket.url ?? '',
    new Error('it did not take the run'),
  );
}
