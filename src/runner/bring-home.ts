import { join } from 'node:path';
import { isRunId, messageOf } from '../base/index.ts';
import { livenessOf } from '../disk/index.ts';
import {
  importSegments,
  JOURNAL_FILE,
  type JournalReader,
  listSegmentedRuns,
  listWriters,
  readJournal,
} from '../journal/index.ts';
import { findSealedLog } from '../seal/index.ts';
import type { LookBackOptions } from './look-back.ts';
import { journalDirOf, type SegmentPlace } from './places.ts';
import type { Plan } from './plan.ts';

/**
 * Brings home the journals of runs of this eval whose machine is gone: their segments in the bucket become a journal
 * here, and the run goes on as after any crash. Gives sentences about what was found.
 *
 * ### Ordering
 * The journal is made under another name and gets its own when it is whole, so a crash leaves an orphan, never half of
 * it. The segments stay until the run is sealed.
 */
export async function bringHome(options: LookBackOptions, plan: Plan): Promise<readonly string[]> {
  const { segments } = options.places;
  if (!segments || options.reuse === 'none') return [];
  const notes: string[] = [];
  for (const run of await listSegmentedRuns(segments.bucket, segments.prefix)) {
    if (!isRunId(run) || (await options.disk.stat(journalDirOf(options.places, run)))) continue;
    for (const writer of await listWriters(segments.bucket, segments.prefix, run)) {
      try {
        notes.push(...(await bringOne(options, plan, { segments, run, writer })));
      } catch (error) {
        notes.push(`The segments of run ${run} could not be used: ${messageOf(error)}`);
      }
    }
  }
  return notes;
}

async function bringOne(
  options: LookBackOptions,
  plan: Plan,
  from: { readonly segments: SegmentPlace; readonly run: string; readonly writer: string },
): Promise<readonly string[]> {
  const { disk, places } = options;
  const dir = `${journalDirOf(places, from.run)}.released`; // Swept if this process dies before the journal is whole.
  await disk.removeTree(dir);
  await disk.makeDir(dir);
  const into = join(dir, JOURNAL_FILE);
  const { bucket, prefix } = from.segments;
  const report = await importSegments({
    bucket,
    prefix,
    run: from.run,
    writer: from.writer,
    into,
    isNew: true,
  });
  const reader = readJournal(into);
  const verdict = await judge(reader, options, plan).finally(() => reader.close());
  if (verdict !== 'take') {
    await disk.removeTree(dir);
    return verdict === undefined ? [] : [verdict];
  }
  await disk.syncDir(dir);
  await disk.rename(dir, journalDirOf(places, from.run));
  await disk.syncDir(places.stateDir);
  return [`Run ${from.run} came home from the bucket: ${report.segments} segment(s).`, ...report.problems];
}

/** Whether a journal from the bucket is one to go on with; else a sentence, or nothing when it is none of ours. */
async function judge(
  reader: JournalReader,
  options: LookBackOptions,
  plan: Plan,
): Promise<'take' | string | undefined> {
  const run = reader.run();
  if (run.identity.eval !== plan.identity.eval || run.identity.targetName !== plan.identity.targetName)
    return undefined;
  const logPath = join(options.places.logDir, run.logName);
  if (await findSealedLog(options.disk, logPath, run)) return undefined;
  const last = reader.sessions().at(-1);
  const liveness = !last || last.ending ? 'dead' : livenessOf(last.process);
  if (liveness === 'dead' || (liveness === 'unknown' && options.forceDead)) return 'take';
  return `Run ${run.runId} of this eval has segments in the bucket, and its machine may be alive. If it is gone for good, run again with --force-dead: what was paid for then comes home.`;
}
