import { counted, errnoOf, isRunId, messageOf } from '../base/index.ts';
import type { Disk } from '../disk/index.ts';
import {
  fenceWriter,
  fenceWriterInBucket,
  importWriter,
  listSegmentedRuns,
  listWriters,
  openRunJournals,
  type RunRecord,
  readRecordObject,
  writerDir,
  writersIn,
} from '../journal/index.ts';
import { findSealedLog } from '../seal/index.ts';
import { type EvalIdentity, isOfEval } from './of-eval.ts';
import type { SegmentPlace } from './places.ts';
import { removeSealedSegments } from './remove-sealed-segments.ts';
import type { RunSettings } from './settings.ts';

/**
 * Brings home the journals of this eval's runs whose machine is gone: the segments of every writer become a journal
 * here, each its own, and the run goes on as after any crash.
 *
 * ### Ordering
 * A run is put together in a place of this process alone and gets its name when all of it is there, so a crash leaves an
 * orphan, never half of it. When several processes bring home the same run, the first one's stays, and what the others made is
 * the same. A writer that somebody vouched for is fenced, and its segments are read after that. Writers of a run that is here
 * already join it one by one, each whole. The segments stay until the run is sealed.
 */
export async function bringHome(settings: RunSettings, plan: OfEval): Promise<BroughtHome> {
  const { segments } = settings.places;
  const notes: string[] = [];
  const damage: string[] = [];
  if (!segments || settings.reuse === 'none') return { notes, damage };
  for (const run of await listSegmentedRuns(segments.bucket, segments.prefix)) {
    if (!isRunId(run)) continue;
    try {
      const brought = await bringRun(settings, plan, { segments, run });
      notes.push(...brought.notes);
      damage.push(...brought.damage);
    } catch (error) {
      damage.push(`The segments of run ${run} could not be used: ${messageOf(error)}`);
    }
  }
  return { notes, damage };
}

/** Runs of which eval on which target. */
interface OfEval {
  readonly identity: EvalIdentity;
}

/** Sentences about what came home, and about what could not be read of it. */
export interface BroughtHome {
  readonly notes: readonly string[];
  readonly damage: readonly string[];
}

const NOTHING: BroughtHome = { notes: [], damage: [] };

interface From {
  readonly segments: SegmentPlace;
  readonly run: string;
}

async function bringRun(settings: RunSettings, plan: OfEval, from: From): Promise<BroughtHome> {
  const { disk, places } = settings;
  const home = places.state.runDir(from.run);
  const isHere = (await disk.stat(home)) !== undefined;
  const here = new Set(isHere ? (await writersIn(disk, home)).map(({ writer }) => writer) : []);
  const { bucket, prefix } = from.segments;
  const away = (await listWriters(bucket, prefix, from.run)).filter((writer) => !here.has(writer));
  if (away.length === 0) return NOTHING;
  // A bucket may hold the runs of many evals and machines: those of others are told without reading their segments.
  const known = await runInBucket(from, away);
  if (known && !isOfEval(known, plan.identity)) return NOTHING;
  const incoming = places.state.incomingDir(from.run);
  let reports = await importAll(settings, from, { writers: away, incoming });
  for (const writer of away) if (settings.fenced?.has(writer)) await fenceWriter(disk, incoming, writer);
  const verdict = await judge(settings, plan, incoming);
  if (verdict !== 'take' && verdict !== 'sealed') {
    await disk.removeTree(incoming);
    return verdict === undefined ? NOTHING : { notes: [verdict], damage: [] };
  }
  if (settings.forceDead) {
    await fenceInBucket(from, away);
    // Until it met its fence a writer may have shipped something more, which counts.
    reports = await importAll(settings, from, { writers: away, incoming });
    for (const writer of away) await fenceWriter(disk, incoming, writer);
  }
  if (verdict === 'sealed') {
    const sentence = await removeSealedSegments(settings, from.segments, incoming);
    await disk.removeTree(incoming);
    return sentence === undefined ? NOTHING : { notes: [sentence], damage: [] };
  }
  await moveHome(settings, { incoming, home, writers: away, isHere });
  const count = reports.reduce((sum, report) => sum + report.segments, 0);
  return {
    notes: [
      `Run ${from.run} came home from the bucket: ${counted(count, 'segment')} of ${counted(away.length, 'writer')}.`,
    ],
    damage: reports.flatMap(({ problems }) => problems),
  };
}

type ImportReport = Awaited<ReturnType<typeof importWriter>>;

interface Incoming {
  readonly writers: readonly string[];
  readonly incoming: string;
}

/** Makes a journal of the segments of each writer, in place of those that were made before. */
async function importAll(
  { disk }: RunSettings,
  { segments, run }: From,
  { writers, incoming }: Incoming,
): Promise<readonly ImportReport[]> {
  await disk.removeTree(incoming);
  await disk.makeDir(incoming);
  const reports: ImportReport[] = [];
  for (const writer of writers) {
    const report = await importWriter({ disk, ...segments, run, writer, runDir: incoming });
    reports.push(report);
  }
  return reports;
}

/** Whoever vouches for a death makes it true: a writer that wakes up again finds that it may not write any more [JRN-13]. */
async function fenceInBucket({ segments, run }: From, writers: readonly string[]): Promise<void> {
  const { bucket, prefix } = segments;
  for (const writer of writers) await fenceWriterInBucket(bucket, { prefix, run, writer });
}

async function moveHome(
  { disk, places }: RunSettings,
  move: {
    readonly incoming: string;
    readonly home: string;
    readonly writers: readonly string[];
    readonly isHere: boolean;
  },
): Promise<void> {
  const { incoming, home, writers, isHere } = move;
  await disk.syncDir(incoming);
  if (isHere || !(await tryRename(disk, incoming, home))) {
    for (const writer of writers) await tryRename(disk, writerDir(incoming, writer), writerDir(home, writer));
    await disk.syncDir(home);
    await disk.removeTree(incoming);
  }
  await disk.syncDir(places.state.path);
}

/** False when another process brought the same thing home just now: no directory takes the place of one that holds something. */
async function tryRename(disk: Disk, from: string, to: string): Promise<boolean> {
  try {
    await disk.rename(from, to);
    return true;
  } catch (error) {
    if (errnoOf(error) === 'ENOTEMPTY' || errnoOf(error) === 'EEXIST') return false;
    throw error;
  }
}

/** The record of a run, from the first of its writers that has one in the bucket. */
async function runInBucket(
  { segments, run }: From,
  writers: readonly string[],
): Promise<RunRecord | undefined> {
  for (const writer of writers) {
    const records = await readRecordObject(segments, { run, writer });
    if (records) return records.run;
  }
  return undefined;
}

/**
 * Whether what came from the bucket is to be gone on with, or only left over since its log is there; else a sentence, or
 * nothing when it is none of ours.
 */
async function judge(
  settings: RunSettings,
  plan: OfEval,
  incoming: string,
): Promise<'take' | 'sealed' | string | undefined> {
  const { disk, places, forceDead } = settings;
  const journals = await openRunJournals({ disk, runDir: incoming });
  try {
    const run = journals.run();
    if (!isOfEval(run, plan.identity)) return undefined;
    const isSealed = (await findSealedLog(places.logs, run.logName, run)) !== undefined;
    const liveness = journals.liveness();
    if (liveness === 'dead' || (liveness === 'unknown' && forceDead)) return isSealed ? 'sealed' : 'take';
    if (isSealed) return undefined;
    return `Run ${run.runId} of this eval has segments in the bucket, and its machine may be alive. If it is gone for good, run again with --force-dead: what was paid for then comes home.`;
  } finally {
    journals.close();
  }
}
