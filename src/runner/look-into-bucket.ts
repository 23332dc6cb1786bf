import { counted, isRunId } from '../base/index.ts';
import { listSegmentedRuns, listWriters, readRecordObject } from '../journal/index.ts';
import { bucketLogStore, type LogStore } from '../log/index.ts';
import { isOfEval } from './of-eval.ts';
import type { SegmentPlace } from './places.ts';
import type { Plan } from './plan.ts';
import type { RunSettings } from './settings.ts';

/** The logs that are here, and those that a run would bring home from the bucket first. Nothing is brought. */
export function logsWithBucket({ places, reuse, disk }: RunSettings): LogStore {
  const { logs: here, segments } = places;
  if (!segments || reuse === 'none') return here;
  const away = bucketLogStore(segments.bucket, '', { disk });
  const either = async <T>(ask: (store: LogStore) => Promise<T | undefined>) =>
    (await ask(here)) ?? (await ask(away));
  return {
    place: here.place,
    async *list(signal) {
      yield* here.list(signal);
      for await (const log of away.list(signal)) if (!(await here.stat(log.name))) yield log;
    },
    stat: (name) => either((store) => store.stat(name)),
    open: (name) => either((store) => store.open(name)),
    openTorn: (name) => either((store) => store.openTorn(name)),
    verify: (name) => either((store) => store.verify(name)),
    create: (name, options) => here.create(name, options),
    placeOf: (name) => here.placeOf(name),
  };
}

/** A sentence about unfinished runs of this eval that only the bucket holds: to look into them they would have to be brought home. */
export async function runsInBucket(settings: RunSettings, plan: Plan): Promise<readonly string[]> {
  const { segments, state } = settings.places;
  if (!segments || settings.reuse === 'none') return [];
  let count = 0;
  for (const run of await listSegmentedRuns(segments.bucket, segments.prefix)) {
    if (!isRunId(run) || (await settings.disk.stat(state.runDir(run)))) continue;
    if (await isUnfinishedOfEval({ segments, run }, { settings, plan })) count++;
  }
  if (count === 0) return [];
  return [
    `The bucket holds ${counted(count, 'unfinished run')} of this eval. What was answered in it was not looked at and is not counted as kept: the run itself brings it home first.`,
  ];
}

async function isUnfinishedOfEval(
  { segments, run }: { readonly segments: SegmentPlace; readonly run: string },
  { settings, plan }: { readonly settings: RunSettings; readonly plan: Plan },
): Promise<boolean> {
  for (const writer of await listWriters(segments.bucket, segments.prefix, run)) {
    const record = (await readRecordObject(segments, { run, writer }))?.run;
    if (!record) continue;
    return isOfEval(record, plan.identity) && !(await logsWithBucket(settings).stat(record.logName));
  }
  return false;
}
