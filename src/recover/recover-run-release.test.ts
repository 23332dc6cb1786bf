/** What a recovery does with the run itself: who is fenced, and what is let go. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { moveToAnotherMachine } from '../../test/sim/another-machine.ts';
import { filledJournal, newWriter, sampleFields, sampleStart } from '../../test/sim/journal-fixture.ts';
import { memoryBucket } from '../../test/sim/memory-bucket.ts';
import { makeTempDir, type TempDir } from '../../test/sim/temp-dir.ts';
import { systemClock } from '../base/index.ts';
import { nodeDisk } from '../disk/index.ts';
import { StateDir } from '../journal/index.ts';
import { directoryLogStore } from '../log/index.ts';
import { type RecoverOptions, type RunPlaces, recoverLog } from './index.ts';

let dir: TempDir;
let places: RunPlaces;
beforeEach(async () => {
  dir = await makeTempDir();
  const logDir = join(dir.path, 'logs');
  places = { logs: directoryLogStore(nodeDisk, logDir), logDir, state: StateDir.of(logDir) };
});
afterEach(() => dir[Symbol.asyncDispose]());

const recover = (log: string, more: Partial<RecoverOptions> = {}) =>
  recoverLog({ disk: nodeDisk, clock: systemClock, log, dataDirs: [], places, ...more });

test('[JRN-13] whoever vouches for the death of a writer fences it, here and in the bucket', async () => {
  const journal = await filledJournal(places.state.path);
  journal.close();
  const { runId } = journal.run;
  moveToAnotherMachine(places.state.path);
  const bucket = memoryBucket();
  const segments = { bucket, prefix: 'runs/' };
  await recover(runId, { forceDead: true, keep: true, places: { ...places, segments } });
  expect(existsSync(join(journal.dir, 'fenced'))).toBe(true);
  expect(await bucket.stat(`runs/${runId}/fenced/${journal.record.writer}`)).toBeDefined();
});

test('[SEAL-5] a log that is there already and holds less lets nothing go', async () => {
  const journal = await filledJournal(places.state.path);
  journal.close();
  const { runId } = journal.run;
  await recover(runId, { keep: true });
  const late = await newWriter(places.state.path, journal.run, { generation: 2 });
  await late.startAttempt(sampleStart('d')).finish('completed', sampleFields('d'));
  late.close();
  const report = await recover(runId);
  expect(report).toMatchObject({ wasThere: true, deleted: [] });
  expect(report.left).toEqual([journal.reader.path, late.reader.path]);
  expect(existsSync(late.reader.path)).toBe(true);
});
